package craft

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A token is a word, or a character of a script without spaces.
type token struct {
	exact  string // in lower case
	folded string // without accents, too
	start  int    // bytes of the sentence
	begins bool   // a clause, behind a comma or a dash

	unspaced bool // of a script without spaces
}

// tokenize returns the words of a text. Where a language elides, an apostrophe divides words.
func tokenize(text string, elides bool) []token {
	tokens := make([]token, 0, len(text)/5+1)
	start, begins := -1, true
	add := func(end int, unspaced bool) {
		if start >= 0 {
			exact, folded := fold(text[start:end])
			if folded != "" { // marks alone are no word
				tokens = append(tokens, token{exact, folded, start, begins, unspaced})
				begins = false
			}
			start = -1
		}
	}
	for i, r := range text {
		switch {
		case isUnspaced(r):
			add(i, false)
			start = i
			add(i+utf8.RuneLen(r), true)
		case isWordRune(r):
			if start < 0 {
				start = i
			}
		case isApostrophe(r):
			if elides {
				add(i, false)
			}
		default:
			add(i, false)
			begins = begins || isClauseMark(r)
		}
	}
	add(len(text), false)
	return tokens
}

func isWordRune(r rune) bool {
	return r < utf8.RuneSelf && ('a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9') ||
		r >= utf8.RuneSelf && r != utf8.RuneError &&
			(unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r))
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == '‘' || r == 'ʼ' }

func isClauseMark(r rune) bool { return strings.ContainsRune(",;:–—…，、；：¿.!?。", r) }

func isUnspaced(r rune) bool {
	return r > 0xE00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// letters are those that Unicode does not decompose.
var letters = strings.NewReplacer("ß", "ss", "ł", "l", "ø", "o", "æ", "ae", "œ", "oe")

// fold returns a word in lower case, and the same without apostrophes and accents.
func fold(word string) (exact, folded string) {
	if isASCII(word) {
		exact = strings.ToLower(word)
		return exact, strings.ReplaceAll(exact, "'", "")
	}
	exact = strings.Map(func(r rune) rune {
		if isApostrophe(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(word))
	var b strings.Builder
	spaced := true
	for _, r := range norm.NFD.String(exact) {
		if !unicode.Is(unicode.M, r) {
			spaced = unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek)
		} else if spaced {
			continue
		}
		b.WriteRune(r)
	}
	return exact, letters.Replace(norm.NFC.String(b.String()))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// cut returns at most size bytes of a text, whole characters.
func cut(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}
