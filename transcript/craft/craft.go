// Package craft finds the questions of a text and says of what kind they are: open or closed, about the past,
// hypothetical, leading.
//
// It works by lists of words, one for each language that it covers, in data. There is no model, and nothing
// is guessed in a language without lists. The kinds are those of the handbooks of interviewing;
// testdata/README.md says how they are told apart.
package craft

// Question is a question of a text: a sentence that asks, or a prompt such as "Tell me about …".
type Question struct {
	Start, End   int  // bytes of the text
	Open, Closed bool // at most one; both are false where neither is sure
	Past         bool // asks about what happened
	Hypothetical bool // asks about what would be
	Leading      bool // suggests the answer
}

// maxQuestions is how many questions of a text are found. A long turn of an interviewer has a dozen.
const maxQuestions = 100

// Questions returns the questions of a text in their order, the first hundred at most, or nil in a language
// without lists. It takes time in proportion to the text.
func Questions(text, language string) []Question {
	r := rulesOf[language]
	if r == nil {
		return nil
	}
	var questions []Question
	framed := false
	for s := range sentences(text) {
		if len(questions) == maxQuestions {
			break
		}
		words := r.skipFillers(tokenize(text[s.start:s.end], r.elides))
		start := s.start
		switch {
		case len(words) <= maxWords:
		case s.asks:
			words = words[len(words)-maxWords:]
			start += words[0].start
		default:
			words = words[:maxWords]
		}
		q, ok := r.question(words, s.asks)
		if ok {
			q.Start, q.End = start, s.end
			q.Hypothetical = q.Hypothetical || framed
			q.Past = q.Past && !q.Hypothetical // many languages write what would be as what was
			questions = append(questions, q)
		}
		framed = len(words) > 0 && !ok && (r.at(kindFrame, words, 0) || r.endsWith(kindFrame, words))
	}
	return questions
}

// maxWords is how many words of a sentence are read, at most: the last ones of a question, which has no
// beginning in a transcript without full stops.
const maxWords = 100

// question reads the words of a sentence. It reports false for a sentence that asks nothing.
func (r *rules) question(words []token, marked bool) (q Question, ok bool) {
	if len(words) == 0 {
		return Question{}, false
	}
	marked = marked || r.endsWith(kindAskEnd, words)
	form := r.form(words, marked)
	if !marked && form == unknown {
		return Question{}, false
	}
	closedEnd := marked && r.endsWithChoice(words)
	tag := marked && !closedEnd && r.hasTag(words, form)
	if tag && r.lists[kindTag].match(words, 0) == len(words) {
		if r.formAt(words, 0, marked) == unknown { // "Right?" only says that somebody listens
			return Question{}, false
		}
		tag = false // "Is that right?"
	}
	closed := form == closed || tag || closedEnd
	return Question{
		Open:   form == open && !closed,
		Closed: closed,
		Past:   r.says(kindPast, kindNotPast, words),
		Hypothetical: r.find(kindSurelyHypothetical, words, nil) ||
			r.says(kindHypothetical, kindNotHypothetical, words),
		Leading: tag || r.says(kindLeading, kindNotLeading, words),
	}, true
}

// endsWithChoice reports whether a question ends in a choice ("… or not?") that is no tag: behind a comma,
// some are.
func (r *rules) endsWithChoice(words []token) bool {
	for i := max(0, len(words)-maxTagWords); i < len(words); i++ {
		if r.lists[kindClosedEnd].match(words, i) == len(words) {
			return r.lists[kindTag].match(words, i) != len(words)
		}
	}
	return false
}

// hasTag reports whether a question of a form ends in a tag: behind a comma, or a statement.
func (r *rules) hasTag(words []token, f form) bool {
	statement := f != open && r.formAt(words, 0, true) == unknown
	for i := max(0, len(words)-maxTagWords); i < len(words); i++ {
		if (statement || words[i].begins) && r.lists[kindTag].match(words, i) == len(words) {
			return true
		}
	}
	return false
}

// A form is what the words at the beginning of a question make of it.
type form uint8

const (
	unknown form = iota
	open
	closed
)

// minClosedWords is how many words a question without a question word has to be closed: with fewer, it may
// repeat what was said.
const minClosedWords = 3

// form returns the form of a sentence. Without a question mark, only its beginning tells a question.
func (r *rules) form(words []token, marked bool) form {
	if f := r.formAt(words, 0, marked); f != unknown || !marked {
		return f
	}
	for i := 1; i < len(words); i++ {
		if words[i].begins {
			if f := r.formAt(words, i, marked); f != unknown {
				return f
			}
		}
	}
	switch {
	case r.find(kindQuestionWord, words, nil):
		return open
	case len(words) >= minClosedWords:
		return closed
	}
	return unknown
}

// formAt returns the form that the longest phrase at i gives.
func (r *rules) formAt(words []token, i int, marked bool) form {
	opens, closes := r.lists[kindAskOpen].match(words, i), r.lists[kindAskClosed].match(words, i)
	if marked {
		opens = max(opens, r.lists[kindOpen].match(words, i))
		closes = max(closes, r.lists[kindClosed].match(words, i))
	}
	switch {
	case opens < 0 && closes < 0:
		return unknown
	case opens >= closes:
		return open
	}
	return closed
}
