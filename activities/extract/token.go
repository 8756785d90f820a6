package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A token is a word, a number, or a character of a script without spaces, normalized so that typography, case
// and accents do not matter. A contraction is two tokens over the same bytes: "don't" is "do" and "not".
type token struct {
	norm       string
	start, end int // bytes of the text
}

// tokenize divides a text into tokens. Punctuation and symbols are dropped. Tokens begin and end on
// characters, combining marks included.
func tokenize(s string) []token {
	tokens := make([]token, 0, len(s)/5+1)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case isUnspaced(r):
			end := skipMarks(s, i+size)
			tokens = append(tokens, token{normalize(s[i:end]), i, end})
			i = end
		case isWordRune(r):
			end := wordEnd(s, i)
			if elided := elisionSize(s[i:end]); elided > 0 {
				tokens = append(tokens, token{normalize(s[i : i+elided]), i, i + elided})
				i += elided
				continue
			}
			word := normalize(s[i:end])
			if parts, ok := contractions[word]; ok {
				tokens = append(tokens, token{parts[0], i, end}, token{parts[1], i, end})
			} else if word != "" {
				tokens = append(tokens, token{word, i, end})
			}
			i = end
		default:
			i += size
		}
	}
	return tokens
}

// skipMarks returns the end of the combining marks that begin at i.
func skipMarks(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.Is(unicode.M, r) {
			break
		}
		i += size
	}
	return i
}

// elisionSize returns the size of l', d', n', qu' and the like at the beginning of a word, with the
// apostrophe, or 0.
func elisionSize(word string) int {
	letters := 1
	switch word[0] | 0x20 { // ASCII lower case
	case 'q', 'k':
		if len(word) > 1 && word[1]|0x20 == 'u' {
			letters = 2
		}
	case 'l', 'd', 'n', 'j', 'c', 's', 'm', 't':
	default:
		return 0
	}
	r, size := utf8.DecodeRuneInString(word[letters:])
	if !isApostrophe(r) || utf8.RuneCountInString(word[letters+size:]) < 2 {
		return 0
	}
	return letters + size
}

// wordEnd returns the end of the word that begins at i. A word contains letters, digits, marks and invisible
// characters, an apostrophe between letters, and a point or comma between digits.
func wordEnd(s string, i int) int {
	var before rune
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if isUnspaced(r) {
			return i
		}
		if isWordRune(r) {
			before = r
			i += size
			continue
		}
		after, _ := utf8.DecodeRuneInString(s[i+size:])
		if !joins(before, r, after) || isUnspaced(after) {
			return i
		}
		i += size
	}
	return i
}

// joins reports whether r does not end a word between two runes.
func joins(before, r, after rune) bool {
	switch {
	case isApostrophe(r), isInvisible(r):
		return unicode.IsLetter(before) && unicode.IsLetter(after)
	case r == '.', r == ',':
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	}
	return false
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

func isApostrophe(r rune) bool {
	switch r {
	case '\'', '’', '‘', 'ʼ', '`', '´':
		return true
	}
	return false
}

// isInvisible reports whether r is a soft hyphen, a zero-width character or a direction mark. The prompt
// drops them, and so do quotes.
func isInvisible(r rune) bool { return r >= 0xAD && unicode.Is(unicode.Cf, r) }

// isUnspaced reports whether r belongs to a script without spaces between words.
func isUnspaced(r rune) bool {
	return r > 0xE00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// isUnspacedWord reports whether a token is a character of a script without spaces.
func isUnspacedWord(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return isUnspaced(r)
}

// hasOptionalMarks reports whether r belongs to a script whose marks are accents or vowel signs that writers
// leave out. In other scripts they are part of the letter.
func hasOptionalMarks(r rune) bool {
	return unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew)
}

// normalize folds a word, and writes number words as digits.
func normalize(s string) string {
	word := s
	if !isLowerASCII(s) {
		word = fold(s)
	}
	if number, ok := numberWords[word]; ok {
		return number
	}
	return word
}

// isLowerASCII reports whether a word folds to itself.
func isLowerASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// foldedLetters are letters that Unicode does not decompose, or that writers confuse.
var foldedLetters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o",
	'ς': "σ",
	'ى': "ي", 'ة': "ه",
}

const arabicTatweel = 'ـ' // only stretches a word

// fold removes differences of compatibility forms, case, accents, apostrophes, and thousands separators, and
// writes the digits of all scripts in ASCII.
func fold(s string) string {
	var b strings.Builder
	var base rune // the last letter, which a mark belongs to
	separators := 0
	for _, r := range norm.NFKD.String(s) {
		switch {
		case isApostrophe(r), isInvisible(r), r == arabicTatweel:
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

// asciiDigit returns the digit '0' to '9'. Every script has its ten digits in sequence.
func asciiDigit(r rune) rune {
	if r < utf8.RuneSelf {
		return r
	}
	for _, table := range unicode.Nd.R16 {
		if r >= rune(table.Lo) && r <= rune(table.Hi) {
			return '0' + (r-rune(table.Lo))%10
		}
	}
	for _, table := range unicode.Nd.R32 {
		if r >= rune(table.Lo) && r <= rune(table.Hi) {
			return '0' + (r-rune(table.Lo))%10
		}
	}
	return r
}
