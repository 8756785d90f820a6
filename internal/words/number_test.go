package words_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/internal/words"
)

func TestNumeralsAreRead(t *testing.T) {
	t.Parallel()
	for word, digits := range map[string]string{
		"elftausend": "11000", "zwölfhundert": "1200", "dreitausendfünfhundert": "3500",
		"zweihundertfünfundzwanzigtausend": "225000", "hundertzwei": "102",
		"elfduizend": "11000", "tweehonderdvijfentwintig": "225",
		"undicimila": "11000", "seicento": "600", "centotrentatré": "133", "duemilaventuno": "2021",
		"만천": "11000", "육백을": "600", "삼천오백": "3500", "십이만": "120000", "오십": "50",
		"четырьмя": "4", "двумястами": "200", "тысячами": "1000", "trzema": "3", "sześćdziesięciu": "60",
		"seiscientas": "600", "novecentos": "900", "ستمئة": "600",
		"dritten": "3rd", "quatrième": "4th", "quinta": "5th", "пятом": "5th", "piątego": "5th", "üçüncü": "3rd",
	} {
		require.Equal(t, digits, words.Normalize(word), word)
	}
	for _, word := range []string{
		"hundertstel", "undhundert", "centone", "tausendsassa", "centimetro", "백화점", "만나다", "사이", "천천히", "honden",
	} {
		require.Equal(t, words.Fold(word), words.Normalize(word), word)
	}
}
