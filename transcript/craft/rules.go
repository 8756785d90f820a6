package craft

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"research/internal/lexicon"
)

//go:embed data/*.txt
var data embed.FS

// covered are the languages with lists, by their BCP 47 codes.
var covered = []string{"de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt", "ru", "zh"}

// eliding are the languages in which an apostrophe divides words.
var eliding = []string{"fr", "it"}

// Languages returns the languages with lists, as BCP 47 codes.
func Languages() []string { return slices.Clone(covered) }

// A kind says what a phrase of a list tells.
type kind uint8

// The kinds. Phrases of the first ones stand at the beginning of a sentence, or of a clause of a question.
const (
	kindAskOpen   kind = iota // makes a question without a question mark, an open one
	kindAskClosed             // the same, a closed one
	kindOpen                  // begins an open question, with a mark
	kindClosed
	kindFiller // stands before a sentence and tells nothing
	kindAskEnd // ends a sentence and makes it a question, as a mark does
	kindTag    // ends a question and suggests its answer
	kindClosedEnd
	kindFrame // begins a sentence that makes the next question hypothetical
	kindQuestionWord
	kindPast
	kindNotPast
	kindHypothetical
	kindNotHypothetical
	kindSurelyHypothetical // also within those that are not
	kindLeading
	kindNotLeading
	kindCommon  // says nothing about a subject
	kindForeign // is of a relative of the language, without lists
	kinds
)

var kindNames = map[string]kind{
	"ask open": kindAskOpen, "ask closed": kindAskClosed, "open": kindOpen, "closed": kindClosed,
	"filler": kindFiller, "ask end": kindAskEnd, "tag": kindTag, "closed end": kindClosedEnd, "frame": kindFrame,
	"question word": kindQuestionWord,
	"past":          kindPast, "not past": kindNotPast,
	"hypothetical": kindHypothetical, "not hypothetical": kindNotHypothetical,
	"surely hypothetical": kindSurelyHypothetical,
	"leading":             kindLeading, "not leading": kindNotLeading, "common": kindCommon,
	"foreign": kindForeign,
}

// rules are the lists of a language.
type rules struct {
	elides bool
	lists  [kinds]list
}

// A list is the phrases of one kind.
type list struct {
	byWord map[string][]pattern // by their first word
	byEdge map[edge][]pattern   // those that begin with a part of a word, by the letter at its edge
	others []pattern
}

// An edge is the first or the last letter of a word.
type edge struct {
	letter      rune
	last, exact bool
}

var rulesOf = loadRules()

func loadRules() map[string]*rules {
	all := map[string]*rules{}
	for _, language := range covered {
		r := &rules{elides: slices.Contains(eliding, language)}
		for _, entry := range lexicon.Entries(data, "questions-"+language) {
			name, phrases, ok := strings.Cut(entry, ":")
			k, known := kindNames[name]
			if !ok || !known {
				panic(fmt.Sprintf("data/questions-%s.txt: %q is not a kind and its phrases", language, entry))
			}
			for phrase := range strings.SplitSeq(phrases, ";") {
				if phrase = strings.TrimSpace(phrase); phrase != "" {
					r.lists[k].add(parsePattern(phrase, r.elides))
				}
			}
		}
		all[language] = r
	}
	return all
}

func (l *list) add(p pattern) {
	if p[0].sign != 0 {
		l.others = append(l.others, p)
		return
	}
	if l.byWord == nil {
		l.byWord, l.byEdge = map[string][]pattern{}, map[edge][]pattern{}
	}
	words, edges, other := map[string]bool{}, map[edge]bool{}, false
	for _, run := range p[0].runs {
		switch w := run[0]; {
		case w.anyTop && w.anyEnd:
			other = true
		case w.exact, w.anyTop, w.anyEnd:
			edges[w.edge()] = true
		default:
			words[w.text] = true
		}
	}
	if other {
		l.others = append(l.others, p)
		return
	}
	for w := range words {
		l.byWord[w] = append(l.byWord[w], p)
	}
	for e := range edges {
		l.byEdge[e] = append(l.byEdge[e], p)
	}
}

// edge returns the letter at the edge of a word of a pattern that a token must share.
func (w word) edge() edge {
	r, _ := utf8.DecodeRuneInString(w.text)
	if w.anyTop {
		r, _ = utf8.DecodeLastRuneInString(w.text)
	}
	return edge{r, w.anyTop, w.exact}
}

// match returns the end of the longest phrase at i, or -1.
func (l *list) match(words []token, i int) int {
	end := longest(l.others, words, i)
	if l.byWord == nil {
		return end
	}
	t := &words[i]
	end = max(end, longest(l.byWord[t.folded], words, i))
	if len(l.byEdge) == 0 {
		return end
	}
	for _, e := range t.edges() {
		end = max(end, longest(l.byEdge[e], words, i))
	}
	return end
}

func longest(patterns []pattern, words []token, i int) int {
	end := -1
	for _, p := range patterns {
		end = max(end, p.match(words, i))
	}
	return end
}

// edges returns the edges of a word.
func (t *token) edges() [4]edge {
	first, _ := utf8.DecodeRuneInString(t.folded)
	last, _ := utf8.DecodeLastRuneInString(t.folded)
	exactFirst, _ := utf8.DecodeRuneInString(t.exact)
	exactLast, _ := utf8.DecodeLastRuneInString(t.exact)
	return [4]edge{
		{first, false, false}, {last, true, false}, {exactFirst, false, true}, {exactLast, true, true},
	}
}

// at reports whether a phrase of a kind begins at i.
func (r *rules) at(k kind, words []token, i int) bool { return r.lists[k].match(words, i) >= 0 }

// find reports whether there is a phrase of a kind that begins at none of the words to skip.
func (r *rules) find(k kind, words []token, skip []bool) bool {
	for i := range words {
		if (skip == nil || !skip[i]) && r.at(k, words, i) {
			return true
		}
	}
	return false
}

// says reports whether there is a phrase of a kind that begins within none of another.
func (r *rules) says(k, not kind, words []token) bool {
	return r.find(k, words, r.covered(not, words))
}

// covered marks the words of phrases of a kind, or is nil.
func (r *rules) covered(k kind, words []token) []bool {
	var marked []bool
	for i := range words {
		if end := r.lists[k].match(words, i); end > i {
			if marked == nil {
				marked = make([]bool, len(words))
			}
			for j := i; j < end; j++ {
				marked[j] = true
			}
		}
	}
	return marked
}

// skipFillers marks the words behind those that tell nothing as the beginnings of clauses, and returns the
// words behind the ones at the beginning.
func (r *rules) skipFillers(words []token) []token {
	from := 0
	for i := range words {
		if i > from && !words[i].begins {
			continue
		}
		end := r.lists[kindFiller].match(words, i)
		if end > i && end < len(words) {
			words[end].begins = true
		}
		if i == from && end > i {
			from = end
		}
	}
	return words[from:]
}

// endsWith reports whether a phrase of a kind ends the words.
func (r *rules) endsWith(k kind, words []token) bool {
	for i := max(0, len(words)-maxTagWords); i < len(words); i++ {
		if r.lists[k].match(words, i) == len(words) {
			return true
		}
	}
	return false
}

// maxTagWords is how many words a phrase at the end has, at most.
const maxTagWords = 8
