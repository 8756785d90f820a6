package extract

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"research/internal/lexicon"
)

// The word lists cover English, German, French, Spanish, Italian, Portuguese, Dutch, Russian, Polish, Turkish,
// Korean, Japanese, Chinese and Arabic. In other languages the alignment works by edits, digits and capitals
// alone.
//
//go:embed data/*.txt
var data embed.FS

var (
	numberWords     = loadNumberWords()
	contractions    = loadContractions()
	negations       = loadWords(data, "negations")
	negationParts   = loadFolded(data, "negation-parts")
	quantifiers     = loadWords(data, "quantifiers")
	clauseWords     = loadWords(data, "clause-words")
	complementizers = loadWords(data, "complementizers")
	frameWords      = loadWords(data, "frame-words")
	otherMeanings   = loadOtherMeanings()
)

const clauseMarks = ".!?…,;:–—-。！？、，；：؟،"

// isCommonWord reports whether a word is too frequent to be a name: it may begin a sentence.
func isCommonWord(word string) bool { return frameWords[word] || clauseWords[word] || hasDigit(word) }

// isNegation reports whether a word is a negation, or contains one in a script where it is a part of a word.
func isNegation(word string) bool {
	return negations[word] || isHangul(word) && containsAny(word, negationParts)
}

func containsAny(word string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(word, part) })
}

// loadFolded reads a list whose entries are compared with the words of tokens.
func loadFolded(files fs.FS, name string) []string {
	entries := lexicon.Entries(files, name)
	for i, entry := range entries {
		entries[i] = fold(entry)
	}
	return entries
}

// loadWords reads a list as a set.
func loadWords(files fs.FS, name string) map[string]bool {
	set := map[string]bool{}
	for _, word := range loadFolded(files, name) {
		set[word] = true
	}
	return set
}

// loadOtherMeanings maps a language and a space before a word to whether the word is to be ignored.
func loadOtherMeanings() map[string]bool {
	ignored := map[string]bool{}
	for _, entry := range lexicon.Entries(data, "other-meanings") {
		words := strings.Fields(entry)
		for _, word := range words[1:] {
			ignored[words[0]+" "+fold(word)] = true
		}
	}
	return ignored
}

// loadNumberWords maps number words to digits.
func loadNumberWords() map[string]string {
	words := map[string]string{}
	for _, entry := range lexicon.Entries(data, "numbers") {
		fields := strings.Fields(entry)
		if len(fields) != 2 {
			panic(fmt.Sprintf("data/numbers.txt: %q is not a word and its digits", entry))
		}
		words[fold(fields[0])] = fields[1]
	}
	return words
}

// loadContractions maps contractions to their two words.
func loadContractions() map[string][2]string {
	words := map[string][2]string{}
	for _, entry := range lexicon.Entries(data, "contractions") {
		fields := strings.Fields(entry)
		if len(fields) != 3 {
			panic(fmt.Sprintf("data/contractions.txt: %q is not a contraction and its two words", entry))
		}
		words[fields[0]] = [2]string{fields[1], fields[2]}
	}
	return words
}
