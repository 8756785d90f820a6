package plain

import (
	"strings"
	"unicode/utf8"
)

// Bounds on the length of lines, in characters, that are taken for parts of paragraphs.
const (
	minWrapWidth = 30
	maxWrapWidth = 120
)

// WrapWidth returns the width at which the paragraphs of a text are broken into lines, or 0.
func WrapWidth(text string) int {
	lengths := make([]int, maxWrapWidth+1)
	lines := 0
	for line := range strings.SplitSeq(text, "\n") {
		if IsBlank(line) {
			continue
		}
		length := utf8.RuneCountInString(line)
		if length > maxWrapWidth {
			return 0
		}
		lines++
		lengths[length]++
	}
	width, full := 0, 0
	for length, n := range lengths {
		if n > 0 {
			width = length
		}
	}
	for _, n := range lengths[width*4/5:] {
		full += n
	}
	if width < minWrapWidth || full < 5 || full*4 < lines {
		return 0
	}
	return width
}
