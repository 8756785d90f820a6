package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The words that the alignment treats apart, in the form that normalize gives them: in English, German, French, Spanish, Arabic and Japanese. In other languages
// it works by edits and digits alone.

// numberWords are written out and as digits alike. Words that are articles or mean something else as well (English "second", French "un") stay out.
var numberWords = map[string]string{
	"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10",
	"eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14", "fifteen": "15", "sixteen": "16", "seventeen": "17", "eighteen": "18", "nineteen": "19",
	"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70",
	"eighty": "80", "ninety": "90", "hundred": "100", "thousand": "1000", "million": "1000000", "billion": "1000000000",
	"null": "0", "zwei": "2", "drei": "3", "vier": "4", "funf": "5", "sechs": "6", "sieben": "7", "acht": "8", "neun": "9", "zehn": "10",
	"elf": "11", "zwolf": "12", "zwanzig": "20", "dreissig": "30", "vierzig": "40", "funfzig": "50", "hundert": "100", "tausend": "1000",
	"deux": "2", "trois": "3", "quatre": "4", "cinq": "5", "sept": "7", "huit": "8", "neuf": "9", "dix": "10", "douze": "12", "quinze": "15",
	"vingt": "20", "trente": "30", "quarante": "40", "cinquante": "50", "cent": "100", "mille": "1000",
	"dos": "2", "tres": "3", "cuatro": "4", "cinco": "5", "seis": "6", "siete": "7", "ocho": "8", "nueve": "9", "diez": "10", "doce": "12", "quince": "15",
	"veinte": "20", "treinta": "30", "cuarenta": "40", "cincuenta": "50", "cien": "100", "mil": "1000",
	"اثنان": "2", "اثنين": "2", "ثلاثه": "3", "ثلاث": "3", "اربعه": "4", "اربع": "4", "خمسه": "5", "خمس": "5", "سته": "6", "ست": "6", "سبعه": "7", "سبع": "7",
	"ثمانيه": "8", "ثماني": "8", "تسعه": "9", "تسع": "9", "عشره": "10", "عشر": "10", "عشرين": "20", "عشرون": "20", "ثلاثين": "30", "خمسين": "50", "ميه": "100", "الف": "1000",
	"一": "1", "二": "2", "三": "3", "四": "4", "五": "5", "六": "6", "七": "7", "八": "8", "九": "9", "十": "10", "百": "100", "千": "1000", "万": "10000",
}

// contractions are two words each, so that "don't" differs from "do" by a negation and from "do not" by nothing. The form is the one without apostrophe, as
// captions have it too.
var contractions = contracted(`do does did is are was were have has had would should could might must need`)

func contracted(verbs string) map[string][2]string {
	m := map[string][2]string{
		"cant": {"can", "not"}, "cannot": {"can", "not"}, "wont": {"will", "not"}, "aint": {"is", "not"}, "shant": {"shall", "not"},
		"im": {"i", "am"}, "youre": {"you", "are"}, "theyre": {"they", "are"}, "ive": {"i", "have"}, "youve": {"you", "have"}, "weve": {"we", "have"},
		"theyve": {"they", "have"}, "youll": {"you", "will"}, "theyll": {"they", "will"}, "gonna": {"going", "to"}, "wanna": {"want", "to"}, "gotta": {"got", "to"},
	}
	for _, v := range strings.Fields(verbs) {
		m[v+"nt"] = [2]string{v, "not"}
	}
	return m
}

// fillers may be left out or put in: people and models clean them from quotes.
var fillers = phrases(
	"um", "uh", "uhm", "umm", "erm", "er", "ah", "eh", "hm", "hmm", "mm", "mmm", "mhm", "mm hmm", "uh huh", "oh", "like", "well", "so", "okay", "ok", "right", "yeah",
	"actually", "basically", "literally", "just", "you know", "i mean", "sort of", "kind of", "you see",
	"äh", "ähm", "öh", "öhm", "halt", "eben", "also", "naja", "na ja", "ja", "ich mein", "ich meine", "sozusagen",
	"euh", "heu", "ben", "bah", "hein", "bon", "tu sais", "vous savez", "enfin", "quoi", "du coup",
	"este", "pues", "bueno", "o sea", "eh", "digamos", "a ver",
	"あの", "あのー", "えっと", "えーと", "ええと", "えー", "まあ", "その",
	"يعني", "اه", "امم", "طيب", "والله",
)

