package transcript

import (
	"strings"
	"unicode"
)

// stopWords are words that are frequent in one language. A word that several languages share counts for each of them.
var stopWords = map[string]map[string]bool{
	"en": words("the and that was with for you have this not but are what they from we it of is to in so be my do on if would there just it's i'm don't"),
	"de": words("der die und das ist nicht ich wir mit ein eine für auf dass auch haben sich es den zu im dann aber noch wie habe mal ja sie man wenn so kann"),
	"fr": words("le les et des est pas que nous vous une dans pour avec ce qui sur mais je du de la il on ça c'est très était j'ai fait au plus"),
	"es": words("el los y que no una por con para es pero las como más muy lo se yo del de la en un su mi eso porque está hay también nos"),
	"it": words("il che non di una per con sono ma gli della questo anche mi ho è si le la un del molto perché come ci abbiamo cosa io più"),
	"pt": words("o que não uma para com mas os é como mais você do da em se eu isso um de a muito também tem por nós está foi gente"),
	"nl": words("de het een en dat niet ik we van is op voor met maar zijn ook je hebben dan wel er te heb nog naar wat die"),
	"sv": words("och det att är som jag en på inte för med vi har ett men så den till av om man kan var när mycket också"),
	"da": words("og det at er som jeg en på ikke for med vi har et men så den til af om man kan var når meget også hvad"),
	"no": words("og det at er som jeg en på ikke for med vi har et men så den til av om man kan var når mye også hva"),
	"fi": words("ja se on ei että mutta niin kun mä sitten oli ovat minä olen tämä mitä siitä kuin vaan joo myös"),
	"pl": words("i nie to się w na że z jest do jak ale co tak o mamy po dla już tylko było ja są czy bardzo"),
	"cs": words("a je se to na že v ne jsem tak ale s jako za už když co jsme by pro má jsou taky protože"),
	"hu": words("a az és hogy nem is van egy ez de mert meg azt ha volt csak már én nagyon mi vagy lehet"),
	"tr": words("ve bir bu da de için ne çok ben var biz ama gibi daha o ile değil olarak evet sonra kadar mi"),
	"id": words("yang dan di itu ini untuk dengan tidak saya kita ada dari ke bisa kami juga sudah akan jadi karena"),
	"ro": words("și în nu este că o pe la un cu mai dar sunt pentru din am ce foarte să de avem"),
	"vi": words("và là của không có cho này được một các những tôi với thì như mình nhưng rất cũng đã"),
}

// stopLanguages says of which languages a word is a frequent one.
var stopLanguages = func() map[string][]string {
	index := map[string][]string{}
	for language, stops := range stopWords {
		for word := range stops {
			index[word] = append(index[word], language)
		}
	}
	return index
}()

// languageSample is how much of a text the guess reads.
const languageSample = 64 << 10

// guessLanguage gives an ISO 639-1 code, or "" where it cannot be told: by the script where that tells, else by frequent
// words. It wants a clear winner, so that a wrong stemmer is never chosen.
func guessLanguage(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), languageSample)], "")
	var (
		letters int
		scripts = map[*unicode.RangeTable]int{}
		marks   = map[rune]int{}
	)
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		if r < 0x250 {
			scripts[unicode.Latin]++
			continue
		}
		for _, s := range []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Cyrillic, unicode.Arabic, unicode.Greek, unicode.Hebrew, unicode.Devanagari, unicode.Thai, unicode.Latin} {
			if unicode.Is(s, r) {
				scripts[s]++
				break
			}
		}
		if strings.ContainsRune("іїєґўђћљњјъыэپچژگکیٹڈڑںے", unicode.ToLower(r)) {
			marks[unicode.ToLower(r)]++
		}
	}
	if letters < 10 {
		return ""
	}
	kana := scripts[unicode.Hiragana] + scripts[unicode.Katakana]
	most := func(n int) bool { return n*2 > letters }
	switch {
	case kana*10 > letters && most(kana+scripts[unicode.Han]):
		return "ja"
	case most(scripts[unicode.Han]):
		return "zh"
	case most(scripts[unicode.Hangul]):
		return "ko"
	case most(scripts[unicode.Greek]):
		return "el"
	case most(scripts[unicode.Hebrew]):
		return "he"
	case most(scripts[unicode.Devanagari]):
		return "hi"
	case most(scripts[unicode.Thai]):
		return "th"
	case most(scripts[unicode.Cyrillic]):
		return cyrillic(marks, scripts[unicode.Cyrillic])
	case most(scripts[unicode.Arabic]):
		switch {
		case marks['ٹ']+marks['ڈ']+marks['ڑ']+marks['ں']+marks['ے'] > letters/50:
			return "ur"
		case marks['پ']+marks['چ']+marks['ژ']+marks['گ']+marks['ک']+marks['ی'] > letters/50:
			return "fa"
		}
		return "ar"
	case most(scripts[unicode.Latin]):
		return latin(text)
	}
	return ""
}

func cyrillic(marks map[rune]int, letters int) string {
	ukrainian, serbian := marks['і']+marks['ї']+marks['є']+marks['ґ'], marks['ђ']+marks['ћ']+marks['љ']+marks['њ']+marks['ј']
	switch {
	case marks['ў'] > letters/200:
		return "be"
	case ukrainian > letters/50:
		return "uk"
	case serbian > letters/50:
		return "sr"
	case marks['ы']+marks['э'] > letters/200:
		return "ru"
	case marks['ъ'] > letters/200:
		return "bg"
	}
	return ""
}

// latin scores the languages of stopWords.
func latin(text string) string {
	total := 0
	scores := map[string]int{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return notLetter(r) && r != '\'' && r != '’' }) {
		total++
		for _, language := range stopLanguages[strings.ReplaceAll(word, "’", "'")] {
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
	// Danish and Norwegian share nearly all of their frequent words: a narrow margin is enough to name one of them.
	margin := first*4 >= second*5
	if best == "da" || best == "no" {
		margin = first > second
	}
	if total < 8 || first*8 < total || first < 3 || !margin {
		return ""
	}
	return best
}
