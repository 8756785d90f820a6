package words

import (
	"fmt"
	"strings"

	"research/internal/lexicon"
)

// irregularForms has the words of data/irregular-forms.txt by language: a base form and its other forms.
var irregularForms = loadIrregularForms()

func loadIrregularForms() map[string][][]string {
	forms := map[string][][]string{}
	for _, entry := range lexicon.Entries(data, "irregular-forms") {
		fields := strings.Fields(entry)
		if len(fields) < 3 {
			panic(fmt.Sprintf("data/irregular-forms.txt: %q is not a language, a base form and another", entry))
		}
		forms[fields[0]] = append(forms[fields[0]], fields[1:])
	}
	forms[""] = forms["en"] // as stemmers
	return forms
}

// Forms brings together the stems of a language that are forms or spellings of one word.
type Forms struct {
	language  string
	irregular map[string]string // the stem of the base form, by that of another form
}

// NewForms returns the forms of a language, given by its ISO 639-1 code; stem is its Stemmer.
func NewForms(language string, stem func(string) string) Forms {
	f := Forms{language: language, irregular: map[string]string{}}
	for _, forms := range irregularForms[language] {
		base := stem(forms[0])
		for _, form := range forms[1:] {
			f.irregular[stem(form)] = base
		}
	}
	return f
}

// Key returns what the stems of one word share. It need not be a word.
func (f Forms) Key(stem string) string {
	if base, ok := f.irregular[stem]; ok {
		stem = base
	}
	switch f.language {
	case "", "en":
		return americanStem(stem)
	case "de":
		return verbRoot(umlauts.Replace(stem), germanParticles)
	case "nl":
		return verbRoot(longVowels.Replace(strings.TrimSuffix(stem, "d")), dutchParticles)
	case "es":
		return diphthongs.Replace(stem)
	case "da", "no", "sv":
		return nordicLetters.Replace(stem)
	}
	return stem
}

// americanStem returns the stem of the American spelling of a word.
func americanStem(stem string) string {
	const shortest = 5
	if len(stem) < shortest {
		return stem
	}
	for _, ending := range []struct{ british, american string }{
		{"sis", "sis"}, // analysis
		{"is", "iz"},   // organise
		{"ys", "yz"},   // analyse
		{"our", "or"},  // colour
		{"tre", "ter"}, // centre
		{"ogu", "og"},  // catalogue
		{"ll", "l"},    // travelled
	} {
		if rest, ok := strings.CutSuffix(stem, ending.british); ok {
			return rest + ending.american
		}
	}
	return stem
}

// Letters that are written as two where a keyboard lacks them, and vowels that depend on their syllable. An
// umlaut is folded to its vowel, so that "ae" is, too; after another vowel it is none ("neue", "dauer").
var (
	umlauts = strings.NewReplacer(
		"aue", "aue", "eue", "eue", "iue", "iue", "que", "que", "ae", "a", "oe", "o", "ue", "u",
	)
	nordicLetters = strings.NewReplacer("aa", "a", "ae", "a", "oe", "o")
	longVowels    = strings.NewReplacer("aa", "a", "ee", "e", "oo", "o", "uu", "u")
	diphthongs    = strings.NewReplacer("ie", "e", "ue", "o") // pierde, perder; cuenta, contar
)

// Particles before the "ge" of a participle.
var (
	germanParticles = []string{
		"ab", "an", "auf", "aus", "bei", "durch", "ein", "fest", "her", "hin", "los", "mit", "nach", "um", "vor",
		"weg", "zu", "zuruck",
	}
	dutchParticles = []string{
		"aan", "af", "bij", "door", "in", "mee", "na", "om", "op", "over", "toe", "uit", "voor", "weg",
	}
)

// verbRoot returns the root of a German or Dutch verb: "zahl" of "zahlt" and "gezahlt", "einzahl" of
// "eingezahlt".
func verbRoot(stem string, particles []string) string {
	const shortest = 4
	root := strings.TrimSuffix(strings.TrimSuffix(stem, "t"), "et")
	if len(root) < shortest {
		return stem
	}
	if rest, ok := strings.CutPrefix(root, "ge"); ok && len(rest) >= shortest {
		return rest
	}
	for _, particle := range particles {
		if rest, ok := strings.CutPrefix(root, particle+"ge"); ok && len(rest) >= shortest-1 {
			return particle + rest
		}
	}
	return root
}
