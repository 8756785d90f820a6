package transcript

import (
	"strings"

	"research/transcript/internal/plain"
)

// minSpacedCues is how many cues a text has, at least, if its blank lines are those of paragraphs.
const minSpacedCues = 3

// closeUpCaptions removes the blank lines between all lines of captions that were pasted into a document,
// where each line is a paragraph. It returns false for a text with lines that follow each other.
func closeUpCaptions(text string) (closed string, ok bool) {
	var lines []string
	cues, adjacent, blank := 0, 0, true
	for line := range strings.SplitSeq(text, "\n") {
		if plain.IsBlank(line) {
			blank = true
			continue
		}
		if !blank {
			adjacent++
		}
		blank = false
		if _, _, ok := srtTiming(line); ok {
			cues++
		}
		lines = append(lines, line)
	}
	if cues < minSpacedCues || adjacent*20 > len(lines) {
		return text, false
	}
	isTiming := func(i int) bool {
		if i >= len(lines) {
			return false
		}
		_, _, ok := srtTiming(lines[i])
		return ok
	}
	var out strings.Builder
	for i, line := range lines {
		_, size := plain.ParseDigits(strings.TrimSpace(line), 9)
		isNumber := size > 0 && size == len(strings.TrimSpace(line))
		numberAbove := i > 0 && isTiming(i) && strings.Trim(lines[i-1], " 0123456789") == ""
		if isNumber && isTiming(i+1) || isTiming(i) && !numberAbove {
			out.WriteByte('\n')
		}
		out.WriteString(line + "\n")
	}
	return out.String(), true
}
