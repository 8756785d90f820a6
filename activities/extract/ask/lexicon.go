package ask

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"research/internal/lexicon"
	"research/internal/words"
)

//go:embed data/*.txt
var data embed.FS

var (
	quantities    = loadClasses("quantities")
	peopleWords   = loadClasses("counted-people")
	notNegations  = loadPhrases("not-negations")
	denials       = loadWords("denials")
	lightWords    = loadWords("light-words")
	subordinators = loadWords("subordinators")
)

// A phrase is a sequence of normalized words, of a class.
type phrase struct {
	words []string
	class string
}

// phrases has phrases by their first word.
type phrases map[string][]phrase

func (p phrases) add(text, class string) {
	var norms []string
	for _, token := range words.Tokenize(text) {
		norms = append(norms, token.Norm)
	}
	p[norms[0]] = append(p[norms[0]], phrase{norms, class})
}

// at returns the longest phrase that begins at a word of a text.
func (p phrases) at(text []readWord, i int) (longest phrase, ok bool) {
	for _, candidate := range p[text[i].norm] {
		if len(candidate.words) <= len(longest.words) || i+len(candidate.words) > len(text) {
			continue
		}
		isHere := true
		for j, word := range candidate.words {
			isHere = isHere && text[i+j].norm == word
		}
		if isHere {
			longest, ok = candidate, true
		}
	}
	return longest, ok
}

// loadClasses reads a list whose lines are a class, a colon, and phrases between commas.
func loadClasses(name string) phrases {
	all := phrases{}
	for _, entry := range lexicon.Entries(data, name) {
		class, list, ok := strings.Cut(entry, ":")
		if !ok {
			panic(fmt.Sprintf("data/%s.txt: %q has no class", name, entry))
		}
		for text := range strings.SplitSeq(list, ",") {
			all.add(text, class)
		}
	}
	return all
}

// loadPhrases reads a list whose lines are phrases.
func loadPhrases(name string) phrases {
	all := phrases{}
	for _, entry := range lexicon.Entries(data, name) {
		all.add(entry, name)
	}
	return all
}

// wordsOfLanguages has the languages of words.
type wordsOfLanguages map[string][]string

// has reports whether a word is on the list of a language, or of any if the language is not known.
func (w wordsOfLanguages) has(language, word string) bool {
	languages := w[word]
	return len(languages) > 0 && (language == "" || slices.Contains(languages, language))
}

// loadWords reads a list whose lines are a language and its words.
func loadWords(name string) wordsOfLanguages {
	all := wordsOfLanguages{}
	for _, entry := range lexicon.Entries(data, name) {
		fields := strings.Fields(entry)
		for _, word := range fields[1:] {
			norm := words.Normalize(word)
			all[norm] = append(all[norm], fields[0])
		}
	}
	return all
}
