package craft

import (
	"fmt"
	"strings"
)

// A pattern is a phrase of a list. Its fields are words; alternatives are divided by |, and + joins the words
// of one. A star at the beginning or end of a word stands for any letters, = before a word makes accents
// count, _ is any word, … a few of them or none, a comma the beginning of a clause, and $ the end of the
// sentence.
type pattern []field

// A field is a part of a pattern: one of several runs of words, or a sign.
type field struct {
	sign byte // '_', '.' for …, ',' or '$'; 0 for words
	runs [][]word
}

// A word of a pattern. A token equals it, begins with it, ends in it or contains it.
type word struct {
	text           string
	exact          bool
	anyEnd, anyTop bool
}

// maxGap is how many words … stands for, at most, and maxGapCharacters how many in scripts without spaces.
const (
	maxGap           = 6
	maxGapCharacters = 20
)

func parsePattern(line string, elides bool) pattern {
	var p pattern
	for f := range strings.FieldsSeq(line) {
		switch f {
		case "_", ",", "$":
			p = append(p, field{sign: f[0]})
		case "…":
			p = append(p, field{sign: '.'})
		default:
			var runs [][]word
			for alternative := range strings.SplitSeq(f, "|") {
				runs = append(runs, parseRun(alternative, elides))
			}
			p = append(p, field{runs: runs})
		}
	}
	if len(p) == 0 || p[0].sign != 0 && p[0].sign != ',' {
		panic(fmt.Sprintf("%q does not begin with a word", line))
	}
	return p
}

func parseRun(alternative string, elides bool) []word {
	text, exact := strings.CutPrefix(alternative, "=")
	text, anyTop := strings.CutPrefix(text, "*")
	text, anyEnd := strings.CutSuffix(text, "*")
	tokens := tokenize(text, elides)
	if len(tokens) == 0 || strings.Contains(text, "*") {
		panic(fmt.Sprintf("%q is no word with a star at its beginning or end", alternative))
	}
	run := make([]word, len(tokens))
	for i, t := range tokens {
		run[i] = word{text: t.folded, exact: exact}
		if exact {
			run[i].text = t.exact
		}
	}
	run[0].anyTop = anyTop
	run[len(run)-1].anyEnd = anyEnd
	return run
}

// match returns the end of the words at i that match the pattern, or -1.
func (p pattern) match(words []token, i int) int {
	if len(p) == 0 {
		return i
	}
	rest := p[1:]
	switch p[0].sign {
	case '_':
		if i == len(words) {
			return -1
		}
		return rest.match(words, i+1)
	case '.':
		return rest.matchBehindGap(words, i)
	case ',':
		if i == len(words) || !words[i].begins {
			return -1
		}
		return rest.match(words, i)
	case '$':
		if i < len(words) {
			return -1
		}
		return i
	}
	for _, run := range p[0].runs {
		if matchesRun(run, words, i) {
			if end := rest.match(words, i+len(run)); end >= 0 {
				return end
			}
		}
	}
	return -1
}

func (p pattern) matchBehindGap(words []token, i int) int {
	for skipped := 0; i <= len(words); skipped++ {
		if end := p.match(words, i); end >= 0 {
			return end
		}
		limit := maxGap
		if i < len(words) && words[i].unspaced {
			limit = maxGapCharacters
		}
		if skipped >= limit {
			break
		}
		i++
	}
	return -1
}

func matchesRun(run []word, words []token, i int) bool {
	if i+len(run) > len(words) {
		return false
	}
	for j, w := range run {
		if !w.matches(words[i+j]) {
			return false
		}
	}
	return true
}

func (w word) matches(t token) bool {
	text := t.folded
	if w.exact {
		text = t.exact
	}
	switch {
	case w.anyTop && w.anyEnd:
		return strings.Contains(text, w.text)
	case w.anyTop:
		return strings.HasSuffix(text, w.text)
	case w.anyEnd:
		return strings.HasPrefix(text, w.text)
	}
	return text == w.text
}
