package extract

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"research/internal/lexicon"
)

// The word lists cover English, German, French, Spanish, Italian, Portuguese, Dutch, Russian, Polish, Turkish,
// Korean, Japanese, Chinese and Arabic. In other languages the alignment works by edits, digits and capitals
// alone.
//
//go:embed data/*.txt
var data embed.FS

var (
	numberWords       = loadNumberWords()
	contractions      = loadContractions()
	fillers           = loadPhrases("fillers")
	negations         = loadWords("negations")
	trailingNegations = loadWords("trailing-negations")
	quantifiers       = loadWords("quantifiers")
	clauseWords       = loadWords("clause-words")
	complementizers   = loadWords("complementizers")
	nameParticles     = loadWords("name-particles")
	roles             = loadWords("roles")
	wordsAndNames     = loadWords("words-and-names")
	nameAnnouncers    = loadWords("name-announcers")
	otherMeanings     = loadOtherMeanings()
	measures          = loadGroups("measures")
	currencies        = loadGroups("currencies")
	addressForms      = loadFolded("address-forms")
	negationParts     = loadFolded("negation-parts")
	// criticalParts are the critical words of scripts where a word is not a token, or where particles follow
	// it.
	criticalParts = slices.Concat(negationParts, loadFolded("critical-parts"))
)

// loadFolded reads a list whose entries are compared with the words of tokens.
func loadFolded(name string) []string {
	entries := lexicon.Entries(data, name)
	for i, entry := range entries {
		entries[i] = fold(entry)
	}
	return entries
}

// loadWords reads a list as a set.
func loadWords(name string) map[string]bool {
	set := map[string]bool{}
	for _, word := range loadFolded(name) {
		set[word] = true
	}
	return set
}

// loadGroups reads a list whose lines contain the words for the same thing. It maps each word to the first of
// its line.
func loadGroups(name string) map[string]string {
	groups := map[string]string{}
	for _, entry := range lexicon.Entries(data, name) {
		words := strings.Fields(entry)
		for _, word := range words {
			groups[fold(word)] = words[0]
		}
	}
	return groups
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

// loadPhrases maps the first word of each phrase to the phrases that begin with it, the longest first.
func loadPhrases(name string) map[string][][]string {
	phrases := map[string][][]string{}
	for _, entry := range lexicon.Entries(data, name) {
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

// isCritical reports whether adding, removing or changing a word alters what was said: negations, quantifiers,
// numbers, units, days and months do.
func isCritical(word string) bool {
	return isNegation(word) || quantifiers[word] || measures[word] != "" || hasDigit(word) ||
		hasParticles(word) && containsAny(word, criticalParts)
}

// isNegation reports whether a word is a negation, or contains one in a script where it is a part of a word.
func isNegation(word string) bool {
	return negations[word] || isHangul(word) && containsAny(word, negationParts)
}

func containsAny(word string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(word, part) })
}

// hasParticles reports whether a word belongs to a script in which particles are written together with nouns.
func hasParticles(word string) bool {
	return isHangul(word) || strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Arabic, r) })
}

func isHangul(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Hangul, r) })
}

func hasDigit(word string) bool { return strings.ContainsFunc(word, unicode.IsDigit) }

// sameMeasure reports whether two words name the same unit, day or month: "hour" and "hours".
func sameMeasure(a, b string) bool { return measures[a] != "" && measures[a] == measures[b] }

// negativePrefixes make the opposite of a word.
var negativePrefixes = []string{
	"un", "in", "im", "ir", "il", "dis", "non", "mis", "des", "on", "не", "бес", "без", "nie", "ne",
}

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
	return isTurkishOpposite(a, b) || isTurkishOpposite(b, a)
}

// minStem is the size of the shortest stem to which isTurkishOpposite looks for a suffix.
const minStem = 2

// isTurkishOpposite reports whether the second word has the negative suffix -m, -ma or -me that the first
// lacks: "geliyor" and "gelmiyor", "bilir" and "bilmez".
func isTurkishOpposite(positive, negative string) bool {
	stem := 0
	for stem < min(len(positive), len(negative)) && (positive[stem] == negative[stem] ||
		positive[stem] == 'd' && negative[stem] == 't') { // "ediyor" and "etmiyor"
		stem++
	}
	rest, ok := strings.CutPrefix(negative[stem:], "m")
	if stem < minStem || !ok || rest == "" {
		return false
	}
	ending := positive[stem:]
	switch {
	case ending == "":
		return false
	case strings.Contains(ending, "yor"): // "geliyor", "gelmiyor"; "okuyor", "okumuyor"
		return rest == ending || rest[1:] == ending
	case rest[0] == 'a' || rest[0] == 'e':
		after := rest[1:]
		return after == ending || strings.HasPrefix(after, "z") && strings.Contains(ending, "r") ||
			strings.HasPrefix(after, "y") && strings.Contains(ending, "r") ||
			strings.HasPrefix(after, "d") && strings.HasPrefix(ending, "t")
	}
	return false
}
