package keyword_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"research/activities/extract/interviewtest"
	"research/activities/extract/keyword"
)

// BenchmarkQuery asks about a German transcript of 60,000 words, nearly all of them compounds, in its
// language and in another one. The index of the transcript is not counted.
func BenchmarkQuery(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	parts := strings.Fields("lager rechnung termin praxis patient bestand monteur baustelle stunden zettel " +
		"brot kunde telefon anruf preis wetter ernte garten schule lehrer prüfung haus heizung wasser strom")
	part := func() string { return parts[random.IntN(len(parts))] }
	vocabulary := parts
	for len(vocabulary) < 10_000 {
		vocabulary = append(vocabulary, part()+part()+part())
	}
	var lines []string
	for range 1500 {
		var said []string
		for range 40 {
			said = append(said, vocabulary[random.IntN(len(vocabulary))])
		}
		lines = append(lines, "Ben: "+strings.Join(said, " "))
	}
	tr := interviewtest.New(lines...)
	tr.Language = "de"
	for name, statement := range map[string]string{
		"same":    "Der Bestand im Lager stimmt nicht, weil die Rechnung der Lieferung falsch gebucht wird",
		"foreign": "The stock in the warehouse is wrong because the invoice of the delivery is booked at night",
	} {
		b.Run(name, func(b *testing.B) {
			query := keyword.Query(tr)
			query(statement) // the first one loads the thesaurus
			for b.Loop() {
				query(statement)
			}
			millis := b.Elapsed().Seconds() * 1000 / float64(b.N)
			b.ReportMetric(millis, "ms/query")
			if millis > maxMillis {
				b.Errorf("a query took %.1f ms", millis)
			}
		})
	}
}
