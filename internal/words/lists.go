package words

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"research/internal/lexicon"
)

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
	otherMeanings   = loadByLanguage("other-meanings")
	ownMeanings     = loadByLanguage("own-meanings")
	ownNegations    = loadByLanguage("own-negations")
)

// covered are the languages of the word lists, by their ISO 639-1 codes.
var covered = []string{
	"ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "tr", "zh",
}

// Covers reports whether the word lists cover a language. A language that is not known is taken for one of
// them: most transcripts are too short or too mixed to guess, not in a rare language.
func Covers(language string) bool { return language == "" || slices.Contains(covered, language) }

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

// Quantifiers returns the words for which IsQuantifier is true. They must not be changed.
func Quantifiers() map[string]bool { return quantifiers }

// BeginsClause reports whether a word begins another clause, as "but" does.
func BeginsClause(word string) bool { return clauseWords[word] }

// CompletesClause reports whether a word begins a clause that completes the one before its comma: "dass".
func CompletesClause(word string) bool { return complementizers[word] }

// HasOtherMeaning reports whether a word of the lists means something else in a language, given by its
// ISO 639-1 code: Portuguese "no" is no negation.
func HasOtherMeaning(language, word string) bool { return otherMeanings[language+" "+word] }

// HasOwnMeaning reports whether a word must not differ in a language, though it may in others: Turkish "on"
// is a number.
func HasOwnMeaning(language, word string) bool { return ownMeanings[language+" "+word] }

// IsOwnNegation reports whether a word is a negation in a language only: French "plus", which may also mean
// "more".
func IsOwnNegation(language, word string) bool { return ownNegations[language+" "+word] }

// IsNegation reports whether a word is a negation, or contains one in a script where it is a part of a word.
func IsNegation(word string) bool {
	return negations[word] || IsHangul(word) && ContainsAny(word, NegationParts)
}

// Negates reports whether a word is a negation in a language, given by its ISO 639-1 code.
func Negates(language, word string) bool {
	return IsOwnNegation(language, word) || IsNegation(word) && !HasOtherMeaning(language, word)
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

// loadByLanguage reads a list whose lines are a language and its words: it contains "pt no".
func loadByLanguage(name string) map[string]bool {
	set := map[string]bool{}
	for _, entry := range lexicon.Entries(data, name) {
		words := strings.Fields(entry)
		for _, word := range words[1:] {
			set[words[0]+" "+Fold(word)] = true
		}
	}
	return set
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
