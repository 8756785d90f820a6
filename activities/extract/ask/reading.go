package ask

import (
	"slices"
	"strings"

	"research/activities/extract/keyword"
	"research/activities/extract/quote"
	"research/internal/words"
)

// A reading is what a text says in numbers, quantities and negations.
type reading struct {
	language   string
	words      []readWord
	clauses    []clause
	numbers    []number
	people     map[int]string // the class of the people that a number counts, by its first word
	quantities []quantity
}

// A readWord is a word of a text.
type readWord struct {
	norm       string
	stem       string // "" if the word says nothing about a subject
	start, end int    // bytes
	clause     int
	negates    bool
	denies     bool // by itself, as "refuse" does
}

func (w readWord) spelled(text string) string { return text[w.start:w.end] }

// A polarity is whether a clause denies what it says.
type polarity int

const (
	affirms polarity = iota
	denies
	mixed // it may do either: "not bad", "refuses"
)

// A clause is a part of a sentence.
type clause struct {
	polarity polarity
	focus    []string // stems that it denies first
	doubts   []string // stems that deny by themselves, unless it negates
	words    int      // that say something about a subject, or negate
}

// A quantity is how much, how many or how often something is.
type quantity struct {
	class    string
	from, to int    // words
	of       string // the class of the people that it counts, or ""
}

// keyOf returns the words of a text, to compare it with others.
func keyOf(text string) string {
	tokens := words.Tokenize(text)
	norms := make([]string, len(tokens))
	for i, token := range tokens {
		norms[i] = token.Norm
	}
	return strings.Join(norms, " ")
}

// A reader reads texts in one language. It is not safe for concurrent use.
type reader struct {
	language string
	units    quote.Units
	stem     func(string) string
}

func newReader(language string) *reader {
	return &reader{language, quote.NewUnits(language), words.Stemmer(language)}
}

// read reads a text. It leaves out the given names, so that "Speaker 2" has no number.
func (r *reader) read(text string, names []string) *reading {
	result := &reading{language: r.language}
	result.words = r.wordsOf(text, names)
	result.numbers = numbersOf(text, result.words, r.units)
	result.people = map[int]string{}
	for _, n := range result.numbers {
		result.people[n.from] = r.peopleAfter(result.words, n.to)
	}
	r.markNegations(text, result.words)
	result.quantities = r.quantitiesOf(result.words)
	result.clauses = r.clausesOf(result.words)
	return result
}

// wordsOf divides a text into words and clauses.
func (r *reader) wordsOf(text string, names []string) []readWord {
	var all []readWord
	end := 0
	number := 0
	for _, token := range words.Tokenize(text) {
		if token.Start > end && endsClause(text[end:token.Start]) || len(all) > 0 && r.beginsClause(token.Norm) {
			number++
		}
		word := readWord{norm: token.Norm, start: token.Start, end: token.End, clause: number}
		isSilent := words.IsUnspacedWord(token.Norm) || words.HasDigit(token.Norm)
		if !isSilent && !keyword.IsStop(r.language, token.Norm) {
			word.stem = r.stem(token.Norm)
		}
		all = append(all, word)
		end = token.End
	}
	for _, name := range names {
		all = withoutName(all, name)
	}
	return all
}

// endsClause reports whether what stands between two words divides clauses. A hyphen does not.
func endsClause(between string) bool {
	return between != "-" && strings.ContainsAny(between, words.ClauseMarks+"()[]\n")
}

func (r *reader) beginsClause(word string) bool {
	return words.BeginsClause(word) || subordinators.has(r.language, word)
}

// withoutName removes a name.
func withoutName(all []readWord, name string) []readWord {
	tokens := words.Tokenize(name)
	if len(tokens) == 0 {
		return all
	}
	isName := func(at int) bool {
		for i, token := range tokens {
			if at+i >= len(all) || all[at+i].norm != token.Norm {
				return false
			}
		}
		return true
	}
	var kept []readWord
	for i := 0; i < len(all); {
		if isName(i) {
			i += len(tokens)
			continue
		}
		kept = append(kept, all[i])
		i++
	}
	return kept
}

// markNegations marks the words that negate, and those that deny by themselves.
func (r *reader) markNegations(text string, all []readWord) {
	for i := 0; i < len(all); i++ {
		w := &all[i]
		if p, ok := notNegations.at(all, i); ok {
			i += len(p.words) - 1
			continue
		}
		w.negates = words.Negates(r.language, w.norm) && !r.isForeignContraction(*w, text) ||
			negatesUnspaced(all, i)
		w.denies = denials.has(r.language, w.norm)
	}
}

