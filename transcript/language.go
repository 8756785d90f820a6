package transcript

import (
	"strings"
	"unicode"
)

// stopWords are frequent words that tell one language from the others.
var stopWords = map[string]string{
	"en": "the and that was with for you have this not but are what they from we it of is",
	"de": "der die und das ist nicht ich wir mit ein eine für auf dass auch haben sich es den zu",
	"fr": "le les et des est pas que nous vous une dans pour avec ce qui sur mais je du",
	"es": "el los y que no una por con para es pero las como más muy lo se yo del",
	"it": "il che non di una per con sono ma gli della questo anche mi ho è si le",
	"pt": "o que não uma para com mas os é como mais você do da em se eu isso",
	"nl": "de het een en dat niet ik we van is op voor met maar zijn ook je hebben",
}

// guessLanguage gives an ISO 639-1 code, or "" where it cannot be told.
func guessLanguage(text string) string {
	sample := text[:min(len(text), 20_000)]
	var han, kana, hangul, arabic, cyrillic, letters int
	for _, r := range sample {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		switch {
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Hangul, r):
			hangul++
		case unicode.Is(unicode.Arabic, r):
			arabic++
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic++
		}
	}
	switch {
	case letters == 0:
		return ""
	case kana*20 > letters && (kana+han)*2 > letters:
		return "ja"
	case hangul*2 > letters:
		return "ko"
	case han*2 > letters:
		return "zh"
	case arabic*2 > letters:
		return "ar"
	case cyrillic*2 > letters:
		return "ru"
	}
	counts := map[string]int{}
	total := 0
	for _, word := range strings.FieldsFunc(strings.ToLower(sample), func(r rune) bool { return !unicode.IsLetter(r) }) {
		total++
		counts[word]++
	}
	best, bestScore, second := "", 0, 0
	for language, words := range stopWords {
		score := 0
		for _, w := range strings.Fields(words) {
			score += counts[w]
		}
		switch {
		case score > bestScore:
			best, bestScore, second = language, score, bestScore
		case score > second:
			second = score
		}
	}
	if total < 10 || bestScore*12 < total || bestScore*4 < second*5 {
		return ""
	}
	return best
}
