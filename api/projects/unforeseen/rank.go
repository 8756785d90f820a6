package unforeseen

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"research/internal/words"
)

// Words returns the words that many people say, those first that are said by most people and in few turns.
func (c *Counter) Words() []Word {
	ranked := c.rank()
	found, kept := []Word{}, []*term{}
	for _, t := range ranked {
		if len(found) == Most {
			break
		}
		if t.unspaced && slices.ContainsFunc(ranked, t.isPartOf) || overlaps(t, kept) {
			continue
		}
		kept = append(kept, t)
		word, forms := t.forms()
		found = append(found, Word{
			Word: word, Forms: forms, People: t.people.len(), Interviews: t.interviews, Places: t.places,
		})
	}
	return found
}

// overlaps reports whether a better term has the same characters in a script without spaces, or is of the
// same family: "printer" and "printed".
func overlaps(t *term, better []*term) bool {
	return slices.ContainsFunc(better, func(other *term) bool {
		short, long := t.key, other.key
		if len(short) > len(long) {
			short, long = long, short
		}
		if t.reader != other.reader || t.unspaced != other.unspaced {
			return false
		}
		if t.unspaced {
			return strings.Contains(long, short)
		}
		rest, ok := strings.CutPrefix(long, short)
		return ok && length(short) >= minFamily && length(rest) <= maxFamilyEnding
	})
}

// A family of words has a beginning, and endings.
const (
	minFamily       = 5 // characters
	maxFamilyEnding = 3
)

// rank returns the terms that many people say, the best first.
func (c *Counter) rank() []*term {
	var ranked []*term
	scores := map[*term]float64{}
	for _, t := range c.terms {
		people := t.people.len()
		if people < minPeople || 100*t.interviews < minShare*c.interviews || !c.namesSubject(t) {
			continue
		}
		scores[t] = float64(people) * math.Log1p(float64(t.reader.turns)/float64(t.turns))
		ranked = append(ranked, t)
	}
	slices.SortFunc(ranked, func(a, b *term) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a.key, b.key))
	})
	return ranked
}

// namesSubject reports whether a term is neither a name of a person nor a word that is no noun.
func (c *Counter) namesSubject(t *term) bool {
	if t.unspaced {
		known := func(text string) bool { return strings.Contains(text, t.key) }
		return !c.isName(t) && !slices.ContainsFunc(t.reader.texts, known) &&
			(t.reader.language == "ja" || c.isChineseWord(t))
	}
	if t.reader.language == "de" && t.reader.writesCapitals() && t.inside > 0 && !t.isCapital() {
		return false // nouns have capital letters
	}
	return !c.isName(t) && 3*t.titled < t.count
}

// isName reports whether a term is a name of a person: of somebody who speaks, or a frequent one.
func (c *Counter) isName(t *term) bool {
	if t.unspaced || words.IsHangul(t.key) {
		return slices.ContainsFunc(c.names, func(name string) bool { return strings.Contains(name, t.key) })
	}
	return (t.isCapital() || t.inside == 0 || !hasCase(t.variants[0].text)) &&
		slices.ContainsFunc(t.variants, func(v variant) bool {
			name := words.Fold(v.text)
			return c.nameWords[name] || givenNames[name]
		})
}

// isCapital reports whether a term has a capital letter within sentences.
func (t *term) isCapital() bool { return t.inside > 0 && 2*t.capitals >= t.inside }

// minCapitals is the least share of words with a capital letter in a text that has any, in percent.
const minCapitals = 2

// writesCapitals reports whether the turns of the language have capital letters: a chat may have none.
func (r *reader) writesCapitals() bool { return 100*r.capitals >= minCapitals*r.inside }

func hasCase(word string) bool { return strings.ToLower(word) != strings.ToUpper(word) }

// forms returns the spellings of a term, the most frequent first, and one to show: the shortest of those that
// are about as frequent as the first, which has least endings. A capital letter at the beginning of a
// sentence is none of the word.
func (t *term) forms() (word string, forms []string) {
	counts := map[string]int{}
	for _, v := range t.variants {
		text := v.text
		if !t.isCapital() && t.inside > 0 {
			text = lower(t.reader.language, text)
		}
		counts[text] += v.count
	}
	forms = slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(length(a), length(b)), cmp.Compare(a, b))
	})
	forms = forms[:min(len(forms), MostForms)]
	if words.IsHangul(t.key) {
		return t.key, forms // without a particle
	}
	word = forms[0]
	for _, form := range forms {
		if length(form) < length(word) && 2*counts[form] >= counts[forms[0]] {
			word = form
		}
	}
	return word, forms
}

// length is in characters.
func length(word string) int { return utf8.RuneCountInString(word) }
