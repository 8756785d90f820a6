package quote

import "research/internal/words"

// A sense is what the lists say of a word that must not differ: by what name they know the unit, day or
// month, and the currency. The lists have the words that people say most; a language has many forms of each.
type sense struct {
	measure, currency string
	quantifier        bool
}

// senses are those of the words of the lists.
var senses = func() map[string]sense {
	all := map[string]sense{}
	for word := range words.Quantifiers() {
		all[word] = sense{quantifier: true}
	}
	for word, name := range measures {
		m := all[word]
		m.measure = name
		all[word] = m
	}
	for word, name := range currencies {
		m := all[word]
		m.currency = name
		all[word] = m
	}
	return all
}()

// minForm is the size of the shortest stem that shows what a word is.
const minForm = 4

// forms finds the senses of words in one language, for all their forms.
type forms struct {
	language string
	stems    map[string]sense
}

// newForms computes the stems in a language. It takes about a millisecond.
func newForms(language string) *forms {
	f := &forms{language: language, stems: map[string]sense{}}
	if !words.HasStems(language) {
		return f
	}
	for word, what := range senses {
		if len(word) < minForm || words.IsUnspacedWord(word) {
			continue
		}
		stem := words.Stem(language, word)
		if len(stem) < minForm {
			continue
		}
		if other, known := f.stems[stem]; known && other != what {
			what = sense{} // a stem of two words says nothing
		}
		f.stems[stem] = what
	}
	return f
}

// of returns the sense of a word, or of one whose form it is.
func (f *forms) of(word string) sense {
	if words.HasOtherMeaning(f.language, word) {
		return sense{}
	}
	if m, ok := senses[word]; ok || len(word) < minForm || words.IsUnspacedWord(word) {
		return m
	}
	if f.mayBeTurkish() {
		if what := ofTurkish(word); what != (sense{}) {
			return what
		}
	}
	return f.stems[words.Stem(f.language, word)]
}

// mayBeTurkish reports whether the language is Turkish, or not known.
func (f *forms) mayBeTurkish() bool { return f.language == "tr" || f.language == "" }

// ofTurkish is forms.of in Turkish, whose words are stems with endings: "liradan". Snowball's stemmer needs
// the accents that the words of tokens lack.
func ofTurkish(word string) sense {
	for end := len(word) - 1; end >= minForm; end-- {
		if m, ok := senses[word[:end]]; ok && words.IsTurkishEnding(word[end:]) {
			return m
		}
	}
	return sense{}
}

// isCritical reports whether adding, removing or changing a word alters what was said, in the language.
func (f *forms) isCritical(word string) bool {
	if words.HasOtherMeaning(f.language, word) {
		return false
	}
	if isCritical(word) || words.HasOwnMeaning(f.language, word) {
		return true
	}
	m := f.of(word)
	return m.measure != "" || m.quantifier
}

// changes reports whether a word that stands for another alters what was said.
func (f *forms) changes(quoted, said string) bool {
	if words.IsUnspacedWord(quoted) && words.IsUnspacedWord(said) {
		return f.isCritical(quoted) || f.isCritical(said)
	}
	q, s := f.of(quoted), f.of(said)
	switch {
	case q.measure != "" && q.measure == s.measure:
		return false
	case q.currency != "" && s.currency != "":
		return false // changesAmounts compares them
	case q.currency != s.currency:
		return true // by a currency that the list lacks
	case q != sense{} || s != sense{}:
		return true
	case f.mayBeTurkish() && isTurkishOpposite(quoted, said):
		return true
	}
	return f.isCritical(quoted) || f.isCritical(said) || isOpposite(quoted, said)
}
