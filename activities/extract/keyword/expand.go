package keyword

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"research/internal/words"
)

// What a stem of a transcript counts that stands for a word of a statement, beside 1 for the word itself.
// Synonyms and related words count little, or they outweigh the words of the statement. The weights were
// chosen on QMSum's validation split and on the development half of testdata/talks.
const (
	formWeight        = 0.9 // another form or spelling
	lastPartWeight    = 0.9 // a compound that has the word as its last part, and the other way round
	firstPartWeight   = 0.6 // the same of its first part
	cognateWeight     = 0.6 // a word of another language that is written alike
	synonymWeight     = 0.2 // and words with a related meaning
	synonymCredit     = 0.5 // for the number of words that are found
	synonymExponent   = 0.5 // of the share of meanings that a synonym has
	translateExponent = 0.3
	minMeanings       = 0.05 // a smaller share of the meanings of a word is another word
)

// A term is a word of a statement, and the stems of a transcript that stand for it.
type term struct {
	stem     string
	variants map[int32]variant // by the number of their stem
}

// A variant is a stem that stands for a word.
type variant struct {
	weight    float64 // in the ranking
	credit    float64 // as a part of a word that was found
	isRelated bool    // by its meaning, in the language of the transcript
}

// add adds a stem. What is best of several reasons to do so counts.
func (t *term) add(id int32, v variant) {
	if known, ok := t.variants[id]; ok {
		v.weight = max(known.weight, v.weight)
		v.credit = max(known.credit, v.credit)
		v.isRelated = known.isRelated && v.isRelated
	}
	t.variants[id] = v
}

// A query is a statement to rank by: its distinct words, their pairs of neighbours, and its text in lower
// case, which may name a speaker.
type query struct {
	terms     []term
	pairs     [][2]string
	text      string
	isForeign bool // in another language than the transcript
}

func (x *utteranceIndex) query(statement string) query {
	q := query{text: strings.ToLower(statement)}
	language := x.language
	if x.language != "" {
		language = cmp.Or(LanguageOf(statement), x.language)
	}
	q.isForeign = language != x.language
	var all []string
	for _, tok := range words.Tokenize(statement) {
		if !IsStop(x.language, tok.Norm) && !IsStop(language, tok.Norm) {
			all = append(all, tok.Norm)
		}
	}
	asked := slices.DeleteFunc(slices.Clone(all), func(word string) bool { return x.talk[x.stem(word)] })
	if len(asked) == 0 {
		asked = all
	}
	for i, word := range asked {
		stem := x.stem(word)
		if !slices.ContainsFunc(q.terms, func(t term) bool { return t.stem == stem }) {
			q.terms = append(q.terms, x.term(word, language))
		}
		if i > 0 {
			q.pairs = append(q.pairs, [2]string{x.stem(asked[i-1]), stem})
		}
	}
	return q
}

// term returns a word of a statement in a language with what stands for it in the transcript.
func (x *utteranceIndex) term(word, language string) term {
	t := term{stem: x.stem(word), variants: map[int32]variant{}}
	x.addForms(&t, word, t.stem, 1)
	if language != x.language {
		x.addTranslations(&t, word, language)
		return t
	}
	same, related := lookUp(language, t.stem, language, x.stem)
	x.addRelated(&t, same)
	x.addRelated(&t, related)
	return t
}

// addForms adds the stem of a word, its other forms, and compounds with it.
func (x *utteranceIndex) addForms(t *term, word, stem string, weight float64) {
	add := func(id int32, weight float64) { t.add(id, variant{weight: weight, credit: weight}) }
	if id, known := x.ids[stem]; known {
		add(id, weight)
	}
	for _, id := range x.forms[x.folding.Key(stem)] {
		add(id, weight*formWeight)
	}
	x.compounds(word, stem, func(id int32, isLast bool) {
		if isLast {
			add(id, weight*lastPartWeight)
		} else {
			add(id, weight*firstPartWeight)
		}
	})
}

// addTranslations adds what a word of another language means, or else words that are written alike.
func (x *utteranceIndex) addTranslations(t *term, word, language string) {
	same, related := lookUp(language, words.Stem(language, word), x.language, x.stem)
	for stem, share := range same {
		if share >= minMeanings && !IsStop(x.language, stem) {
			x.addForms(t, stem, stem, min(1, math.Pow(share, translateExponent)))
		}
	}
	x.addRelated(t, related)
	if len(t.variants) > 0 {
		return
	}
	for _, id := range x.cognates(t.stem) {
		t.add(id, variant{weight: cognateWeight, credit: cognateWeight})
	}
}

// addRelated adds stems with a related meaning.
func (x *utteranceIndex) addRelated(t *term, related shares) {
	for stem, share := range related {
		id, known := x.ids[stem]
		if !known || share < minMeanings || IsStop(x.language, stem) {
			continue
		}
		part := min(1, math.Pow(share, synonymExponent))
		t.add(id, variant{weight: part * synonymWeight, credit: part * synonymCredit, isRelated: true})
	}
}
