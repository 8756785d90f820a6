package mask

import (
	"embed"
	"strings"
	"unicode"
	"unicode/utf8"

	"research/internal/words"
)

//go:embed data/*.txt
var data embed.FS

var (
	unmaskedLabels    = words.Set(data, "unmasked-labels")
	unmaskedNameParts = words.Set(data, "unmasked-name-parts")
	wordsAndNames     = words.Set(data, "words-and-names")
)

// isWholeName reports whether a name at bytes [start, end) is not a part of a longer word. Korean particles
// follow without a space, and scripts without spaces have no boundaries.
func isWholeName(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	first, _ := utf8.DecodeRuneInString(text[start:])
	last, _ := utf8.DecodeLastRuneInString(text[:end])
	after, _ := utf8.DecodeRuneInString(text[end:])
	joinsBefore := start > 0 && words.IsWordRune(before) && !words.IsUnspaced(first)
	joinsAfter := end < len(text) && words.IsWordRune(after) &&
		!words.IsUnspaced(last) && !unicode.Is(unicode.Hangul, last)
	return !joinsBefore && !joinsAfter
}

// nameParts divides a name, without titles and particles.
func nameParts(speaker string) []string {
	var parts []string
	for _, part := range strings.FieldsFunc(speaker, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",()[]/", r)
	}) {
		if !unmaskedNameParts[words.Fold(strings.Trim(part, "."))] {
			parts = append(parts, strings.Trim(part, "."))
		}
	}
	return parts
}

// isTooShort reports whether a part of a name is an initial.
func isTooShort(part string) bool {
	n := utf8.RuneCountInString(part)
	return n < 2 || n < 3 && !words.IsUnspacedWord(part) && !words.IsHangul(part)
}

// isRole reports whether a label is not the name of a person: "Interviewer", "Speaker 1", "P4".
func isRole(label string) bool {
	for _, tok := range words.Tokenize(label) {
		if unmaskedLabels[tok.Norm] || words.HasDigit(tok.Norm) {
			return true
		}
	}
	return isTooShort(strings.TrimSpace(label))
}

// isWordAndName reports whether a name in lower case is a common word.
func isWordAndName(lower string) bool {
	return wordsAndNames[words.Fold(lower)] || words.IsCommon(words.Fold(lower))
}
