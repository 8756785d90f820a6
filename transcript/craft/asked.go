package craft

import (
	"strings"
	"unicode"
)

// Asked returns, for each planned question, the indexes of those that were asked and are the same, in other
// words too: most words of the plan that say what it is about are among theirs. One such word is too little:
// "Who decides?" is not "When did you decide to leave?". Then the question word is the same too, and at most
// one further word says what it is about; or all words are the same. In a language without lists there are
// none.
func Asked(planned, asked []string, language string) [][]int {
	found := make([][]int, len(planned))
	r := rulesOf[language]
	if r == nil {
		return found
	}
	gists := make([]gist, len(asked))
	said := map[string][]int{}
	for i, text := range asked {
		gists[i] = r.gist(text)
		for word := range gists[i].subject {
			said[word] = append(said[word], i)
		}
	}
	shared := make([]int, len(asked)) // words of a plan that each question has
	for i, text := range planned {
		plan := r.gist(text)
		clear(shared)
		for word := range plan.subject {
			for _, j := range said[word] {
				shared[j]++
			}
		}
		for j, n := range shared {
			if plan.matches(&gists[j], n) {
				found[i] = append(found[i], j)
			}
		}
	}
	return found
}

// A gist is what tells whether questions are the same.
type gist struct {
	subject map[string]bool // see rules.subject
	asks    string          // the question word
	text    string          // all words
}

// maxFurther is how many words of a question, at most, are not among those of a plan with one.
const maxFurther = 1

// matches reports whether a plan was asked by a question that has some of its words.
func (plan *gist) matches(asked *gist, shared int) bool {
	if len(plan.subject) >= 2 {
		return shared >= 2 && shared*5 >= len(plan.subject)*3
	}
	if shared == len(asked.subject) && plan.text == asked.text {
		return plan.text != ""
	}
	return shared > 0 && plan.asks == asked.asks && len(asked.subject)-shared <= maxFurther
}

// maxSubjectBytes is how much of a question is compared, at most.
const maxSubjectBytes = 2 << 10

func (r *rules) gist(text string) gist {
	words := r.skipFillers(tokenize(cut(text, maxSubjectBytes), r.elides))
	return gist{subject: r.subject(words), asks: r.questionWord(words), text: join(words)}
}

func join(words []token) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.folded + " ")
	}
	return b.String()
}

// questionWord returns the first question word, or else what begins a clause as one does ("when did you").
func (r *rules) questionWord(words []token) string {
	for i := range words {
		if end := r.lists[kindQuestionWord].match(words, i); end > i {
			return join(words[i:end])
		}
	}
	for i, w := range words {
		if w.begins && r.formAt(words, i, true) == open {
			return w.folded
		}
	}
	return ""
}

// subject returns the beginnings of the words that say what a question is about. In scripts without spaces,
// two characters beside each other stand for a word.
func (r *rules) subject(words []token) map[string]bool {
	subject := map[string]bool{}
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
