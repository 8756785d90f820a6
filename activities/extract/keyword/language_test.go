package keyword_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract/keyword"
)

func TestTheLanguageOfAStatementIsKnownOrNotNamed(t *testing.T) {
	t.Parallel()
	for statement, language := range map[string]string{
		"Nurses will install an app on their own phones.":     "en",
		"Teams copy invoices by hand":                         "en",
		"Owners approve repairs quickly.":                     "en",
		"Older people don't trust online banking":             "en",
		"Pflegekräfte installieren keine App":                 "de",
		"Der Bestand im System stimmt nicht.":                 "de",
		"Kunden zahlen ihre Rechnung pünktlich":               "de",
		"KUNDEN ZAHLEN NICHT GERN IM VORAUS":                  "de",
		"Les parents ne lisent pas les messages":              "fr",
		"Les clients s'en vont après quelques mois.":          "fr",
		"L'équipe n'a pas de budget":                          "fr",
		"Los vecinos desconfían del presupuesto":              "es",
		"Nadie contesta el teléfono":                          "es",
		"¿Pagan por adelantado?":                              "es",
		"De klanten betalen te laat":                          "nl",
		"Het rooster verandert op het laatste moment":         "nl",
		"I medici scrivono le ricette a mano":                 "it",
		"Os alunos não usam o telefone na aula":               "pt",
		"Kunderna betalar inte sina räkningar":                "sv",
		"Az ügyfelek nem fizetnek időben":                     "hu",
		"Клиенты не платят вовремя":                           "ru",
		"Klienci nie płacą na czas":                           "pl",
		"Müşteriler zamanında ödeme yapmıyor ve geri dönüyor": "tr",
		"顧客は時間通りに支払わない":                                       "ja",
		"客户不按时付款":                                             "zh",
		"고객은 제때 지불하지 않는다":                                     "ko",
		"العملاء لا يدفعون في الوقت":                          "ar",

		"Clienții nu plătesc facturile la timp":        "ro",
		"Personalen använder sin egen telefon":         "sv",
		"Medarbejderne bruger deres egen telefon":      "da",
		"Khách hàng không thanh toán hóa đơn đúng hạn": "vi",
		"Bezeroek ez dituzte fakturak garaiz":          "eu",
		"Клиентите не плащат сметките навреме":         "",

		// Nothing or little tells, or several languages could have it.
		"Gasten klagen over lawaai.":              "",
		"\xff\xfe":                                "",
		"Kupci ne plaćaju račune na vrijeme":      "hr",
		"Kundene betaler ikke regningene sine":    "",
		"Pacienti se nemohou dovolat do ordinace": "",
		"":                     "",
		"…":                    "",
		"42":                   "",
		"Zoom":                 "",
		"Figma, Zoom":          "",
		"Kunder":               "",
		"مشتریان پول نمی دهند": "",
		"Клієнти не платять вчасно": "",
	} {
		require.Equal(t, language, keyword.LanguageOf(statement), statement)
	}
}

// The sentences were written for stances, in fourteen languages, and the hypotheses of the talks for what is
// found: none of them for this.
func TestTheLanguageOfAStatementIsSeldomUnknownAndNeverWrong(t *testing.T) {
	t.Parallel()
	statements := map[string][]string{}
	for _, half := range []string{"development", "held-out"} {
		raw, err := os.ReadFile("testdata/stances-" + half + ".json")
		require.NoError(t, err)
		var judged []judgedStatement
		require.NoError(t, json.Unmarshal(raw, &judged))
		for _, s := range judged {
			statements[s.Language] = append(statements[s.Language], s.Hypothesis)
			for _, said := range s.Said {
				statements[s.Language] = append(statements[s.Language], said...)
			}
		}
	}
	for _, set := range []string{development, heldOut, embedded} {
		for _, c := range loadTalks(t, set) {
			for _, h := range c.Hypotheses[:len(c.Hypotheses)/2] {
				statements[c.Transcript.Language] = append(statements[c.Transcript.Language], h.Statement)
			}
		}
	}
	all, unknown := 0, 0
	for language, list := range statements {
		for _, statement := range list {
			all++
			if found := keyword.LanguageOf(statement); found == "" {
				t.Logf("unknown, %s: %s", language, statement)
				unknown++
			} else {
				require.Equal(t, language, found, statement)
			}
		}
	}
	t.Logf("%d of %d are unknown", unknown, all)
	require.GreaterOrEqual(t, all, 400)
	require.LessOrEqual(t, percent(unknown, all), 3.0)
}
