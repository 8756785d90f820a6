package imports

import (
	"iter"
	"sort"
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
	for w := range spelledWords(text) {
		n.words = append(n.words, w.folded)
	}
	return n
}

// A spelled word is a run of letters, digits and marks at its place in a text.
type spelled struct {
	folded     string
	start, end int
}

func spelledWords(s string) iter.Seq[spelled] {
	return func(yield func(spelled) bool) {
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
			if !yield(spelled{foldWord(s[i : i+end]), i, i + end}) {
				return
			}
			i += end
		}
	}
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

// maxFound is how many times words are found in a text before the search ends.
const maxFound = 100_000

// find returns the ranges of a text that name the words, as edits that replace them: the first maxFound+1.
func (n naming) find(s, with string) (found edits) {
	if n.unspaced {
		return n.findWithin(s, with)
	}
	var last []spelled // as many as there are words, at most
	for w := range spelledWords(s) {
		if len(last) == len(n.words) {
			last = last[1:]
		}
		if last = append(last, w); !n.isAt(last) {
			continue
		}
		found = append(found, edit{start: last[0].start, end: w.end, with: with})
		if last = last[:0]; len(found) > maxFound {
			break
		}
	}
	return found
}

func (n naming) isAt(all []spelled) bool {
	if len(all) != len(n.words) {
		return false
	}
	for i, w := range n.words {
		if all[i].folded != w {
			return false
		}
	}
	return true
}

// findWithin finds the words as a run of letters. What is between letters does not matter, as long as a word
// in a script with spaces is a whole one.
func (n naming) findWithin(s, with string) (found edits) {
	wanted := strings.Join(n.words, "")
	t := foldText(s)
	for at := 0; wanted != "" && len(found) <= maxFound; {
		i := strings.Index(t.folded[at:], wanted)
		if i < 0 {
			break
		}
		first, last := t.letterAt(at+i), t.letterAt(at+i+len(wanted)-1)
		if t.splitsWord(first) || t.splitsWord(last+1) {
			_, size := utf8.DecodeRuneInString(wanted)
			at += i + size
			continue
		}
		found = append(found, edit{start: t.letters[first].start, end: t.letters[last].end, with: with})
		at = len(t.folded)
		if last+1 < len(t.letters) {
			at = t.letters[last+1].at
		}
	}
	return found
}

// A foldedText is the letters, digits and marks of a text, folded, and where they are in it.
type foldedText struct {
	folded  string
	letters []foldedLetter
}

// A foldedLetter is from at in the folded text on, and has a place in the text with the marks after it.
type foldedLetter struct {
	at, start, end int
	unspaced       bool
}

func foldText(s string) (t foldedText) {
	var folded strings.Builder
	known := map[rune]string{}
	for start, r := range s {
		if !isWordRune(r) {
			continue
		}
		letter, ok := known[r]
		if !ok {
			letter = foldWord(string(r))
			known[r] = letter
		}
		_, size := utf8.DecodeRuneInString(s[start:])
		switch n := len(t.letters); {
		case letter != "":
			t.letters = append(t.letters, foldedLetter{folded.Len(), start, start + size, isUnspaced(r)})
			folded.WriteString(letter)
		case n > 0 && t.letters[n-1].end == start:
			t.letters[n-1].end += size
		}
	}
	t.folded = folded.String()
	return t
}

// letterAt returns the index of the letter that has a byte of the folded text.
func (t foldedText) letterAt(at int) int {
	return sort.Search(len(t.letters), func(i int) bool { return t.letters[i].at > at }) - 1
}

// splitsWord reports whether a letter and the one before it are of one word in a script with spaces.
func (t foldedText) splitsWord(i int) bool {
	return i > 0 && i < len(t.letters) && t.letters[i-1].end == t.letters[i].start &&
		!t.letters[i-1].unspaced && !t.letters[i].unspaced
}
