package keyword

import "strings"

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

// compounds calls found for the compounds of the transcript of which a word is a part, and for the words of
// the transcript that are a part of it: "bestand" and "lagerbestand". The last part says what a compound is.
func (x *utteranceIndex) compounds(word, stem string, found func(id int32, isLast bool)) {
	if links[x.language] == nil {
		return
	}
	for other, id := range x.ids {
		compound, part := x.spelled[id], stem
		if len(compound) < len(word) {
			compound, part = word, other
		}
		if isLast, ok := x.isPart(part, compound); ok {
			found(id, isLast)
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
