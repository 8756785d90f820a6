package quote

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract/interviewtest"
	"research/internal/words"
)

// In a language without lists a negation may look like any word: only the same words are a quote.
func TestALanguageWithoutListsHasVerbatimQuotesOnly(t *testing.T) {
	t.Parallel()
	tr := interviewtest.New("Emme seuraa palautuksia kaupassa joka päivä, se on liikaa työtä.")
	for _, c := range []struct {
		language, quote string
		reason          RejectReason
	}{
		{"fi", "„emme seuraa palautuksia kaupassa joka päivä”", ""},
		{"fi", "Emme seuraa palautuksia myymälässä joka päivä, se on liikaa työtä.", RejectNotFound},
		{"fi", "Me seuraamme palautuksia kaupassa joka päivä, se on liikaa työtä.", RejectNotFound},
	} {
		tr.Language = c.language
		span, reason := NewAligner(tr).Align(c.quote, []int{0}, 0, 1)
		require.Equal(t, c.reason, reason, "%s: %s", c.language, c.quote)
		if c.reason == "" {
			require.Equal(t, MatchVerbatim, span.Match)
		}
	}
}

// The lists have the words that people say most. Their other forms are found by stems, and by the endings of
// Turkish.
func TestFormsOfCriticalWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, word, currency, measure string }{
		{"en", "francs", "chf", ""}, {"en", "pounds", "£", ""}, {"de", "kronen", "krona", ""},
		{"de", "freitagen", "", "friday"}, {"nl", "donderdagen", "", "thursday"}, {"fr", "roubles", "₽", ""},
		{"ru", "рублями", "₽", ""}, {"ru", "понедельниками", "", "monday"}, {"ru", "гривнами", "₴", ""},
		{"pl", "złotymi", "zł", ""}, {"pl", "grudniem", "", "december"}, {"pt", "março", "", "march"},
		{"tr", "liradan", "₺", ""}, {"tr", "dolardı", "$", ""}, {"tr", "pazartesiye", "", "monday"},
		{"tr", "ocak'ta", "", "january"}, {"tr", "eylülde", "", "september"}, {"tr", "mesela", "", ""},
		{"en", "march", "", "march"}, {"en", "marital", "", ""}, {"pt", "no", "", ""},
	} {
		got := newForms(c.language).of(words.Normalize(c.word))
		require.Equal(t, c.currency, got.currency, c.word)
		require.Equal(t, c.measure, got.measure, c.word)
	}
}
