package identity

import "unicode"

// isControl reports whether a character could begin another line, or disguise the text around a name.
func isControl(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}
