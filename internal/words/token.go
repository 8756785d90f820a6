package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Token is a word, a number, or a character of a script without spaces, normalized so that typography, case
// and accents do not matter. A contraction is two tokens over the same bytes: "don't" is "do" and "not".
type Token struct {
	Norm       string
	Start, End int // bytes of the text
}

// Tokenize divides a text into tokens. Punctuation and symbols are dropped. Tokens begin and end on
// characters, combining marks included.
func Tokenize(s string) []Token {
	tokens := make([]Token, 0, len(s)/5+1)
	for start, end := NextSpelling(s, 0); start < end; start, end = NextSpelling(s, end) {
		first, second := Of(s[start:end])
		if first != "" {
			tokens = append(tokens, Token{first, start, end})
		}
		if second != "" {
			tokens = append(tokens, Token{second, start, end})
		}
	}
	return tokens
}

// NextSpelling returns the first spelling of s[from:], as s[start:end]: a word, an elided article or pronoun,
// or a character of a script without spaces. The result is empty if there is none.
func NextSpelling(s string, from int) (start, end int) {
	for i := from; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case IsUnspaced(r):
			return i, skipMarks(s, i+size)
		case IsWordRune(r):
			end := End(s, i)
			if elided := elisionSize(s[i:end]); elided > 0 {
				end = i + elided
			}
			return i, end
		}
		i += size
	}
	return len(s), len(s)
}

// Of returns the normalized word of a spelling, or the two of a contraction. A spelling of invisible
// characters and marks has none.
func Of(spelling string) (first, second string) {
	word := Normalize(spelling)
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
	if !IsApostrophe(r) || utf8.RuneCountInString(word[letters+size:]) < 2 {
		return 0
	}
	return letters + size
}

// End returns the end of the word that begins at i. A word contains letters, digits, marks and invisible
// characters, an apostrophe between letters, and a point or comma between digits.
func End(s string, i int) int {
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
		if IsUnspaced(r) {
			return i
		}
		if IsWordRune(r) {
			before = r
			i += size
			continue
		}
		after, _ := utf8.DecodeRuneInString(s[i+size:])
		if !joins(before, r, after) && !separatesThousands(s[start:i], r, s[i+size:]) || IsUnspaced(after) {
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
	case IsApostrophe(r), IsInvisible(r):
		return unicode.IsLetter(before) && unicode.IsLetter(after)
	case r == '.', r == ',':
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	}
	return false
}

// separatesThousands reports whether r stands between the groups of a number: "1 200", "1'200".
func separatesThousands(before string, r rune, after string) bool {
	if !unicode.IsSpace(r) && !IsApostrophe(r) || r == '\n' {
		return false
	}
	group := before[strings.LastIndexFunc(before, func(r rune) bool { return !isASCIIDigit(r) })+1:]
	if group == "" || len(group) > 3 || len(group) < len(before) && len(group) != 3 {
		return false
	}
	digits := strings.IndexFunc(after, func(r rune) bool { return !isASCIIDigit(r) })
	return digits == 3 || digits < 0 && len(after) == 3
}

// Normalize folds a word, and writes number words as digits.
func Normalize(s string) string {
	var word string
	if isASCIIWord(s) {
		word = strings.ToLower(s) // s itself if nothing changes
	} else {
		word = Fold(s)
	}
	if number, ok := numberWords[word]; ok {
		return number
	}
	if number := numeral(word); number != "" {
		return number
	}
	return word
}
