package craft

// maxSameWords is how many words of a question are compared, at most.
const maxSameWords = 200

// Same reports whether what was asked is the planned question, in other words too: most words of the plan that
// say what it is about are among what was asked.
func Same(planned, asked, language string) bool {
	r := rulesOf[language]
	if r == nil {
		return false
	}
	plan, said := r.subject(planned), r.subject(asked)
	found := 0
	for word := range plan {
		if said[word] {
			found++
		}
	}
	return found > 0 && found >= min(2, len(plan)) && found*5 >= len(plan)*3
}

// subject returns the beginnings of the words that say what a question is about.
func (r *rules) subject(text string) map[string]bool {
	subject := map[string]bool{}
	words := tokenize(text, r.elides)
	for i := range words[:min(len(words), maxSameWords)] {
		if !r.at(kindCommon, words, i) {
			subject[stem(words[i].folded)] = true
		}
	}
	return subject
}

// stemLetters is how many letters of a word are compared: endings differ.
const stemLetters = 5

func stem(word string) string {
	n := 0
	for i := range word {
		if n == stemLetters {
			return word[:i]
		}
		n++
	}
	return word
}
