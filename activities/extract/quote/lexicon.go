package quote

import (
	"embed"
	"slices"
	"strings"
	"unicode"

	"research/activities/extract/words"
	"research/internal/lexicon"
)

//go:embed data/*.txt
var data embed.FS

var (
	fillers           = loadPhrases("fillers")
	trailingNegations = words.Set(data, "trailing-negations")
	nameAnnouncers    = words.Set(data, "name-announcers")
	measures          = loadGroups("measures")
	currencies        = loadGroups("currencies")
	addressForms      = words.Folded(data, "address-forms")
	// criticalParts are the critical words of scripts where a word is not a token, or where particles follow
	// it.
	criticalParts = slices.Concat(words.NegationParts, words.Folded(data, "critical-parts"))
)

// loadGroups reads a list whose lines contain the words for the same thing. It maps each word to the first of
// its line.
func loadGroups(name string) map[string]string {
	groups := map[string]string{}
	for _, entry := range lexicon.Entries(data, name) {
		same := strings.Fields(entry)
		for _, word := range same {
			groups[words.Fold(word)] = same[0]
		}
	}
	return groups
}

// loadPhrases maps the first word of each phrase to the phrases that begin with it, the longest first.
func loadPhrases(name string) map[string][][]string {
	phrases := map[string][][]string{}
	for _, entry := range lexicon.Entries(data, name) {
		var phrase []string
		for _, tok := range words.Tokenize(entry) {
			phrase = append(phrase, tok.Norm)
		}
		same := phrases[phrase[0]]
		at := 0
		for at < len(same) && len(same[at]) >= len(phrase) {
			at++
		}
		phrases[phrase[0]] = append(same[:at:at], append([][]string{phrase}, same[at:]...)...)
	}
	return phrases
}

// isCritical reports whether adding, removing or changing a word alters what was said: negations,
// quantifiers, numbers, units, days and months do.
func isCritical(word string) bool {
	return words.IsNegation(word) || words.IsQuantifier(word) || measures[word] != "" || words.HasDigit(word) ||
		hasParticles(word) && words.ContainsAny(word, criticalParts)
}

// hasParticles reports whether a word belongs to a script in which particles are written together with nouns.
func hasParticles(word string) bool {
	return words.IsHangul(word) ||
		strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Arabic, r) })
}

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
