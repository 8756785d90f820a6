package words

import (
	"slices"
	"strings"

	"research/internal/lexicon"
)

// functionWords maps the folded words of data/function-words.txt to the languages that have them.
var functionWords = loadFunctionWords()

func loadFunctionWords() map[string][]string {
	languages := map[string][]string{}
	for _, entry := range lexicon.Entries(data, "function-words") {
		fields := strings.Fields(entry)
		for _, word := range fields[1:] {
			word = Fold(word)
			if !slices.Contains(languages[word], fields[0]) {
				languages[word] = append(languages[word], fields[0])
			}
		}
	}
	return languages
}

// IsFunctionWord reports whether a word holds sentences of a language together, and says nothing about a
// subject. The language is given by its ISO 639-1 code.
func IsFunctionWord(language, word string) bool {
	return slices.Contains(functionWords[word], language)
}

// FunctionWordLanguages returns the languages of which a word is a function word. They must not be changed.
func FunctionWordLanguages(word string) []string { return functionWords[word] }
