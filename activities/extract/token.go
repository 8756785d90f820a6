package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A token is a word, a number, or a character of a script without spaces, in a form in which typography, case and accents do not matter.
type token struct {
	norm       string
	start, end int // bytes of the text
}

// tokenize cuts a text into tokens. Punctuation and symbols are none.
func tokenize(s string) []token {
	tokens := make([]token, 0, len(s)/6+1)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case standsAlone(r):
			tokens = append(tokens, token{normalize(s[i : i+size]), i, i + size})
			i += size
		case isWordRune(r):
			end := wordEnd(s, i)
			if n := normalize(s[i:end]); n != "" {
				tokens = append(tokens, token{n, i, end})
			}
			i = end
		default:
			i += size
		}
	}
	return tokens
}

// wordEnd goes on over letters, digits and marks, and over an apostrophe between letters or a point or comma between digits.
func wordEnd(s string, i int) int {
	var before rune
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if standsAlone(r) {
			return i
		}
		if !isWordRune(r) {
			after, _ := utf8.DecodeRuneInString(s[i+size:])
			joins := isApostrophe(r) && unicode.IsLetter(before) && unicode.IsLetter(after) ||
				(r == '.' || r == ',') && unicode.IsDigit(before) && unicode.IsDigit(after)
			if !joins {
				return i
			}
		}
		before = r
		i += size
	}
	return i
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || r == 'ー'
}

func isApostrophe(r rune) bool {
	return r == '\'' || r == '’' || r == '‘' || r == 'ʼ' || r == '`' || r == '´'
}

// standsAlone tells scripts that put no spaces between words.
func standsAlone(r rune) bool {
	return r > 0xE00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// normalize folds compatibility forms, case, accents and apostrophes, and writes number words as digits.
func normalize(s string) string {
	if isPlain(s) {
		if digit, ok := numberWords[s]; ok {
			return digit
		}
		return s
	}
	var b strings.Builder
	kana := false
	for _, r := range norm.NFKD.String(s) {
		r = unicode.ToLower(r)
		switch {
		case isApostrophe(r), r == 'ـ': // Arabic tatweel only stretches
			continue
		case r == 'ß':
			b.WriteString("ss")
			continue
		case unicode.Is(unicode.Mn, r) && !kana: // in kana the mark makes another letter
			continue
		case r == 'ى':
			r = 'ي'
		case r == 'ة':
			r = 'ه'
		}
		kana = unicode.In(r, unicode.Hiragana, unicode.Katakana)
		b.WriteRune(r)
	}
	out := b.String()
	if digit, ok := numberWords[out]; ok {
		return digit
	}
	return out
}

func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' || c == '\'' || c == '`' {
			return false
		}
	}
	return true
}

// numberWords are written out and as digits alike. Words that mean something else as well (German "acht" apart, French "un", Spanish "uno") stay out
// where they are articles.
var numberWords = map[string]string{
	"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
	"eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70",
	"eighty": "80", "ninety": "90", "hundred": "100", "thousand": "1000", "million": "1000000",
	"null": "0", "zwei": "2", "drei": "3", "vier": "4", "funf": "5", "sechs": "6", "sieben": "7", "acht": "8", "neun": "9", "zehn": "10",
	"elf": "11", "zwolf": "12", "zwanzig": "20", "dreissig": "30", "hundert": "100", "tausend": "1000",
	"deux": "2", "trois": "3", "quatre": "4", "cinq": "5", "sept": "7", "huit": "8", "neuf": "9", "dix": "10", "vingt": "20", "cent": "100", "mille": "1000",
	"dos": "2", "tres": "3", "cuatro": "4", "cinco": "5", "seis": "6", "siete": "7", "ocho": "8", "nueve": "9", "diez": "10", "veinte": "20", "cien": "100", "mil": "1000",
}

// fillers may be left out or put in: people clean them from quotes.
var fillers = wordSet(`um uh uhm erm er ah eh hm hmm mm mmm mhm oh like well so okay ok right yeah actually basically literally just
	ah ahm oh hm also halt eben euh ben bah hein eh este pues bueno o sea あの えっと ええと え يعني اه`)

// fillerPairs are two words that fill together.
var fillerPairs = map[[2]string]bool{
	{"you", "know"}: true, {"i", "mean"}: true, {"sort", "of"}: true, {"kind", "of"}: true, {"you", "see"}: true,
	{"ich", "mein"}: true, {"ich", "meine"}: true, {"tu", "sais"}: true, {"vous", "savez"}: true, {"o", "sea"}: true,
}

// critical words turn a sentence's meaning: negations and quantifiers. Numbers count as well, see isCritical.
var critical = wordSet(`not no nor never none nobody nothing nowhere neither without cannot hardly barely rarely seldom
	dont doesnt didnt cant couldnt wont wouldnt shouldnt isnt arent wasnt werent havent hasnt hadnt aint mustnt neednt
	all every everyone everybody everything always only some any most few many several both each half twice often sometimes less more
	least fewer enough too
	nicht kein keine keinen keinem keiner nie niemals niemand nichts ohne weder kaum selten alle alles jeder jede jedes immer nur
	manche einige wenige viele meisten oft manchmal mehr weniger halb
	pas jamais rien personne aucun aucune sans ni guere tous toutes tout toujours seulement quelques plusieurs souvent parfois plus moins moitie non
	nunca jamas nada nadie ningun ninguno ninguna sin tampoco todos todas todo siempre solo algunos algunas muchos muchas pocos pocas mas menos medio
	لا لم لن ليس ليست غير بدون ابدا كل جميع بعض دايما كثير قليل ما`)

// criticalParts are the same in scripts without spaces, where a word is no token.
var criticalParts = []string{"ない", "ません", "なく", "なかっ", "ずに", "不", "没", "無", "未", "非", "全", "必ず", "いつも", "だけ", "ไม่"}

// ideographicDigits are numbers in those scripts.
const ideographicDigits = "〇一二三四五六七八九十百千万億半"

// negativePrefixes make the opposite of a word.
var negativePrefixes = []string{"un", "in", "im", "ir", "il", "dis", "non", "mis"}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// isCritical tells whether a changed, missing or added word of this kind changes what was said.
func isCritical(word string) bool {
	if critical[word] || word[0] >= '0' && word[0] <= '9' || strings.Contains(ideographicDigits, word) {
		return true
	}
	for _, r := range word {
		if unicode.IsDigit(r) {
			return true
		}
	}
	return false
}

// isOpposite tells "able" from "unable".
func isOpposite(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	for _, p := range negativePrefixes {
		if b == p+a {
			return true
		}
	}
	return false
}
