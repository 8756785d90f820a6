package transcript

// People say two to three words in a second. The bounds leave room for silence and for hasty speech; between
// them, the list does not say.
const (
	fewWordsPerSecond  = 0.15
	manyWordsPerSecond = 20.0

	// maxUnitSample is how many elements are read to tell seconds from milliseconds.
	maxUnitSample = 1_000
)

// unitByRate returns the unit in which people say so many words in the length.
func unitByRate(words, length float64, usual timeUnit) timeUnit {
	switch rate := words / length; {
	case words == 0 || length <= 0:
		return usual
	case rate >= fewWordsPerSecond:
		return scalar.seconds
	case rate*1000 <= manyWordsPerSecond:
		return scalar.milliseconds
	}
	return usual
}
