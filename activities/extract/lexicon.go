package extract

import (
	"embed"
	"fmt"
	"strings"
	"unicode"
)

// The word lists have one entry a line; a line that begins with # is a comment. The alignment knows English,
// German, French, Spanish, Arabic and Japanese. In other languages it works by edits and digits alone.
//
//go:embed data/*.txt
var lexicon embed.FS

var (
	numberWords  = loadNumberWords()
	contractions = loadContractions()
	fillers      = loadPhrases("fillers")
	critical     = loadWords("critical-words")
	// criticalParts are the critical words of scripts without spaces, where a word is not a token.
	criticalParts = loadEntries("critical-parts")
)

// loadEntries reads a list of the lexicon.
func loadEntries(name string) []string {
	raw, err := lexicon.ReadFile("data/" + name + ".txt")
	if err != nil {
		panic(err) // the name is a constant
	}
	var entries []string
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			entries = append(entries, line)
		}
	}
	return entries
}

// loadWords reads a list as a set.
func loadWords(name string) map[string]bool {
	set := map[string]bool{}
	for _, word := range loadEntries(name) {
		set[word] = true
	}
	return set
}

// loadNumberWords maps number words to digits.
func loadNumberWords() map[string]string {
	words := map[string]string{}
	for _, entry := range loadEntries("numbers") {
		fields := strings.Fields(entry)
		if len(fields) != 2 {
			panic(fmt.Sprintf("data/numbers.txt: %q is not a word and its digits", entry))
		}
		words[fields[0]] = fields[1]
	}
	return words
}

// loadContractions maps contractions to their two words.
func loadContractions() map[string][2]string {
	words := map[string][2]string{}
	for _, entry := range loadEntries("contractions") {
		fields := strings.Fields(entry)
		if len(fields) != 3 {
			panic(fmt.Sprintf("data/contractions.txt: %q is not a contraction and its two words", entry))
		}
		words[fields[0]] = [2]string{fields[1], fields[2]}
	}
	return words
}

// loadPhrases maps the first word of each phrase to the phrases that begin with it, the longest first.
func loadPhrases(name string) map[string][][]string {
	phrases := map[string][][]string{}
	for _, entry := range loadEntries(name) {
		var words []string
		for _, tok := range tokenize(entry) {
			words = append(words, tok.norm)
		}
		same := phrases[words[0]]
		at := 0
		for at < len(same) && len(same[at]) >= len(words) {
			at++
		}
		phrases[words[0]] = append(same[:at:at], append([][]string{words}, same[at:]...)...)
	}
	return phrases
}

// isCritical reports whether adding, removing or changing a word alters what was said: negations, quantifiers
// and numbers do.
func isCritical(word string) bool { return critical[word] || hasDigit(word) }

func hasDigit(word string) bool { return strings.ContainsFunc(word, unicode.IsDigit) }

// negativePrefixes make the opposite of a word.
var negativePrefixes = []string{"un", "in", "im", "ir", "il", "dis", "non", "mis", "des"}

// isOpposite reports whether one word is the other with a negative prefix or suffix: "able" and "unable",
// "useful" and "useless".
func isOpposite(a, b string) bool {
	if strings.TrimSuffix(a, "ful") == strings.TrimSuffix(b, "less") ||
		strings.TrimSuffix(a, "less") == strings.TrimSuffix(b, "ful") {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	for _, prefix := range negativePrefixes {
		if b == prefix+a {
			return true
		}
	}
	return false
}
