package ask

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"research/activities/extract/quote"
	"research/internal/words"
)

// A number is a number of a text.
type number struct {
	value string // "20000" for "20 thousand"
	unit  string // that follows it, by the name that it has in all languages, or ""
	from  int    // words; to is exclusive
	to    int
	// isWord means that it is written as a word. "One" and "first" are then often no numbers.
	isWord bool
}

// plainNumber matches the numbers that others may follow, as "20" in "20 thousand".
var plainNumber = regexp.MustCompile(`^(\d+(?:\.\d+)?)(k|mio|mrd|m|bn)?$`)

var magnitudes = map[string]float64{"": 1, "k": 1e3, "m": 1e6, "mio": 1e6, "bn": 1e9, "mrd": 1e9}

// numbersOf reads the numbers of a text.
func numbersOf(text string, all []readWord, units quote.Units) []number {
	var numbers []number
	for i := 0; i < len(all); {
		if !words.HasDigit(all[i].norm) {
			i++
			continue
		}
		n := number{value: all[i].norm, from: i, to: i + 1, isWord: !words.HasDigit(all[i].spelled(text))}
		if parts := plainNumber.FindStringSubmatch(all[i].norm); parts != nil {
			n.compose(text, all, parts)
		}
		n.unit = n.unitIn(text, all, units)
		numbers = append(numbers, n)
		i = n.to
	}
	return numbers
}

// compose adds up the parts of a number: "two hundred and fifty", "1.5 million".
func (n *number) compose(text string, all []readWord, parts []string) {
	first, _ := strconv.ParseFloat(parts[1], 64) // the expression matches numbers
	total, current := 0.0, first*magnitudes[parts[2]]
	if isMagnitude(current) {
		total, current = current, 0
	}
	for at := n.to; at < len(all); at++ {
		isJoint := false
		if jointWords[all[at].norm] && at+1 < len(all) {
			next, ok := valueOf(all[at+1].norm)
			if isJoint = ok && follows(current, next); isJoint {
				at++
			}
		}
		if between := strings.TrimSpace(text[all[at-1].end:all[at].start]); between != "" && between != "-" {
			break
		}
		value, ok := valueOf(all[at].norm)
		switch {
		case !ok || value == 0:
			at = len(all)
		case isMagnitude(value) && !isJoint && (current > 0 || total == 0):
			total, current, n.to = total+current*value, 0, at+1
		case value == 100 && current > 0 && current < 100 && !isJoint:
			current, n.to = current*value, at+1
		case value == 20 && current == 4, follows(current, value) && (current > 0 || total > 0):
			if value == 20 && current == 4 { // quatre-vingts
				current = 60
			}
			current, n.to = current+value, at+1
		default:
			at = len(all)
		}
	}
	n.value = strconv.FormatFloat(total+current, 'f', -1, 64)
}

// jointWords may stand within a number.
var jointWords = map[string]bool{"and": true, "und": true, "et": true, "y": true, "e": true, "en": true}

// valueOf returns the value of a word that is a number, or a magnitude in letters.
func valueOf(norm string) (float64, bool) {
	if magnitude := magnitudes[norm]; magnitude > 1 {
		return magnitude, true
	}
	value, err := strconv.ParseFloat(norm, 64)
	return value, err == nil
}

// isMagnitude reports whether a value multiplies all that stands before it.
func isMagnitude(value float64) bool { return value == 1e3 || value == 1e6 || value == 1e9 }

// follows reports whether a value may follow another within a number: 5 follows 20, and 10 follows 60 in
// French.
func follows(before, value float64) bool {
	switch {
	case value >= 100 || value != math.Trunc(value):
		return false
	case math.Mod(before, 100) == 0:
		return true
	case math.Mod(before, 20) == 0 && math.Mod(before, 100) >= 60:
		return value < 20
	}
	return math.Mod(before, 10) == 0 && math.Mod(before, 100) >= 20 && value < 10
}

// unitWithin is how many words may stand between a number and its unit, with the unit: "two full days".
const unitWithin = 2

// unitIn returns the unit of a number: a sign beside it, or one of the next words.
func (n *number) unitIn(text string, all []readWord, units quote.Units) string {
	before, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(text[:all[n.from].start]))
	after, _ := utf8.DecodeRuneInString(strings.TrimSpace(text[all[n.to-1].end:]))
	for _, sign := range []rune{before, after} {
		if name := units.Name(string(sign)); name != "" && !words.IsWordRune(sign) {
			return name
		}
	}
	for i := n.to; i < min(n.to+unitWithin, len(all)); i++ {
		if words.HasDigit(all[i].norm) || all[i].clause != all[n.from].clause {
			break
		}
		if name := units.Name(all[i].norm); name != "" {
			return name
		}
	}
	return ""
}

// isIncidental reports whether a number may be a word of another meaning: "one", "first".
func (n *number) isIncidental() bool { return n.isWord && (n.value == "1" || n.value == "1st") }
