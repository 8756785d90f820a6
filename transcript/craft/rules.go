package craft

import (
	"embed"
	"fmt"
	"slices"
	"strings"

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
	kindLeading
	kindNotLeading
	kindCommon // says nothing about a subject
	kinds
)

var kindNames = map[string]kind{
	"ask open": kindAskOpen, "ask closed": kindAskClosed, "open": kindOpen, "closed": kindClosed,
	"filler": kindFiller, "ask end": kindAskEnd, "tag": kindTag, "closed end": kindClosedEnd, "frame": kindFrame,
	"question word": kindQuestionWord,
	"past":          kindPast, "not past": kindNotPast,
	"hypothetical": kindHypothetical, "not hypothetical": kindNotHypothetical,
	"leading": kindLeading, "not leading": kindNotLeading, "common": kindCommon,
}

// rules are the lists of a language.
type rules struct {
	elides bool
	lists  [kinds]list
}

// A list is the phrases of one kind.
type list struct {
	byWord map[string][]pattern // by their first word
	others []pattern            // those that begin with part of a word
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
	first := p[0]
	keyed := first.sign == 0
	for _, run := range first.runs {
		keyed = keyed && !run[0].exact && !run[0].anyEnd && !run[0].anyTop
	}
	if !keyed {
		l.others = append(l.others, p)
		return
	}
	if l.byWord == nil {
		l.byWord = map[string][]pattern{}
	}
	seen := map[string]bool{}
	for _, run := range first.runs {
		if key := run[0].text; !seen[key] {
			seen[key] = true
			l.byWord[key] = append(l.byWord[key], p)
		}
	}
}

// match returns the end of the longest phrase at i, or -1.
func (l *list) match(words []token, i int) int {
	end := -1
	for _, p := range l.byWord[words[i].folded] {
		end = max(end, p.match(words, i))
	}
	for _, p := range l.others {
		end = max(end, p.match(words, i))
	}
	return end
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

// skipFillers marks the words behind those that tell nothing as the beginnings of clauses, and returns the words
// behind the ones at the beginning.
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
