package speaker

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/plain"
)

// SplitLabel splits "Name: text" at a colon that white space or the end of the line follows, or at a
// full-width colon. It returns false if the text before it cannot be a name. Whether it is one depends on the
// whole file, see labelCounts.
func SplitLabel(line string) (name, rest string, ok bool) {
	const fullWidthColon = "："
	head := line[:min(len(line), plain.MaxLabel)]
	if name, rest, ok := splitBracketedLabel(head, line); ok {
		return name, rest, ShapeOf(name) != NotName
	}
	i, size := strings.IndexByte(head, ':'), 1
	if j := strings.Index(head, fullWidthColon); j >= 0 && (i < 0 || j < i) {
		i, size = j, len(fullWidthColon)
	}
	if i <= 0 {
		return "", line, false
	}
	if size == 1 && unicode.IsLetter(rune(line[i-1])) {
		i += len(numberInLabel(line[i:])) // "Speaker:0: text"
	}
	rest = line[i+size:]
	if size == 1 && rest != "" {
		if r, _ := utf8.DecodeRuneInString(rest); !unicode.IsSpace(r) && !isSpacedBefore(line[:i], rest) {
			return "", line, false
		}
	}
	name = strings.TrimSpace(line[:i])
	if number, after, ok := cutRoleNumber(rest); ok && len(strings.Fields(name)) == 1 {
		name, rest = name+": "+number, after
	}
	name = TrimBrackets(TrimOrnaments(name))
	if LabelShapeOf(name) == NotName {
		return "", line, false
	}
	return name, rest, true
}

// isSpacedBefore reports whether the space of a label is before its colon: "N :Yes".
func isSpacedBefore(name, said string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	next, size := utf8.DecodeRuneInString(said)
	return strings.HasSuffix(name, " ") && unicode.IsUpper(first) && unicode.IsUpper(next) && len(said) > size+1
}

// numberInLabel returns the colon and the number at the start of s, if another colon follows.
func numberInLabel(s string) string {
	_, size := plain.ParseDigits(s[1:], 3)
	if size == 0 || size+1 >= len(s) || s[size+1] != ':' {
		return ""
	}
	return s[:size+1]
}

// splitBracketedLabel reads "[Name]: text", where the name may contain a colon.
func splitBracketedLabel(head, line string) (name, rest string, ok bool) {
	end := strings.Index(head, "]: ")
	if line == "" || line[0] != '[' || end < 0 || !isBalanced(line[:end+1]) {
		return "", "", false
	}
	return strings.TrimSpace(line[1:end]), line[end+2:], true
}

// cutRoleNumber reads the rest of a label in two parts, such as "Participant: P4: …".
func cutRoleNumber(rest string) (number, after string, ok bool) {
	number, _, ok = strings.Cut(strings.TrimLeft(rest[:min(len(rest), 8)], " "), ":")
	if !ok || !IsRoleNumber(number) {
		return "", "", false
	}
	after = rest[strings.Index(rest, number)+len(number)+1:]
	return number, after, after == "" || after[0] == ' '
}
