package plain

import "strings"

// DialogueMark returns the size of the dash or chevrons at the start of a line, with white space.
func DialogueMark(line string) int {
	rest := strings.TrimLeft(line, " \t")
	if strings.HasPrefix(rest, ">>") {
		rest = strings.TrimLeft(rest, ">")
	} else {
		rest, _ = CutDash(rest)
	}
	return len(line) - len(strings.TrimLeft(rest, " \t"))
}

// CutDash returns s without the dash or bullet at its start, and whether there was one.
func CutDash(s string) (string, bool) {
	for _, dash := range []string{"- ", "– ", "— ", "* ", "• "} {
		if rest, ok := strings.CutPrefix(s, dash); ok {
			return rest, true
		}
	}
	return s, false
}

// DirectionMarks are invisible characters that chats and texts in Hebrew or Arabic have around their lines.
const DirectionMarks = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"

// invisible removes spaces without width, and the marks of direction behind labels.
var invisible = strings.NewReplacer("\u200b", "", "\u2060", "", ":\u200f ", ": ", ":\u200e ", ": ")

// TrimMarks removes spaces without width, and the marks of direction at the starts and ends of lines and in
// labels, where WhatsApp has them around phone numbers.
func TrimMarks(text string) string {
	if !strings.ContainsAny(text, DirectionMarks+"\u200b\u2060") {
		return text
	}
	text = invisible.Replace(text)
	var out strings.Builder
	out.Grow(len(text))
	for line := range strings.SplitAfterSeq(text, "\n") {
		trimmed, end := strings.CutSuffix(line, "\n")
		trimmed = strings.Trim(trimmed, DirectionMarks)
		if label, rest, ok := strings.Cut(trimmed, ": "); ok && len(label) <= MaxLabel {
			trimmed = WithoutMarks(label) + ": " + strings.TrimLeft(rest, DirectionMarks)
		}
		out.WriteString(trimmed)
		if end {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// WithoutMarks returns s without the DirectionMarks.
func WithoutMarks(s string) string {
	if !strings.ContainsAny(s, DirectionMarks) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(DirectionMarks, r) {
			return -1
		}
		return r
	}, s)
}
