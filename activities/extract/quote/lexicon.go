package quote

import (
	"embed"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"research/internal/lexicon"
	"research/internal/words"
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
	return false
}

// turkishNegatives matches verbs with a negative suffix, without their accents: "gelmiyor", "bilmez",
// "ödeyemedik".
var turkishNegatives = regexp.MustCompile(
	`.m([iıu]yor|[ae](z|d[iı]|m[iı]s|y[ae][cn]|y[iı]p|s[iı]n|m[ae]|m$))`)

// minVerb is the size of the shortest beginning that two forms of a Turkish verb share.
const minVerb = 2

// turkishWithout matches words with the suffix that means "without".
var turkishWithout = regexp.MustCompile(`.s[iıu]z`)

// isTurkishOpposite reports whether one of two words that begin alike is a negative verb, or lacks what the
// other has: "geliyor" and "gelmiyor", "ediyor" and "etmiyor", "kullanışlı" and "kullanışsız".
func isTurkishOpposite(a, b string) bool {
	shared := 0
	for shared < min(len(a), len(b)) && (a[shared] == b[shared] || hardens(a[shared], b[shared])) {
		shared++
	}
	return shared >= minVerb && (turkishNegatives.MatchString(a) != turkishNegatives.MatchString(b) ||
		turkishWithout.MatchString(a) != turkishWithout.MatchString(b))
}

// hardens reports whether one letter is the other before a hard consonant: "d" and "t".
func hardens(a, b byte) bool { return min(a, b) == 'd' && max(a, b) == 't' }
