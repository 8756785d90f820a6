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
	for start, end := nextSpelling(s, 0); start < end; start, end = nextSpelling(s, end) {
		first, second := wordsOf(s[start:end])
		if first != "" {
			tokens = append(tokens, token{first, start, end})
		}
		if second != "" {
			tokens = append(tokens, token{second, start, end})
		}
	}
	return tokens
}

// nextSpelling returns the first spelling of s[from:], as s[start:end]: a word, an elided article or pronoun, or a
// character of a script without spaces. The result is empty if there is none.
func nextSpelling(s string, from int) (start, end int) {
	for i := from; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case isUnspaced(r):
			return i, skipMarks(s, i+size)
		case isWordRune(r):
			end := wordEnd(s, i)
			if elided := elisionSize(s[i:end]); elided > 0 {
				end = i + elided
			}
			return i, end
		}
		i += size
	}
	return len(s), len(s)
}

// wordsOf returns the normalized word of a spelling, or the two of a contraction. A spelling of invisible characters
// and marks has none.
func wordsOf(spelling string) (first, second string) {
	word := normalize(spelling)
	if parts, ok := contractions[word]; ok {
		return parts[0], parts[1]
	}
	return word, ""
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
	start := i
	var before rune
	for i < len(s) {
		if c := s[i]; isASCIIWordByte(c) { // nearly all of them are
			before = rune(c)
			i++
			continue
		} else if c < utf8.RuneSelf && endsWord(c, before) {
			return i
		}
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
		if !joins(before, r, after) && !separatesThousands(s[start:i], r, s[i+size:]) || isUnspaced(after) {
			return i
		}
		i += size
	}
	return i
}

// endsWord reports whether an ASCII character that is not part of a word ends one, whatever follows.
func endsWord(c byte, before rune) bool {
	switch c {
	case '\'', '`':
		return false
	case '.', ',', ' ', '\t', '\v', '\f', '\r': // they may stand within a number
		return !unicode.IsDigit(before)
	}
	return true
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

// separatesThousands reports whether r stands between the groups of a number: "1 200", "1'200".
func separatesThousands(before string, r rune, after string) bool {
	if !unicode.IsSpace(r) && !isApostrophe(r) || r == '\n' {
		return false
	}
	group := before[strings.LastIndexFunc(before, func(r rune) bool { return !isASCIIDigit(r) })+1:]
	if group == "" || len(group) > 3 || len(group) < len(before) && len(group) != 3 {
		return false
	}
	digits := strings.IndexFunc(after, func(r rune) bool { return !isASCIIDigit(r) })
	return digits == 3 || digits < 0 && len(after) == 3
}

func isASCIIDigit(r rune) bool { return '0' <= r && r <= '9' }

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isASCIIWordByte(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r)
}

func isASCIIWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
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
	var word string
	if isASCIIWord(s) {
		word = strings.ToLower(s) // s itself if nothing changes
	} else {
		word = fold(s)
	}
	if number, ok := numberWords[word]; ok {
		return number
	}
	return word
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
		case isApostrophe(r), isInvisible(r), unicode.IsSpace(r), r == arabicTatweel:
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