// phrases maps the first word of each phrase to the phrases that begin with it, the longest first.
func phrases(list ...string) map[string][][]string {
	m := map[string][][]string{}
	for _, phrase := range list {
		var words []string
		for _, tok := range tokenize(phrase) {
			words = append(words, tok.norm)
		}
		same := m[words[0]]
		at := 0
		for at < len(same) && len(same[at]) >= len(words) {
			at++
		}
		m[words[0]] = append(same[:at:at], append([][]string{words}, same[at:]...)...)
	}
	return m
}

// critical words turn a sentence's meaning: negations and quantifiers. Numbers count as well, see isCritical.
var critical = wordSet(`not no nor never none nobody nothing nowhere neither without hardly barely rarely seldom
	all every everyone everybody everything always only some any most few many several both each half twice often sometimes less more
	least fewer enough too majority minority
	nicht nichts nix kein keine keinen keinem keiner keines nie niemals niemand niemanden ohne weder kaum selten alle alles allen jeder jede jedes jeden immer nur
	manche einige wenige viele meisten oft manchmal mehr weniger halb halbe
	pas jamais rien personne aucun aucune sans ni guere tous toutes tout toujours seulement quelques plusieurs souvent parfois plus moins moitie non
	nunca jamas nada nadie ningun ninguno ninguna sin tampoco todos todas todo siempre solo algunos algunas muchos muchas pocos pocas mas menos medio
	لا لم لن ليس ليست لسنا غير بدون ابدا كل جميع بعض دايما كثير قليل ما مش معظم نادرا`)

// criticalParts are the same in scripts without spaces, where a word is no token.
var criticalParts = []string{"ない", "ません", "なく", "なかっ", "ずに", "不", "没", "無", "未", "非", "全", "必ず", "いつも", "だけ", "みんな", "たまに", "ほとんど", "ไม่"}

// negativePrefixes make the opposite of a word.
var negativePrefixes = []string{"un", "in", "im", "ir", "il", "dis", "non", "mis", "des"}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// isCritical tells whether a changed, missing or added word of this kind changes what was said.
func isCritical(word string) bool { return critical[word] || hasDigit(word) }

func hasDigit(word string) bool {
	for _, r := range word {
		if unicode.IsDigit(r) {
			return true
		}
	}
	return false
}

// isOpposite tells "able" from "unable", "useful" from "useless", and the other way round.
func isOpposite(a, b string) bool {
	if strings.TrimSuffix(a, "ful") == strings.TrimSuffix(b, "less") || strings.TrimSuffix(a, "less") == strings.TrimSuffix(b, "ful") {
		return true
	}
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

// freeWords marks the tokens that may be left out: fillers, words said twice in a row, and remarks in brackets, such as [laughs].
func freeWords(text string, tokens []token) []bool {
	free := make([]bool, len(tokens))
	for i := range tokens {
		if free[i] {
			continue
		}
		for _, phrase := range fillers[tokens[i].norm] {
			if startsWith(tokens[i:], phrase) {
				for j := range phrase {
					free[i+j] = true
				}
				break
			}
		}
		w := tokens[i].norm
		if i+1 < len(tokens) && tokens[i+1].norm == w && tokens[i+1].start > tokens[i].start && !hasDigit(w) {
			if r, _ := utf8.DecodeRuneInString(w); !standsAlone(r) {
				free[i] = true
			}
		}
	}
	for i := 0; i+3 < len(tokens); i++ { // two words said twice
		a, b := tokens[i].norm, tokens[i+1].norm
		if tokens[i+2].norm == a && tokens[i+3].norm == b && !hasDigit(a+b) {
			if r, _ := utf8.DecodeRuneInString(a); !standsAlone(r) {
				free[i], free[i+1] = true, true
			}
		}
	}
	markRemarks(text, tokens, free)
	return free
}

func startsWith(tokens []token, words []string) bool {
	if len(tokens) < len(words) {
		return false
	}
	for i, w := range words {
		if tokens[i].norm != w {
			return false
		}
	}
	return true
}

// maxRemark is the number of words that a remark in brackets has at most: what is longer may have been said.
const maxRemark = 3

func markRemarks(text string, tokens []token, free []bool) {
	at := 0
	for from := 0; ; {
		open := strings.IndexAny(text[from:], "[({")
		if open < 0 {
			return
		}
		open += from
		length := strings.IndexAny(text[open+1:], "[({])}")
		if length < 0 {
			return
		}
		end := open + 1 + length
		from = end
		if strings.IndexByte("[({", text[end]) >= 0 {
			continue
		}
		for at < len(tokens) && tokens[at].start < open {
			at++
		}
		first := at
		said := false
		for at < len(tokens) && tokens[at].end <= end {
			said = said || isCritical(tokens[at].norm)
			at++
		}
		if at-first <= maxRemark && !said {
			for i := first; i < at; i++ {
				free[i] = true
			}
		}
	}
}
