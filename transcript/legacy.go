package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// A codePage is an encoding of one byte a character, and the languages that were written in it.
type codePage struct {
	encoding  encoding.Encoding
	languages string // keys of alphabets
}

// codePages are tried in this order; a later one wins only if it reads better.
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
var alphabets = map[string]map[rune]bool{
	"en": letters("é"), "de": letters("äöüß"), "fr": letters("àâæçéèêëîïôœùûüÿ"), "es": letters("áéíñóúü"), "pt": letters("àáâãçéêíóôõúü"),
	"it": letters("àèéìíîòóù"), "nl": letters("éèëïóöüá"), "sv": letters("åäöé"), "da": letters("æøåé"), "fi": letters("äöå"), "is": letters("áðéíóúýþæö"), "ca": letters("àçèéíïòóúü"),
	"pl": letters("ąćęłńóśźż"), "cs": letters("áčďéěíňóřšťúůýž"), "sk": letters("áäčďéíĺľňóôŕšťúýž"), "hu": letters("áéíóöőúüű"), "ro": letters("ăâîşţșț"),
	"hr": letters("čćđšž"), "sl": letters("čšž"), "tr": letters("çğıiöşüâî"), "lt": letters("ąčęėįšųūž"), "lv": letters("āčēģīķļņšūž"), "et": letters("äõöüšž"),
	"ru": letters("абвгдеёжзийклмнопрстуфхцчшщъыьэюя"), "uk": letters("абвгґдеєжзиіїйклмнопрстуфхцчшщьюя"), "be": letters("абвгдеёжзійклмнопрстуўфхцчшыьэюя"),
	"bg": letters("абвгдежзийклмнопрстуфхцчшщъьюя"), "sr": letters("абвгдђежзијклљмнњопрстћуфхцчџш"),
	"el": letters("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ"), "he": letters("אבגדהוזחטיךכלםמןנסעףפץצקרשת"),
	"ar": letters("ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيًٌٍَُِّْ"), "fa": letters("آأؤئابپتثجچحخدذرزژسشصضطظعغفقکكگلمنهوىيیهة"),
	"th": letters("กขฃคฅฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮะัาำิีึืฺุูเแโใไๅๆ็่้๊๋์ํ"),
}

func letters(s string) map[rune]bool {
	set := map[rune]bool{}
	for _, r := range s {
		set[r] = true
	}
	return set
}

// legacyEncoding guesses among the encodings from before Unicode. Those of several bytes a character are chardet's to tell; among
// code pages it does not know the languages of central Europe, Turkish, Ukrainian, Arabic and old Macintoshes, so that they are told
// by whose reading has the letters of one language, in their places.
func legacyEncoding(data []byte) encoding.Encoding {
	head := data[:min(len(data), sample)]
	if guess := chardet.Detect(head); guess.Confidence > 0.5 && manyHighBytes(head) {
		switch name := strings.ToLower(guess.Encoding); name {
		case "shift_jis", "sjis", "euc-jp", "gb2312", "gbk", "gb18030", "big5", "euc-kr", "cp949", "johab", "uhc", "iso-2022-jp", "iso-2022-kr", "cp932":
			switch name {
			case "gb2312", "gbk":
				name = "gb18030"
			case "cp949", "uhc":
				name = "euc-kr"
			case "cp932", "sjis":
				name = "shift_jis"
			}
			if e, err := htmlindex.Get(name); err == nil {
				return e
			}
		}
	}
	best, score := codePages[0], 0
	for i, page := range codePages {
		text, ok := from(page.encoding, head)
		if !ok {
			continue
		}
		s := reads(text, strings.Fields(page.languages))
		// What comes later must be better by more than chance, a tenth, unless it is of the same languages.
		if i == 0 || s > score && (page.languages == best.languages || s*10 > score*11) {
			best, score = page, s
		}
	}
	return best.encoding
}

// manyHighBytes holds for scripts whose every letter is beyond ASCII.
func manyHighBytes(data []byte) bool {
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

// reads scores a reading: for each character beyond ASCII, a point if it stands where such a one belongs, less if it does not; with
// the language of those given that fits best.
func reads(text string, languages []string) int {
	counts := map[rune]int{}
	places := 0
	prev := ' '
	for i, r := range text {
		before := prev
		prev = r
		if r < utf8.RuneSelf {
			// A capital within a word of foreign small letters is as wrong as the other way round.
			if before >= utf8.RuneSelf && unicode.IsLower(before) && unicode.IsUpper(r) {
				places -= 2
			}
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
		switch {
		case r == utf8.RuneError || unicode.IsControl(r):
			places -= 6
		case unicode.IsLetter(r) || unicode.IsMark(r):
			counts[unicode.ToLower(r)]++
			if unicode.IsUpper(r) && unicode.IsLower(before) {
				places -= 3
			}
			if unicode.IsLetter(before) && (before < utf8.RuneSelf) != (r < utf8.RuneSelf) && !unicode.Is(unicode.Latin, r) {
				places -= 2 // two scripts in a word
			}
		default:
			places += placed(before, r, next)
		}
	}
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
	return best + places
}

// placed judges a sign by its neighbours.
func placed(before, r, next rune) int {
	left, right := unicode.IsLetter(before), unicode.IsLetter(next)
	switch r {
	case '’', '‘', '\u00AD', '·':
		if left || right {
			return 1
		}
	case '“', '„', '«', '‚', '¿', '¡', '‹':
		if !left {
			return 1
		}
	case '”', '»', '…', '›':
		if !right || r != '…' && !left {
			return 1
		}
	case '–', '—', '€', '£', '°', '\u00A0', '§', '©', '®', '™', '•', '½', '¼', '²', '³', '؟', '،', '؛', 'º', 'ª', '×', '±':
		if !left || !right {
			return 1
		}
	}
	if left && right {
		return -4
	}
	return -1
}
