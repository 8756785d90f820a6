package transcript

import (
	"strings"
	"unicode/utf8"
)

// A lineReader reads the lines of a text whose line breaks are all "\n".
type lineReader struct {
	text string
	pos  int // where the next line starts
}

// next returns a line without its break, and where it starts.
func (r *lineReader) next() (line string, start int, ok bool) {
	if r.pos >= len(r.text) {
		return "", r.pos, false
	}
	start = r.pos
	if i := strings.IndexByte(r.text[start:], '\n'); i >= 0 {
		r.pos = start + i + 1
		return r.text[start : start+i], start, true
	}
	r.pos = len(r.text)
	return r.text[start:], start, true
}

// rewriteLines returns a text with a function applied to each line. Each line ends with a line break, the last one
// too.
func rewriteLines(text string, rewrite func(line string) string) string {
	var out strings.Builder
	out.Grow(len(text) + len(text)/16)
	for line := range strings.SplitSeq(text, "\n") {
		out.WriteString(rewrite(line))
		out.WriteByte('\n')
	}
	return out.String()
}

// emptyLines returns the lines as a text in which those with the given indexes are empty.
func emptyLines(lines []string, indexes []int) string {
	for _, i := range indexes {
		lines[i] = ""
	}
	return strings.Join(lines, "\n")
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// isLineBreak reports whether Unicode calls r a mandatory line break.
func isLineBreak(r rune) bool {
	switch r {
	case '\n', '\v', '\f', '\r', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// unifyLineBreaks replaces all line breaks by "\n".
func unifyLineBreaks(text string) string {
	text = strings.TrimPrefix(text, byteOrderMark)
	if !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && isLineBreak(r) }) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	from := 0
	for i, r := range text {
		if r == '\n' || !isLineBreak(r) {
			continue
		}
		out.WriteString(text[from:i])
		from = i + utf8.RuneLen(r)
		if r != '\r' || from >= len(text) || text[from] != '\n' {
			out.WriteByte('\n')
		}
	}
	out.WriteString(text[from:])
	return out.String()
}

// countParagraphs counts the blocks between blank lines, or the lines of a text without blank ones.
func countParagraphs(text string) int {
	blocks, lines := countBlocks(text)
	if blocks < 2 {
		return lines
	}
	return blocks
}

// countBlocks counts the blocks between blank lines, and the lines that are not blank.
func countBlocks(text string) (blocks, lines int) {
	afterBlank := true
	for line := range strings.SplitSeq(text, "\n") {
		if isBlank(line) {
			afterBlank = true
			continue
		}
		lines++
		if afterBlank {
			blocks++
		}
		afterBlank = false
	}
	return blocks, lines
}

const byteOrderMark = "\uFEFF"
