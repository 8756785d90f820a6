package clock

import (
	"strings"

	"research/transcript/internal/lexicon"
	"research/transcript/internal/plain"
)

var months = lexicon.Map("months")

// dayWords stand before a time of day, as in "Today at 10:02 AM".
var dayWords = lexicon.List("day-words")

// parseNamedDate reads a date with the name of its month, and what separates it from the time: "Mar 05, 2024
// ", "5 March 2024 at ", "5. März 2024, ", "05-Mar-24 ".
func parseNamedDate(s string) (date [3]int, kind dateKind, rest string) {
	rest = s
	for range 3 {
		end := strings.IndexAny(rest, " ,.-")
		if end <= 0 || end > 12 {
			return date, NoDate, s
		}
		word := strings.ToLower(rest[:end])
		n, size := plain.ParseDigits(word, 4)
		switch month := months[word]; {
		case month != "" && date[1] == 0:
			date[1], _ = plain.ParseDigits(month, 2)
		case size == 4 && len(word) == 4:
			date[0] = n
		case size == 2 && len(word) == 2 && date[1] != 0 && date[2] != 0:
			date[0] = 2000 + n
		case size > 0 && size < 3 && strings.Trim(word[size:], "stndrh") == "" && n <= 31:
			date[2] = n
		default:
			return date, NoDate, s
		}
		rest = strings.TrimLeft(rest[end:], " ,.-")
	}
	if date[0] == 0 || date[1] == 0 || date[2] == 0 {
		return date, NoDate, s
	}
	for _, word := range []string{"at ", "um ", "à ", "a las "} {
		rest = strings.TrimPrefix(rest, word)
	}
	return date, YearFirst, rest
}

// stripDayWords removes "Today at" before a time of day, and the like.
func stripDayWords(line string) string {
	for _, word := range dayWords {
		if i := strings.Index(line, word+" "); i >= 0 && i < plain.MaxLabel {
			rest := strings.TrimLeft(line[i+len(word):], " ")
			if rest != "" && plain.IsDigit(rest[0]) {
				return line[:i] + rest
			}
		}
	}
	return line
}

// StripDayWords removes the words before the times of day of chats, if there are several.
func StripDayWords(text string) string {
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		if stripDayWords(line) != line {
			n++
		}
	}
	if n < 2 {
		return text
	}
	return plain.RewriteLines(text, stripDayWords)
}
