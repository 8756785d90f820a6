package unforeseen

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/romanian"
	"golang.org/x/text/unicode/norm"

	"research/internal/lexicon"
	"research/internal/words"
)

// own are the stemmers of languages that package words has none for, because its words have no accents.
var own = map[string]func(*snowballstem.Env) bool{
	"ar": arabic.Stem, "fi": finnish.Stem, "ro": romanian.Stem,
}

// slavicEndings are endings of nouns in languages without a stemmer, the longest first.
var slavicEndings = strings.Fields("ami ach ech owi iem ego ów om em im ie ou ą ę y i a e u o")

// stemmer returns a function that finds the stem of a spelling in a language, folded. Stems depend on
// accents: those of words that are folded first are other ones for "aprobación" and "aprobaciones".
func stemmer(language string) func(string) string {
	stem := func(word string) string { return words.Stem(language, word) }
	switch language {
	case "", "en":
		stem = func(word string) string { return words.Stem(language, americanSpelling(word)) }
	case "cs", "hr", "pl", "sk":
		stem = slavicStem
	case "tr":
		stem = turkishRoot
	case "ar", "fi", "ro":
		stem = func(word string) string {
			env := snowballstem.NewEnv(word)
			own[language](env)
			return env.Current()
		}
	}
	return func(spelling string) string { return words.Fold(stem(plain(language, spelling))) }
}

// plain returns a spelling in lower case, as its language has it, without what is no letter. In Arabic, it
// has no conjunction or preposition before its article.
func plain(language, spelling string) string {
	word := strings.Map(func(r rune) rune {
		if words.IsApostrophe(r) || words.IsInvisible(r) || r == words.Tatweel {
			return -1
		}
		return r
	}, lower(language, norm.NFC.String(spelling)))
	if language == "ar" {
		for _, joined := range []string{"وال", "فال", "بال", "كال"} {
			if rest, ok := strings.CutPrefix(word, joined); ok {
				return "ال" + rest
			}
		}
		if rest, ok := strings.CutPrefix(word, "لل"); ok {
			return "ال" + rest
		}
	}
	return word
}

// british are endings of British spellings whose stems are others than those of the American ones.
var british = regexp.MustCompile(`([a-z]{3}[iy])s(e|es|ed|er|ers|ing|ation|ations)$`)

// americanSpelling returns a spelling that is the same for British and American English: "organized".
func americanSpelling(word string) string { return british.ReplaceAllString(word, "${1}z$2") }

// turkishRoot returns a Turkish word without all that may be an ending, folded. Snowball's stemmer finds
// other stems for "onayı" and "onaylar".
func turkishRoot(word string) string {
	word = words.Fold(word)
	for end := range word {
		if utf8.RuneCountInString(word[:end]) >= minRoot && words.IsTurkishEnding(word[end:]) {
			return word[:end]
		}
	}
	return word
}

// minRoot is how many characters are left of a word without its ending.
const minRoot = 4

func slavicStem(word string) string {
	for _, ending := range slavicEndings {
		if root, ok := strings.CutSuffix(word, ending); ok && utf8.RuneCountInString(root) >= minRoot {
			return root
		}
	}
	return word
}

// withoutClitic returns a word without what an apostrophe joins to it: "that's", "dell'approvazione",
// "jusqu'ici".
func (r *reader) withoutClitic(word string) string {
	at := strings.IndexFunc(word, words.IsApostrophe)
	if at <= 0 {
		return word
	}
	_, size := utf8.DecodeRuneInString(word[at:])
	switch after := word[at+size:]; r.language {
	case "fr", "it":
		return after
	case "", "en":
		switch strings.ToLower(after) {
		case "s", "ll", "re", "ve", "d", "m":
			return word[:at]
		}
	}
	return word
}

// lower returns a word in lower case, as its language has it.
func lower(language, word string) string {
	if language == "tr" {
		return strings.ToLowerSpecial(unicode.TurkishCase, word)
	}
	return strings.ToLower(word)
}

var (
	koreanParticles = split("korean-particles")
	koreanEndings   = split("korean-endings")
)

// split reads a list whose lines have several words, in order.
func split(name string) (list []string) {
	for _, entry := range lexicon.Entries(data, name) {
		list = append(list, strings.Fields(entry)...)
	}
	return list
}

// koreanNoun returns a Korean noun without its particle, or "" for other words.
func koreanNoun(word string) string {
	for _, particle := range koreanParticles {
		if noun, ok := strings.CutSuffix(word, particle); ok && utf8.RuneCountInString(noun) >= minSyllables {
			word = noun
			break
		}
	}
	for _, ending := range koreanEndings {
		if strings.HasSuffix(word, ending) {
			return ""
		}
	}
	if utf8.RuneCountInString(word) < minSyllables {
		return ""
	}
	return word
}
