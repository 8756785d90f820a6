package charset

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"

	"research/transcript/internal/lexicon"
	"research/transcript/internal/plain"
)

// A codePage is an encoding with one byte per character, and the languages that use it.
type codePage struct {
	encoding  encoding.Encoding
	languages string // keys of alphabets
}

// codePages are tried in this order. A later one must read clearly better than those before.
var codePages = []codePage{
	{charmap.Windows1252, "de fr es pt it nl sv da fi is ca en"},
	{charmap.Windows1250, "pl cs sk hu ro hr sl"},
	{charmap.ISO8859_2, "pl cs sk hu ro hr sl"},
	{charmap.Windows1255, "he"},
	{charmap.Windows1251, "ru uk bg sr be"},
	{charmap.KOI8U, "ru uk"},
	{charmap.CodePage866, "ru"},
	{charmap.ISO8859_5, "ru bg sr"},
	{charmap.MacintoshCyrillic, "ru uk"},
	{charmap.Windows1253, "el"},
	{charmap.ISO8859_7, "el"},
	{charmap.Windows1254, "tr"},
	{charmap.Windows1256, "ar fa"},
	{charmap.Windows1257, "lt lv et"},
	{charmap.Windows874, "th"},
	{charmap.Macintosh, "de fr es pt it nl sv da"},
	{charmap.CodePage850, "de fr es pt it nl sv da"},
}

// alphabets are the letters beyond ASCII of each language, in lower case.
var alphabets = loadAlphabets()

func loadAlphabets() map[string]map[rune]bool {
	all := map[string]map[rune]bool{}
	for language, letters := range lexicon.Map("alphabets") {
		set := map[rune]bool{}
		for _, r := range letters {
			set[r] = true
		}
		all[language] = set
	}
	return all
}

// multibyteEncodings maps chardet's names, in lower case, to those of the WHATWG.
var multibyteEncodings = map[string]string{
	"big5":        "big5",
	"cp932":       "shift_jis",
	"cp949":       "euc-kr",
	"euc-jp":      "euc-jp",
	"euc-kr":      "euc-kr",
	"gb18030":     "gb18030",
	"gb2312":      "gb18030",
	"gbk":         "gb18030",
	"iso-2022-jp": "iso-2022-jp",
	"iso-2022-kr": "iso-2022-kr",
	"johab":       "johab",
	"shift_jis":   "shift_jis",
	"sjis":        "shift_jis",
	"uhc":         "euc-kr",
}

// guessLegacy guesses the encoding of a file that is not in Unicode. It trusts chardet with multibyte
// encodings. Among code pages chardet does not know Central European languages, Turkish, Ukrainian, Arabic
// and old Macintoshes, so that these are compared by how well they read.
func guessLegacy(data []byte) encoding.Encoding {
	head := data[:min(len(data), plain.SampleSize)]
	guess := chardet.Detect(head)
	name, isMultibyte := multibyteEncodings[strings.ToLower(guess.Encoding)]
	if isMultibyte && guess.Confidence > 0.5 && isDense(head) {
		if e, err := htmlindex.Get(name); err == nil {
			return e
		}
	}
	best, bestScore := codePages[0], 0
	for i, page := range codePages {
		text, ok := DecodeFrom(page.encoding, head)
		if !ok {
			continue
		}
		score := readability(text, strings.Fields(page.languages))
		// A later page must be better by a tenth, which is more than chance, unless it has the same languages.
		better := score > bestScore && (page.languages == best.languages || score*10 > bestScore*11)
		if i == 0 || better {
			best, bestScore = page, score
		}
	}
	return best.encoding
}

// isDense reports whether many bytes are beyond ASCII, as in scripts without ASCII letters.
func isDense(data []byte) bool {
	high, all := 0, 0
	for _, c := range data {
		if c > ' ' {
			all++
		}
		if c >= utf8.RuneSelf {
			high++
		}
	}
	return high*6 > all
}

// readability scores a decoded text: points for characters beyond ASCII that stand where they belong, in the
// language that fits best, and penalties for others.
func readability(text string, languages []string) int {
	counts := map[rune]int{} // of letters beyond ASCII
	score := 0
	prev := ' '
	for i, r := range text {
		before := prev
		prev = r
		if r < utf8.RuneSelf {
			// A capital after a small letter of one word.
			if before >= utf8.RuneSelf && unicode.IsLower(before) && unicode.IsUpper(r) {
				score -= 2
			}
			continue
		}
		switch {
		case r == utf8.RuneError || unicode.IsControl(r):
			score -= 6
		case unicode.IsLetter(r) || unicode.IsMark(r):
			counts[unicode.ToLower(r)]++
			score += letterScore(before, r)
		default:
			next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
			score += symbolScore(before, r, next)
		}
	}
	return score + alphabetScore(counts, languages)
}

// letterScore rates a letter beyond ASCII by the character before it.
func letterScore(before, r rune) int {
	score := 0
	if unicode.IsUpper(r) && unicode.IsLower(before) {
		score -= 3
	}
	if unicode.IsLetter(before) && before < utf8.RuneSelf && !unicode.Is(unicode.Latin, r) {
		score -= 2 // two scripts in one word
	}
	return score
}

// symbolScore rates a symbol by its neighbours.
func symbolScore(before, r, after rune) int {
	left, right := unicode.IsLetter(before), unicode.IsLetter(after)
	fits := false
	switch r {
	case '’', '‘', '\u00AD', '·': // within or beside words
		fits = left || right
	case '“', '„', '«', '‚', '¿', '¡', '‹': // before words
		fits = !left
	case '”', '»', '…', '›': // after words
		fits = !right || r != '…' && !left
	case '–', '—', '€', '£', '°', '\u00A0', '§', '©', '®', '™', '•', '½', '¼', '²', '³',
		'؟', '،', '؛', 'º', 'ª', '×', '±': // outside of words
		fits = !left || !right
	}
	switch {
	case fits:
		return 1
	case left && right:
		return -4
	}
	return -1
}

// alphabetScore rates letters by the alphabet of the language that fits best.
func alphabetScore(counts map[rune]int, languages []string) int {
	best := -1 << 30
	for _, language := range languages {
		alphabet, score := alphabets[language], 0
		for r, n := range counts {
			if alphabet[r] {
				score += n
			} else {
				score -= 2 * n
			}
		}
		best = max(best, score)
	}
	return best
}
