package plain

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// ParseEntity reads a character reference at the start of s. If there is none, it returns the ampersand.
func ParseEntity(s string) (text string, size int) {
	end := strings.IndexByte(s[:min(len(s), 32)], ';')
	if end < 2 {
		return "&", 1
	}
	text = html.UnescapeString(s[:end+1])
	if text == s[:end+1] || !utf8.ValidString(text) {
		return "&", 1
	}
	return text, end + 1
}

// UnescapeEntities replaces the character references in s.
func UnescapeEntities(s string) string {
	if !strings.Contains(s, "&") {
		return s
	}
	var out strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '&')
		if i < 0 {
			out.WriteString(s)
			break
		}
		out.WriteString(s[:i])
		text, size := ParseEntity(s[i:])
		out.WriteString(text)
		s = s[i+size:]
	}
	return out.String()
}
