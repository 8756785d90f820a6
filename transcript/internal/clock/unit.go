package clock

import (
	"strconv"
	"strings"
	"time"
)

// A Unit reads a number as a time, unless the text is a timestamp or has a unit: seconds or milliseconds.
type Unit func(text string) (time.Duration, bool)

// Seconds reads a time in seconds, or as a timestamp.
func Seconds(text string) (time.Duration, bool) { return readTime(text, 1) }

// Milliseconds reads a time in milliseconds, or as a timestamp.
func Milliseconds(text string) (time.Duration, bool) { return readTime(text, 1000) }

func readTime(text string, perSecond float64) (time.Duration, bool) {
	if d, rest, ok := ParseTimestamp(text); ok && rest == "" {
		return d, true
	}
	number, isSeconds := strings.CutSuffix(text, "s")
	if isSeconds {
		perSecond = 1 // the unit is written after the number
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, false
	}
	return FromSeconds(n / perSecond)
}

// People say two to three words in a second. The bounds leave room for silence and for hasty speech; between
// them, the list does not say.
const (
	fewWordsPerSecond  = 0.15
	manyWordsPerSecond = 20.0

	// MaxSample is how many elements are read to tell seconds from milliseconds.
	MaxSample = 1_000
)

// UnitByRate returns the unit in which the number of words is plausible for the length.
func UnitByRate(words, length float64, usual Unit) Unit {
	switch rate := words / length; {
	case words == 0 || length <= 0:
		return usual
	case rate >= fewWordsPerSecond:
		return Seconds
	case rate*1000 <= manyWordsPerSecond:
		return Milliseconds
	}
	return usual
}
