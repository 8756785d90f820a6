package craft

import (
	"strings"
	"unicode"
)

// Asked returns, for each planned question, the indexes of those that were asked and are the same, in other
// words too: most words of the plan that say what it is about are among theirs. In a language without lists
// there are none.
func Asked(planned, asked []string, language string) [][]int {
	found := make([][]int, len(planned))
	r := rulesOf[language]
	if r == nil {
		return found
	}
	said := map[string][]int{}
	for i, text := range asked {
		for word := range r.subject(text) {
			said[word] = append(said[word], i)
		}
	}
	shared := make([]int, len(asked)) // words of a plan that each question has
	for i, text := range planned {
		plan := r.subject(text)
		clear(shared)
		for word := range plan {
			for _, j := range said[word] {
				shared[j]++
			}
		}
		for j, n := range shared {
			if n > 0 && n >= min(2, len(plan)) && n*5 >= len(plan)*3 {
				found[i] = append(found[i], j)
			}
		}
	}
	return found
}

// maxSubjectBytes is how much of a question is compared, at most.
const maxSubjectBytes = 2 << 10

// subject returns the beginnings of the words that say what a question is about. In scripts without spaces,
// two characters beside each other stand for a word.
func (r *rules) subject(text string) map[string]bool {
	subject := map[string]bool{}
	words := tokenize(cut(text, maxSubjectBytes), r.elides)
	common := r.covered(kindCommon, words)
	before := ""
	for i, w := range words {
		first := []rune(w.folded)[0]
		switch {
		case common != nil && common[i]:
			before = ""
		case !w.unspaced:
			subject[stem(w.folded)] = true
			before = ""
		case unicode.Is(unicode.Hiragana, first): // grammar
			before = ""
		default:
			if before != "" {
				subject[before+w.folded] = true
			}
			before = w.folded
		}
	}
	return subject
}

// stemLetters is how many letters of a word are compared: endings differ.
const stemLetters = 5

// endings are those of short words, which the number of letters does not cut off.
var endings = []string{"ing", "ed", "es", "en", "er", "s", "e", "d", "n", "a", "o", "i", "y"}

// minStem is how many letters of a word an ending leaves, at least.
const minStem = 3

func stem(word string) string {
	for _, ending := range endings {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) >= minStem {
			word = rest
			break
		}
	}
	n := 0
	for i := range word {
		if n == stemLetters {
			return word[:i]
		}
		n++
	}
	return word
}
