package words

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold removes differences of compatibility forms, case, accents, apostrophes, and thousands separators, and
// writes the digits of all scripts in ASCII.
func Fold(s string) string {
	var b strings.Builder
	var base rune // the last letter, which a mark belongs to
	separators := 0
	for _, r := range norm.NFKD.String(s) {
		switch {
		case IsApostrophe(r), IsInvisible(r), unicode.IsSpace(r), r == Tatweel:
		case unicode.Is(unicode.M, r):
			if !hasOptionalMarks(base) {
				b.WriteRune(r)
			}
		case unicode.IsDigit(r):
			b.WriteRune(asciiDigit(r))
		case r == '.', r == ',', r == '٬', r == '٫':
			b.WriteByte('.')
			separators++
		default:
			base = unicode.ToLower(r)
			if folded, ok := foldedLetters[base]; ok {
				b.WriteString(folded)
			} else {
				b.WriteRune(base)
			}
		}
	}
	if separators == 0 {
		return b.String()
	}
	return withoutThousands(b.String())
}

// foldedLetters are letters that Unicode does not decompose, or that writers confuse.
var foldedLetters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o",
	'ς': "σ",
	'ى': "ي", 'ة': "ه",
}

// withoutThousands turns 1.500 into 1500: a point before exactly three digits is taken for a thousands
// separator.
func withoutThousands(s string) string {
	parts := strings.Split(s, ".")
	out := parts[0]
	for _, p := range parts[1:] {
		if len(p) != 3 {
			out += "."
		}
		out += p
	}
	return out
}

// isASCIIWord reports whether nothing of a word is folded but its case.
func isASCIIWord(s string) bool {
	for i := range len(s) {
		if !isASCIIWordByte(s[i]) {
			return false
		}
	}
	return true
}
