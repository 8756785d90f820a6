package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/plain"
)

// cleanText trims s, replaces each run of white space that contains a line break by one space, and drops NUL,
// which PostgreSQL cannot store. Everything else is unchanged.
func cleanText(s string) string {
	s = strings.TrimSpace(s)
	if !strings.ContainsFunc(s, func(r rune) bool { return r == 0 || plain.IsLineBreak(r) }) {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == 0:
			i += size
		case unicode.IsSpace(r):
			end, broken := spaceEnd(s, i)
			if broken {
				out.WriteByte(' ')
			} else {
				out.WriteString(strings.ReplaceAll(s[i:end], "\x00", ""))
			}
			i = end
		default:
			out.WriteString(s[i : i+size])
			i += size
		}
	}
	return strings.TrimSpace(out.String())
}

// spaceEnd returns the end of the white space that begins at i, and whether it contains a line break.
func spaceEnd(s string, i int) (end int, broken bool) {
	for end = i; end < len(s); {
		r, size := utf8.DecodeRuneInString(s[end:])
		if r != 0 && !unicode.IsSpace(r) {
			break
		}
		broken = broken || plain.IsLineBreak(r)
		end += size
	}
	return end, broken
}

// maxName is the size of the longest speaker's name, in bytes.
const maxName = 200

// cleanName puts a name on one line with single spaces.
func cleanName(s string) string {
	isSeparator := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	s = strings.Join(strings.FieldsFunc(s, isSeparator), " ")
	s = strings.TrimRight(s, ",;:—– ")
	if len(s) > maxName {
		cut := maxName
		for !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = strings.TrimSpace(s[:cut])
	}
	return s
}
