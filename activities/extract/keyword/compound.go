package keyword

import (
	"iter"
	"strings"
)

// links are what stands between the parts of a compound, in languages that write compounds as one word.
var links = map[string][]string{
	"da": {"", "s", "e"},
	"de": {"", "s", "es", "n", "en", "er", "e"},
	"hu": {""},
	"nl": {"", "s", "n", "en", "e"},
	"no": {"", "s", "e"},
	"sv": {"", "s"},
}

// The shortest parts of a compound, in letters: the one that is looked for, and the other one.
const (
	minPart  = 4
	minOther = 3
)

// A compoundIndex finds the words of a transcript that may be compounds, and those that may be parts of one,
// by the first letters of a part: a transcript has thousands of words, and a word dozens of translations.
type compoundIndex struct {
	wholes map[string][]int32 // ids of stems, by letters where their word or its last part may begin
	parts  map[string][]int32 // ids of stems, by how they begin
}

// newCompoundIndex indexes stems and a word of each. It is empty in languages that write compounds apart.
func newCompoundIndex(language string, stems map[string]int32, spelled []string) compoundIndex {
	c := compoundIndex{wholes: map[string][]int32{}, parts: map[string][]int32{}}
	if links[language] == nil {
		return c
	}
	for stem, id := range stems {
		if len(stem) >= minPart {
			c.parts[stem[:minPart]] = append(c.parts[stem[:minPart]], id)
		}
		for letters := range partBeginnings(spelled[id]) {
			c.wholes[letters] = append(c.wholes[letters], id)
		}
	}
	return c
}

// partBeginnings returns the first letters of what may be parts of a word.
func partBeginnings(word string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if len(word) < minOther+minPart || !yield(word[:minPart]) {
			return
		}
		for at := minOther; at+minPart <= len(word); at++ {
			if !yield(word[at : at+minPart]) {
				return
			}
		}
	}
}

// compounds calls found for the compounds of the transcript of which a word is a part, and for the words of
// the transcript that are a part of it: "bestand" and "lagerbestand". The last part says what a compound is.
func (x *utteranceIndex) compounds(word, stem string, found func(id int32, isLast bool)) {
	if len(stem) >= minPart {
		for _, id := range x.compound.wholes[stem[:minPart]] {
			if isLast, ok := x.isPart(stem, x.spelled[id]); ok {
				found(id, isLast)
			}
		}
	}
	for letters := range partBeginnings(word) {
		for _, id := range x.compound.parts[letters] {
			if isLast, ok := x.isPart(x.stem(x.spelled[id]), word); ok {
				found(id, isLast)
			}
		}
	}
}

// isPart reports whether a stem is a part of a compound whose other part is a word. The stem of a compound
// need not end as that of its last part, so that the compound is not a stem.
func (x *utteranceIndex) isPart(stem, compound string) (isLast, ok bool) {
	if len(stem) < minPart || len(compound) < len(stem)+minOther {
		return false, false
	}
	at := strings.LastIndex(compound, stem[:minPart])
	if at >= minOther && x.stem(compound[at:]) == stem && x.isLinked(compound[:at], strings.CutSuffix) {
		return true, true
	}
	rest, ok := strings.CutPrefix(compound, stem)
	return false, ok && x.isLinked(rest, strings.CutPrefix)
}

// isLinked reports whether the rest of a compound is a word, without what links it to the other part: a word
// of the transcript or of the thesaurus.
func (x *utteranceIndex) isLinked(rest string, cut func(s, link string) (string, bool)) bool {
	known := vocabularyOf(x.language)
	for _, link := range links[x.language] {
		word, ok := cut(rest, link)
		if !ok || len(word) < minOther {
			continue
		}
		stem := x.stem(word)
		if _, occurs := x.ids[stem]; occurs && len(stem) >= minPart || len(known[stem]) > 0 {
			return true
		}
	}
	return false
}
