package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CountWords counts the words of a text: letters, digits and signs between spaces. In scripts without spaces,
// two characters are about a word.
func CountWords(text string) float64 {
	words := 0.0
	inWord := false
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			words += 0.5
			inWord = false
		case unicode.IsSpace(r):
			inWord = false
		case !inWord && (unicode.IsLetter(r) || unicode.IsNumber(r)):
			words++
			inWord = true
		}
	}
	return words
}

// IsUncased reports whether a name is in a script without capitals.
func IsUncased(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return unicode.Is(unicode.Lo, first)
}

// IsNotLetter reports whether r is neither a letter nor a mark on one.
func IsNotLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }

// IsAllCaps reports whether a name has letters with case, all of them capitals.
func IsAllCaps(name string) bool {
	return name == strings.ToUpper(name) && name != strings.ToLower(name)
}

// StartsWithCapital reports whether the first rune of s is a capital.
func StartsWithCapital(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(first)
}

// EndsSentence reports whether a line ends with the mark of a sentence, before any closing quotes.
func EndsSentence(line string) bool {
	line = strings.TrimRight(line, "\"”“»)’ ")
	r, _ := utf8.DecodeLastRuneInString(line)
	return strings.ContainsRune(".?!…。？！", r)
}

// HasAnySuffix reports whether s ends with one of the suffixes.
func HasAnySuffix(s string, suffixes ...string) bool {
	for _, suffix := range suffixes {
		if strings.HasSuffix(s, suffix) {
			return true
		}
	}
	return false
}

// ParseDigits reads at most limit decimal digits at the start of s and returns their number and count. If
// there are more, the count is 0.
func ParseDigits(s string, limit int) (n, size int) {
	for size < len(s) && IsDigit(s[size]) {
		if size == limit {
			return 0, 0
		}
		n = n*10 + int(s[size]-'0')
		size++
	}
	return n, size
}

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// HasAnyPrefix reports whether s begins with one of the prefixes.
func HasAnyPrefix(s string, prefixes ...string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}