// isForeignContraction reports whether a word that is not English was taken for an English contraction:
// French "dont".
func (r *reader) isForeignContraction(w readWord, text string) bool {
	return w.norm == "not" && r.language != "en" && r.language != "" &&
		!strings.ContainsAny(w.spelled(text), "'’") &&
		!strings.EqualFold(w.spelled(text), "not")
}

// negatesUnspaced reports whether a negation of a script without spaces begins at a word.
func negatesUnspaced(all []readWord, i int) bool {
	joined := ""
	for ; i < len(all) && words.IsUnspacedWord(all[i].norm) && len(joined) < len("一二三四"); i++ {
		joined += all[i].norm
		if slices.Contains(words.NegationParts, joined) {
			return true
		}
	}
	return false
}

// quantitiesOf reads the quantities of a text, and which people they count.
func (r *reader) quantitiesOf(all []readWord) []quantity {
	var found []quantity
	for i := 0; i < len(all); i++ {
		if p, ok := quantities.at(all, i); ok {
			q := quantity{class: p.class, from: i, to: i + len(p.words)}
			q.of = r.peopleAfter(all, q.to)
			found = append(found, q)
			i = q.to - 1
		}
	}
	return found
}

// peopleWithin is how many words may stand between a number and the people that it counts.
const peopleWithin = 4

// peopleAfter returns the class of the word for people that a quantity before a word is about, or "": that of
// "most of the small businesses" is people.
func (r *reader) peopleAfter(all []readWord, from int) string {
	others := 0
	for i := from; i < min(from+peopleWithin, len(all)) && from > 0; i++ {
		if all[i].clause != all[from-1].clause {
			return ""
		}
		if p, ok := peopleWords.at(all, i); ok {
			return p.class
		}
		if _, isQuantity := quantities.at(all, i); isQuantity || words.HasDigit(all[i].norm) {
			continue
		}
		if all[i].stem == "" {
			continue
		}
		if others++; others > 1 || r.units.Name(all[i].norm) != "" {
			return ""
		}
	}
	return ""
}

// clausesOf reads the polarities of clauses.
func (r *reader) clausesOf(all []readWord) []clause {
	var clauses []clause
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].clause == all[from].clause {
			to++
		}
		clauses = append(clauses, r.clauseOf(all[from:to]))
		for i := from; i < to; i++ {
			all[i].clause = len(clauses) - 1 // those of names are gone
		}
		from = to
	}
	return clauses
}

// deniedWithin is how far from a negation a word stands that it denies: "never had a problem".
const deniedWithin = 4

// concordLanguages negate twice and mean it once.
var concordLanguages = []string{"es", "fr", "it", "pt", "ru", "pl"}

// clauseOf reads one clause.
func (r *reader) clauseOf(all []readWord) clause {
	var c clause
	negations, last := 0, -1
	isDoubtful := false
	for i, w := range all {
		if w.stem != "" || w.negates || words.IsUnspacedWord(w.norm) {
			c.words++
		}
		if w.negates {
			negations++
			last = i
			if stem := r.focusOf(all, i); stem != "" {
				c.focus = append(c.focus, stem)
			}
		} else if w.denies && (last < 0 || i-last <= deniedWithin) {
			isDoubtful = true
			c.doubts = append(c.doubts, w.stem)
		}
	}
	if negations > 0 {
		c.doubts = nil
	}
	switch {
	case negations == 0 && !isDoubtful:
		c.polarity = affirms
	case isDoubtful, negations > 1 && !slices.Contains(concordLanguages, r.language):
		c.polarity = mixed
	default:
		c.polarity = denies
	}
	return c
}

// focusOf returns the stem that a negation denies first: of the next word that says something, or of the last
// one before.
func (r *reader) focusOf(all []readWord, negation int) string {
	isFocus := func(w readWord) bool { return w.stem != "" && !w.negates && !lightWords.has(r.language, w.norm) }
	for _, w := range all[negation+1:] {
		if isFocus(w) {
			return w.stem
		}
	}
	for i := negation - 1; i >= 0; i-- {
		if isFocus(all[i]) {
			return all[i].stem
		}
	}
	return ""
}
