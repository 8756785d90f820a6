// Package plain reads plain text: its lines, paragraphs, words, sentences and numbers, and the marks at the
// starts of lines.
//
// It knows no names, no times and no formats, and is bounded by limits on hostile files.
package plain

import (
	"strings"
	"unicode/utf8"
)

// A Lines reads the lines of a text whose line breaks are all "\n".
type Lines struct {
	Text string
	Pos  int // where the next line starts
}

// Next returns a line without its break, and where it starts.
func (r *Lines) Next() (line string, start int, ok bool) {
	if r.Pos >= len(r.Text) {
		return "", r.Pos, false
	}
	start = r.Pos
	if i := strings.IndexByte(r.Text[start:], '\n'); i >= 0 {
		r.Pos = start + i + 1
		return r.Text[start : start+i], start, true
	}
	r.Pos = len(r.Text)
	return r.Text[start:], start, true
}

// RewriteLines returns a text with a function applied to each line. Each line ends with a line break, the
// last one too.
func RewriteLines(text string, rewrite func(line string) string) string {
	var out strings.Builder
	out.Grow(len(text) + len(text)/16)
	for line := range strings.SplitSeq(text, "\n") {
		out.WriteString(rewrite(line))
		out.WriteByte('\n')
	}
	return out.String()
}

// EmptyLines returns the lines as a text in which those with the given indexes are empty.
func EmptyLines(lines []string, indexes []int) string {
	for _, i := range indexes {
		lines[i] = ""
	}
	return strings.Join(lines, "\n")
}

// IsBlank reports whether s consists of white space.
func IsBlank(s string) bool { return strings.TrimSpace(s) == "" }

// IsLineBreak reports whether Unicode calls r a mandatory line break.
func IsLineBreak(r rune) bool {
	switch r {
	case '\n', '\v', '\f', '\r', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// UnifyLineBreaks replaces all line breaks by "\n".
func UnifyLineBreaks(text string) string {
	text = strings.TrimPrefix(text, ByteOrderMark)
	if !strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && IsLineBreak(r) }) {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	from := 0
	for i, r := range text {
		if r == '\n' || !IsLineBreak(r) {
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

// CountParagraphs counts the blocks between blank lines, or the lines of a text without blank ones.
func CountParagraphs(text string) int {
	blocks, lines := CountBlocks(text)
	if blocks < 2 {
		return lines
	}
	return blocks
}

// CountBlocks counts the blocks between blank lines, and the lines that are not blank.
func CountBlocks(text string) (blocks, lines int) {
	afterBlank := true
	for line := range strings.SplitSeq(text, "\n") {
		if IsBlank(line) {
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

// ByteOrderMark is what some programs write before the text of a file.
const ByteOrderMark = "\uFEFF"
