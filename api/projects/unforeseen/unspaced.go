package unforeseen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"research/internal/words"
)

// Chinese words have two to four characters; Japanese ones are written in one script, and have up to eight.
const (
	maxChinese  = 4
	maxJapanese = 8
)

var (
	functionCharacters = characters("function-characters")
	edgeCharacters     = characters("edge-characters")
)

func characters(name string) map[string]bool {
	set := map[string]bool{}
	for _, one := range split(name) {
		set[one] = true
	}
	return set
}

// runEnd returns the end of the characters of scripts without spaces that begin at start.
func runEnd(text string, start int) int {
	for i, r := range text[start:] {
		if !words.IsUnspaced(r) && !unicode.Is(unicode.M, r) && r != 'ー' && r != '々' {
			return start + i
		}
	}
	return len(text)
}

// run calls add for what may be a word of text[start:end], in a script without spaces.
func (r *reader) run(text string, start, end int, add func(spelling)) {
	if r.language == "ja" {
		japaneseWords(text, start, end, add)
		return
	}
	piece := []int{} // where each character of the piece begins
	flush := func(end int) {
		r.chineseWords(text, append(piece, end), add)
		piece = piece[:0]
	}
	for i, c := range text[start:end] {
		at := start + i
		if !unicode.Is(unicode.Han, c) || functionCharacters[text[at:at+utf8.RuneLen(c)]] {
			flush(at)
			continue
		}
		piece = append(piece, at)
		r.chars[text[at:at+utf8.RuneLen(c)]]++
	}
	flush(end)
}

// chineseWords calls add for the sequences of characters of a piece that may be a word; at has where each
// character begins, and the end.
func (r *reader) chineseWords(text string, at []int, add func(spelling)) {
	is := func(i int) bool { return edgeCharacters[text[at[i]:at[i+1]]] }
	for from := 0; from+minSyllables < len(at); from++ {
		if is(from) {
			continue
		}
		for size := minSyllables; size <= maxChinese && from+size < len(at); size++ {
			if !is(from + size - 1) {
				add(spelling{start: at[from], end: at[from+size], unspaced: true})
			}
		}
	}
}

// japaneseWords calls add for the runs of kanji and of katakana. Words of hiragana hold sentences together.
func japaneseWords(text string, start, end int, add func(spelling)) {
	script := func(c rune) *unicode.RangeTable {
		switch {
		case unicode.Is(unicode.Han, c):
			return unicode.Han
		case unicode.Is(unicode.Katakana, c), c == 'ー':
			return unicode.Katakana
		}
		return nil
	}
	from, letters := start, 0
	var current *unicode.RangeTable
	flush := func(end int) {
		if current != nil && letters >= minSyllables && letters <= maxJapanese {
			add(spelling{start: from, end: end, unspaced: true})
		}
	}
	for i, c := range text[start:end] {
		if s := script(c); s != current {
			flush(start + i)
			from, letters, current = start+i, 0, s
		}
		letters++
	}
	flush(end)
}

// minCohesion is how many of the times that the rarer of two characters was said it stood beside the other
// one, if both are of one word.
const minCohesion = 0.5

// isChineseWord reports whether the characters of a term belong together, and are no part of another term.
func (c *Counter) isChineseWord(t *term) bool {
	text := t.key
	_, size := utf8.DecodeRuneInString(text)
	for at := size; at < len(text); at += size {
		_, next := utf8.DecodeRuneInString(text[at:])
		pair := t.count
		if beside := c.terms[t.reader.language+" "+text[at-size:at+next]]; beside != nil {
			pair = beside.count
		}
		rarer := min(t.reader.chars[text[at-size:at]], t.reader.chars[text[at:at+next]])
		if float64(pair) < minCohesion*float64(rarer) {
			return false
		}
		size = next
	}
	return true
}

// isPartOf reports whether a term is said within another one most of the times.
func (t *term) isPartOf(other *term) bool {
	return t != other && t.reader == other.reader && strings.Contains(other.key, t.key) &&
		5*other.count >= 4*t.count
}
