package imports

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A naming finds words in texts as whole words. Case, accents and what is between them do not matter. In
// scripts without spaces they are found within longer words too.
type naming struct {
	words    []string // folded
	unspaced bool
}

// newNaming returns the naming of the words of a text. It has none if there are no letters or digits.
func newNaming(text string) naming {
	n := naming{unspaced: strings.ContainsFunc(text, isUnspaced)}
	for _, w := range spelledWords(text) {
		n.words = append(n.words, w.folded)
	}
	return n
}

// A spelled word is a run of letters, digits and marks at its place in a text.
type spelled struct {
	folded     string
	start, end int
}

func spelledWords(s string) (all []spelled) {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !isWordRune(r) {
			i += size
			continue
		}
		end := strings.IndexFunc(s[i:], func(r rune) bool { return !isWordRune(r) })
		if end < 0 {
			end = len(s) - i
		}
		all = append(all, spelled{foldWord(s[i : i+end]), i, i + end})
		i += end
	}
	return all
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Thai, unicode.Lao, unicode.Myanmar, unicode.Khmer, unicode.Hiragana,
		unicode.Katakana, unicode.Han)
}

var likeLetters = strings.NewReplacer("ø", "o", "ł", "l", "đ", "d", "ı", "i", "ς", "σ", "ß", "ss")

// foldWord returns a word in lower case and without accents, as the search of the database does.
func foldWord(s string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(s))
	return likeLetters.Replace(strings.ToLower(plain))
}

// find returns the ranges of a text that name the words, as edits that replace them.
func (n naming) find(s, with string) (found edits) {
	if n.unspaced {
		return n.findWithin(s, with)
	}
	all := spelledWords(s)
	for i := 0; i+len(n.words) <= len(all); i++ {
		if n.isAt(all[i:]) {
			found = append(found, edit{start: all[i].start, end: all[i+len(n.words)-1].end, with: with})
			i += len(n.words) - 1
		}
	}
	return found
}

func (n naming) isAt(all []spelled) bool {
	for i, w := range n.words {
		if all[i].folded != w {
			return false
		}
	}
	return true
}

// findWithin finds the words as a run of letters.
func (n naming) findWithin(s, with string) (found edits) {
	wanted := strings.Join(n.words, "")
	for i := 0; i < len(s); {
		_, size := utf8.DecodeRuneInString(s[i:])
		end := i
		folded := ""
		for end < len(s) && len(folded) < len(wanted) && strings.HasPrefix(wanted, folded) {
			_, next := utf8.DecodeRuneInString(s[end:])
			folded += foldWord(s[end : end+next])
			end += next
		}
		if folded == wanted {
			found = append(found, edit{start: i, end: end, with: with})
			size = end - i
		}
		i += size
	}
	return found
}
