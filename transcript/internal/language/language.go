// Package language guesses the language of a text, by its script and its frequent words.
//
// It returns nothing rather than a doubtful guess, so that no wrong stemmer is used.
package language

import (
	"strings"
	"unicode"

	"research/transcript/internal/lexicon"
	"research/transcript/internal/plain"
)

var languageNames = lexicon.Map("language-names")

// Code returns "en" for "en_us", "English" and the like, or "" if the language is unknown.
func Code(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if code, ok := languageNames[s]; ok {
		return code
	}
	code, _, _ := strings.Cut(strings.ReplaceAll(s, "_", "-"), "-")
	if len(code) != 2 || code[0] < 'a' || code[0] > 'z' || code[1] < 'a' || code[1] > 'z' {
		return ""
	}
	return code
}

// languageSampleSize is how much of a text is read to guess its language.
const languageSampleSize = 64 << 10

// Guess returns an ISO 639-1 code, by the script if that suffices, else by frequent words. It returns
// "" without a clear winner, so that no wrong stemmer is used.
func Guess(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), languageSampleSize)], "")
	c := countScripts(text)
	if c.letters < 10 {
		return ""
	}
	kana := c.scripts[unicode.Hiragana] + c.scripts[unicode.Katakana]
	if kana*10 > c.letters && c.isMost(kana+c.scripts[unicode.Han]) {
		return "ja"
	}
	switch {
	case c.isMost(c.scripts[unicode.Han]):
		return "zh"
	case c.isMost(c.scripts[unicode.Hangul]):
		return "ko"
	case c.isMost(c.scripts[unicode.Greek]):
		return "el"
	case c.isMost(c.scripts[unicode.Hebrew]):
		return "he"
	case c.isMost(c.scripts[unicode.Devanagari]):
		return "hi"
	case c.isMost(c.scripts[unicode.Thai]):
		return "th"
	case c.isMost(c.scripts[unicode.Cyrillic]):
		return c.cyrillicLanguage()
	case c.isMost(c.scripts[unicode.Arabic]):
		return c.arabicLanguage()
	case c.isMost(c.scripts[unicode.Latin]):
		return latinLanguage(text)
	}
	return ""
}

// scriptCounts counts the letters of a text.
type scriptCounts struct {
	letters int
	scripts map[*unicode.RangeTable]int
	marks   map[rune]int // letters that distinguish languages of one script
}

// knownScripts are tried in this order for letters beyond Latin.
var knownScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Cyrillic, unicode.Arabic,
	unicode.Greek, unicode.Hebrew, unicode.Devanagari, unicode.Thai, unicode.Latin,
}

const (
	lastLatin    = 0x24F // of Unicode's Latin blocks at the beginning
	markLetters  = "іїєґўђћљњјъыэپچژگکیٹڈڑںے"
	ukrainian    = "іїєґ"
	serbian      = "ђћљњј"
	urdu         = "ٹڈڑںے"
	persian      = "پچژگکی"
	manyMarks    = 50  // one letter of fifty
	severalMarks = 200 // one letter of two hundred
)

func countScripts(text string) scriptCounts {
	c := scriptCounts{scripts: map[*unicode.RangeTable]int{}, marks: map[rune]int{}}
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		c.letters++
		if r <= lastLatin {
			c.scripts[unicode.Latin]++
			continue
		}
		for _, script := range knownScripts {
			if unicode.Is(script, r) {
				c.scripts[script]++
				break
			}
		}
		if lower := unicode.ToLower(r); strings.ContainsRune(markLetters, lower) {
			c.marks[lower]++
		}
	}
	return c
}

// isMost reports whether n is more than half of the letters.
func (c scriptCounts) isMost(n int) bool { return n*2 > c.letters }

func (c scriptCounts) countMarks(letters string) int {
	total := 0
	for _, r := range letters {
		total += c.marks[r]
	}
	return total
}

func (c scriptCounts) cyrillicLanguage() string {
	cyrillic := c.scripts[unicode.Cyrillic]
	switch {
	case c.countMarks("ў") > cyrillic/severalMarks:
		return "be"
	case c.countMarks(ukrainian) > cyrillic/manyMarks:
		return "uk"
	case c.countMarks(serbian) > cyrillic/manyMarks:
		return "sr"
	case c.countMarks("ыэ") > cyrillic/severalMarks:
		return "ru"
	case c.countMarks("ъ") > cyrillic/severalMarks:
		return "bg"
	}
	return ""
}

func (c scriptCounts) arabicLanguage() string {
	switch {
	case c.countMarks(urdu) > c.letters/manyMarks:
		return "ur"
	case c.countMarks(persian) > c.letters/manyMarks:
		return "fa"
	}
	return "ar"
}

// stopWordLanguages maps frequent words to the languages in which they are frequent.
var stopWordLanguages = loadStopWords()

func loadStopWords() map[string][]string {
	languages := map[string][]string{}
	for _, pair := range lexicon.Pairs("stop-words") {
		language, word := pair[0], pair[1]
		languages[word] = append(languages[word], language)
	}
	return languages
}

// latinLanguage returns the language with the most frequent words.
func latinLanguage(text string) string {
	isSeparator := func(r rune) bool { return plain.IsNotLetter(r) && r != '\'' && r != '’' }
	total := 0
	scores := map[string]int{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), isSeparator) {
		total++
		for _, language := range stopWordLanguages[strings.ReplaceAll(word, "’", "'")] {
			scores[language]++
		}
	}
	best, first, second := "", 0, 0
	for language, score := range scores {
		switch {
		case score > first || score == first && language < best:
			best, first, second = language, score, max(first, second)
		default:
			second = max(second, score)
		}
	}
	// Danish and Norwegian share nearly all of their frequent words: a narrow margin decides between them.
	isClear := first*4 >= second*5
	if best == "da" || best == "no" {
		isClear = first > second
	}
	if total < 8 || first*8 < total || first < 3 || !isClear {
		return ""
	}
	return best
}
