package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A token is a word, a number, or a character of a script without spaces, in a form in which typography, case and accents do not matter. Of a
// contraction there are two, over the same bytes: "don't" is "do" and "not".
type token struct {
	norm       string
	start, end int // bytes of the text
}

// tokenize cuts a text into tokens. Punctuation and symbols are none. Tokens begin and end where characters, marks included, do.
func tokenize(s string) []token {
	tokens := make([]token, 0, len(s)/5+1)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case standsAlone(r):
			end := i + size
			for end < len(s) {
				mark, size := utf8.DecodeRuneInString(s[end:])
				if !unicode.Is(unicode.M, mark) {
					break
				}
				end += size
			}
			tokens = append(tokens, token{normalize(s[i:end]), i, end})
			i = end
		case isWordRune(r):
			end := wordEnd(s, i)
			n := normalize(s[i:end])
			if elided := elision(s[i:end]); elided > 0 {
				tokens = append(tokens, token{normalize(s[i : i+elided]), i, i + elided})
				i += elided
				continue
			}
			if parts, is := contractions[n]; is {
				tokens = append(tokens, token{parts[0], i, end}, token{parts[1], i, end})
			} else if n != "" {
				tokens = append(tokens, token{n, i, end})
			}
			i = end
		default:
			i += size
		}
	}
	return tokens
}

// elision is the length of l', d', n', qu' and the like at the beginning of a word, apostrophe included; 0 where there is none.
func elision(word string) int {
	at := 1
	switch word[0] | 0x20 {
	case 'q', 'k':
		if len(word) > 1 && word[1]|0x20 == 'u' {
			at = 2
		}
	case 'l', 'd', 'n', 'j', 'c', 's', 'm', 't':
	default:
		return 0
	}
	r, size := utf8.DecodeRuneInString(word[at:])
	if !isApostrophe(r) || utf8.RuneCountInString(word[at+size:]) < 2 {
		return 0
	}
	return at + size
}

// wordEnd goes on over letters, digits, marks and characters that do not show, over an apostrophe between letters, and over a point or comma between
// digits.
func wordEnd(s string, i int) int {
	var before rune
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if standsAlone(r) {
			return i
		}
		if !isWordRune(r) {
			next := i + size
			after, _ := utf8.DecodeRuneInString(s[next:])
			joins := (isApostrophe(r) || isInvisible(r)) && unicode.IsLetter(before) && unicode.IsLetter(after) ||
				(r == '.' || r == ',') && unicode.IsDigit(before) && unicode.IsDigit(after)
			if !joins || standsAlone(after) {
				return i
			}
			i = next
			continue
		}
		before = r
		i += size
	}
	return i
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

// isInvisible tells soft hyphens, zero-width characters and direction marks: the prompt is without them, and so are quotes.
func isInvisible(r rune) bool { return r >= 0xAD && unicode.Is(unicode.Cf, r) }

// standsAlone tells scripts that put no spaces between words.
func standsAlone(r rune) bool {
	return r > 0xE00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// hasAccents tells scripts in which marks are accents or vowel signs that are often left out; in others they are part of the letter.
func hasAccents(r rune) bool {
	return unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew)
}

// normalize folds compatibility forms, case, accents, apostrophes, digits of all scripts and separators of thousands, and writes number words as digits.
func normalize(s string) string {
	out := s
	if !isPlain(s) {
		out = fold(s)
	}
	if digit, ok := numberWords[out]; ok {
		return digit
	}
	return out
}

// isPlain tells words that fold to themselves.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

func fold(s string) string {
	var b strings.Builder
	var base rune
	separators := 0
	for _, r := range norm.NFKD.String(s) {
		switch {
		case isApostrophe(r), isInvisible(r), r == 'ـ': // Arabic tatweel only stretches
			continue
		case unicode.Is(unicode.M, r):
			if hasAccents(base) {
				continue
			}
		case unicode.IsDigit(r):
			r = asciiDigit(r)
		case r == '.' || r == ',' || r == '٬' || r == '٫':
			r = '.'
			separators++
		default:
			switch r = unicode.ToLower(r); r {
			case 'ß':
				b.WriteByte('s')
				r = 's'
			case 'æ':
				b.WriteByte('a')
				r = 'e'
			case 'œ':
				b.WriteByte('o')
				r = 'e'
			case 'ø':
				r = 'o'
			case 'ς':
				r = 'σ'
			case 'ى':
				r = 'ي'
			case 'ة':
				r = 'ه'
			}
			base = r
		}
		b.WriteRune(r)
	}
	if separators == 0 {
		return b.String()
	}
	return withoutThousands(b.String())
}

// withoutThousands makes 1500 of 1.500 and of 1,500: a point before exactly three digits is taken for a separator on both sides.
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

// asciiDigit is the digit in 0 to 9: every script has its ten digits one after the other.
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
