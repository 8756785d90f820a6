package words

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"research/internal/lexicon"
)

// The word lists cover English, German, French, Spanish, Italian, Portuguese, Dutch, Russian, Polish,
// Turkish, Korean, Japanese, Chinese and Arabic. In other languages the alignment works by edits, digits and
// capitals alone.
//
//go:embed data/*.txt
var data embed.FS

var (
	numberWords     = loadNumberWords()
	contractions    = loadContractions()
	negations       = Set(data, "negations")
	quantifiers     = Set(data, "quantifiers")
	clauseWords     = Set(data, "clause-words")
	complementizers = Set(data, "complementizers")
	frameWords      = Set(data, "frame-words")
	otherMeanings   = loadOtherMeanings()
)

// NegationParts are the parts of words that negate in languages that write negations within words.
var NegationParts = Folded(data, "negation-parts")

// ClauseMarks are the marks that end a clause.
const ClauseMarks = ".!?…,;:–—-。！？、，；：؟،"

// IsFrameWord reports whether a word is so frequent that it says nothing about a subject: an article, a
// pronoun, a preposition, an auxiliary.
func IsFrameWord(word string) bool { return frameWords[word] }

// IsCommon reports whether a word is too frequent to be a name: it may begin a sentence.
func IsCommon(word string) bool { return frameWords[word] || clauseWords[word] || HasDigit(word) }

// IsQuantifier reports whether a word says how much or how many of something.
func IsQuantifier(word string) bool { return quantifiers[word] }

// BeginsClause reports whether a word begins another clause, as "but" does.
func BeginsClause(word string) bool { return clauseWords[word] }

// CompletesClause reports whether a word begins a clause that completes the one before its comma: "dass".
func CompletesClause(word string) bool { return complementizers[word] }

// HasOtherMeaning reports whether a word of the lists means something else in a language, given by its
// ISO 639-1 code: Portuguese "no" is no negation.
func HasOtherMeaning(language, word string) bool { return otherMeanings[language+" "+word] }

// IsNegation reports whether a word is a negation, or contains one in a script where it is a part of a word.
func IsNegation(word string) bool {
	return negations[word] || IsHangul(word) && ContainsAny(word, NegationParts)
}

// ContainsAny reports whether a word contains one of the parts.
func ContainsAny(word string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(word, part) })
}

// Folded reads a list whose entries are compared with the words of tokens.
func Folded(files fs.FS, name string) []string {
	entries := lexicon.Entries(files, name)
	for i, entry := range entries {
		entries[i] = Fold(entry)
	}
	return entries
}

// Set reads a list as a set.
func Set(files fs.FS, name string) map[string]bool {
	set := map[string]bool{}
	for _, word := range Folded(files, name) {
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
			ignored[words[0]+" "+Fold(word)] = true
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
		words[Fold(fields[0])] = fields[1]
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
