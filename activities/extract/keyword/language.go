package keyword

import (
	"strings"
	"unicode"

	"research/internal/words"
)

// IsStop reports whether a word says nothing about a subject, in a language given by its ISO 639-1 code.
// English has only the words that all extractors leave out: with its other function words left out, fewer of
// the first ten matches on QMSum were right.
func IsStop(language, word string) bool {
	return words.IsFrameWord(word) || language != "en" && words.IsFunctionWord(language, word)
}

// What a sign of a language counts, divided by the languages that share it.
const (
	functionWordSign = 1
	letterSign       = 0.75
	vocabularySign   = 0.5

	minSigns  = 0.85 // together
	minMargin = 1.5  // of the best language over the next one
)

// LanguageOf returns the ISO 639-1 code of the language of a statement, or "" if it is uncertain. It rather
// returns nothing than the wrong language: whoever calls it tells a team that an interview is in another
// language than a hypothesis. It knows the languages of the function words, and those that alone have
// their script. Statements of a few words, of which no other holds them together, can be uncertain.
//
// It is safe for concurrent use. The first call loads the thesaurus.
func LanguageOf(statement string) string {
	if language, ok := languageOfScript(statement); ok {
		return language
	}
	signs := map[string]float64{}
	add := func(languages []string, weight float64) {
		for _, language := range languages {
			signs[language] += weight / float64(len(languages))
		}
	}
	for _, r := range strings.ToLower(statement) {
		add(letterLanguages[r], letterSign)
	}
	// Slavic languages share more stems than function words, and Russian alone is in the thesaurus.
	isCyrillic := hasScript(statement, unicode.Cyrillic)
	isOther := func(r rune) bool { return !words.IsWordRune(r) }
	for word := range strings.FieldsFuncSeq(statement, isOther) {
		if languages := words.FunctionWordLanguages(words.Fold(word)); len(languages) > 0 {
			add(languages, functionWordSign)
		} else if !isCyrillic {
			add(languagesOfWord(word), vocabularySign)
		}
	}
	best, first, second := "", 0.0, 0.0
	for language, sign := range signs {
		switch {
		case sign > first || sign == first && language < best:
			best, first, second = language, sign, max(first, second)
		default:
			second = max(second, sign)
		}
	}
	if first < minSigns || first < minMargin*second {
		return ""
	}
	return best
}

// languagesOfWord returns the languages of the thesaurus that have a word.
func languagesOfWord(word string) (languages []string) {
	norm, _ := words.Of(word)
	for _, language := range words.StemLanguages() {
		if len(vocabularyOf(language)[words.Stem(language, norm)]) > 0 {
			languages = append(languages, language)
		}
	}
	return languages
}

// letterLanguages are the languages that have a letter or mark that few have.
var letterLanguages = map[rune][]string{
	'ß': {"de"}, 'ñ': {"es"}, '¿': {"es"}, '¡': {"es"}, 'ã': {"pt", "ro"}, 'õ': {"pt"}, 'œ': {"fr"},
	'ê': {"fr", "pt"}, 'è': {"ca", "fr", "it"}, 'ù': {"fr", "it"}, 'ì': {"it"}, 'ò': {"ca", "it"},
	'ç': {"ca", "fr", "pt", "tr"}, 'å': {"da", "no", "sv"}, 'ø': {"da", "no"}, 'æ': {"da", "no"}, 'ő': {"hu"},
	'ű': {"hu"}, 'ł': {"pl"}, 'ą': {"pl"}, 'ę': {"pl"}, 'ś': {"pl"}, 'ź': {"pl"}, 'ż': {"pl"}, 'ń': {"pl"},
	'ć': {"hr", "pl"}, 'ğ': {"tr"}, 'ı': {"tr"}, 'ş': {"tr"}, 'ä': {"de", "fi", "sv"}, 'ü': {"de", "hu", "tr"},
	'ë': {"fr", "nl"}, 'ï': {"ca", "fr", "nl"}, 'ř': {"cs"}, 'ě': {"cs"}, 'ů': {"cs"}, 'ă': {"ro"}, 'ș': {"ro"},
	'ț': {"ro"}, 'č': {"cs", "hr", "sk"}, 'š': {"cs", "hr", "sk"}, 'ž': {"cs", "hr", "sk"}, 'đ': {"hr", "vi"},
	'ơ': {"vi"}, 'ư': {"vi"}, 'ạ': {"vi"}, 'ả': {"vi"}, 'ế': {"vi"}, 'ệ': {"vi"}, 'ộ': {"vi"}, 'ờ': {"vi"},
}

// languageOfScript returns the language of a statement in a script that one language has. If several
// languages of ours or of others have it, and its letters do not tell, the language is "".
func languageOfScript(statement string) (language string, ok bool) {
	has := func(tables ...*unicode.RangeTable) bool { return hasScript(statement, tables...) }
	switch {
	case has(unicode.Hiragana, unicode.Katakana):
		return "ja", true
	case has(unicode.Hangul):
		return "ko", true
	case has(unicode.Han):
		return "zh", true
	case has(unicode.Greek):
		return "el", true
	case has(unicode.Hebrew):
		return "he", true
	case has(unicode.Thai):
		return "th", true
	case has(unicode.Arabic):
		if strings.ContainsAny(statement, "پچژگکیٹڈڑںے") { // of Persian and Urdu
			return "", true
		}
		return "ar", true
	case has(unicode.Cyrillic):
		switch lower := strings.ToLower(statement); {
		case strings.ContainsAny(lower, "іїєґўђћљњјъ"): // of other languages
			return "", true
		case strings.ContainsAny(lower, "ыэё"):
			return "ru", true
		}
	}
	return "", false
}

// hasScript reports whether a text has a letter of one of the scripts.
func hasScript(text string, scripts ...*unicode.RangeTable) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, scripts...) })
}
