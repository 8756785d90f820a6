package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsWordRune reports whether r is part of a word: a letter, a mark or a number.
func IsWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isASCIIWordByte(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r)
}

func isASCIIWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func isASCIIDigit(r rune) bool { return '0' <= r && r <= '9' }

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

// IsApostrophe reports whether r is written as an apostrophe.
func IsApostrophe(r rune) bool {
	switch r {
	case '\'', '’', '‘', 'ʼ', '`', '´':
		return true
	}
	return false
}

// IsInvisible reports whether r is a soft hyphen, a zero-width character or a direction mark. The prompt
// drops them, and so do quotes.
func IsInvisible(r rune) bool { return r >= 0xAD && unicode.Is(unicode.Cf, r) }

// Tatweel stretches an Arabic word, and has no other meaning.
const Tatweel = 'ـ'

// IsUnspaced reports whether r belongs to a script without spaces between words.
func IsUnspaced(r rune) bool {
	return r > 0xE00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// IsUnspacedWord reports whether a token is a character of a script without spaces.
func IsUnspacedWord(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return IsUnspaced(r)
}

// hasOptionalMarks reports whether r belongs to a script whose marks are accents or vowel signs that writers
// leave out. In other scripts they are part of the letter.
func hasOptionalMarks(r rune) bool {
	return unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew)
}

// IsHangul reports whether a word has a letter of the Korean script.
func IsHangul(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Hangul, r) })
}

// HasDigit reports whether a word has a digit.
func HasDigit(word string) bool { return strings.ContainsFunc(word, unicode.IsDigit) }

// A Class is a kind of characters that tokenizers keep apart.
type Class uint8

// The classes.
const (
	Space Class = iota
	Letter
	Digit
	Unspaced // of a script without spaces
	Symbol
)

// asciiClasses are the classes of ASCII: prompts are long, and nearly all of them is ASCII.
var asciiClasses = func() (classes [utf8.RuneSelf]Class) {
	for r := range classes {
		classes[r] = classOf(rune(r))
	}
	return classes
}()

// ClassAt returns the class of the character at s[i:], and its size.
func ClassAt(s string, i int) (class Class, size int) {
	if c := s[i]; c < utf8.RuneSelf {
		return asciiClasses[c], 1
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	return classOf(r), size
}

func classOf(r rune) Class {
	switch {
	case unicode.IsSpace(r):
		return Space
	case IsUnspaced(r):
		return Unspaced
	case unicode.IsDigit(r):
		return Digit
	case IsWordRune(r):
		return Letter
	}
	return Symbol
}
