package keyword_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/interviewtest"
	"research/activities/extract/keyword"
	"research/outcome"
)

// findIn returns what is found for a statement in an interview of which one answer has something to say.
func findIn(t *testing.T, language, statement, said string) []extract.Finding {
	t.Helper()
	tr := interviewtest.New("Ann: …", "Ben: "+said, "Ann: Mm.", "Ben: Zzz.")
	tr.Language = language
	return findKeywords(t, tr, statement)
}

func TestFormsAndSpellingsOfAWordAreFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, statement, said string }{
		// Spellings.
		{"en", "Designers analyse colours", "We analyzed every color."},
		{"en", "The centre catalogues behaviour", "Our center has catalogs of behavior."},
		{"en", "Drivers organise travelling", "They organized it, I traveled."},
		{"de", "Straßen und Größen", "Strassen und Groessen, sag ich."},
		{"de", "Ärzte prüfen Geräte", "Aerzte pruefen Geraete, klar."},
		{"es", "Las facturas llegan mañana por teléfono", "Manana, telefono, factura."},
		{"sv", "Kunderna får grönsaker", "Kunder, groensaker."},
		// Numbers as words.
		{"en", "Stocktaking lasts two days", "2 days, and then it lasts."},
		{"de", "Die Inventur dauert zwei Tage", "Die Inventur? 2, 3."},
		// Forms that stemmers do not bring together.
		{"en", "Customers buy and pay", "She bought it and paid."},
		{"en", "Teachers choose for children", "I chose one, for a child."},
		{"de", "Artikel zählen und buchen", "Die Artikel haben wir gezählt."},
		{"de", "Helfer nehmen Pakete", "Er nahm das Paket, er half."},
		{"fr", "Payer et recevoir une facture", "Il a reçu la facture."},
		{"es", "Perder facturas por pedir fianza", "Pierde la fianza y pidió otra."},
		{"nl", "Facturen betalen en schrijven", "De facturen zijn betaald."},
		{"nl", "Klanten schrijven en vragen", "Ze vroeg het en schreef het op."},
	} {
		require.NotEmpty(t, findIn(t, c.language, c.statement, c.said), "%s: %s", c.language, c.said)
	}
}

func TestCompoundsAreFoundByTheirParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, statement, said string }{
		{"de", "Der Bestand und die Rechnung", "Der Lagerbestand, die Schlussrechnung."},
		{"de", "Terminkalender und Blutdrucktabletten", "Termine, und dann diese Tabletten."},
		{"nl", "Het rooster en de planning", "Een werkrooster, een weekplanning."},
		{"sv", "Faktura och system", "Ett fakturasystem, en slutfaktura."},
		{"da", "Regning og system", "Et regningssystem, ja, systemer."},
		{"no", "Regning og system", "Et regningssystem, systemer."},
	} {
		require.NotEmpty(t, findIn(t, c.language, c.statement, c.said), "%s: %s", c.language, c.said)
	}
	for _, c := range []struct{ language, statement, said string }{
		{"de", "Der Bestand und die Uhr", "Wir bestanden darauf, die Fuhren auch."}, // no compounds
		{"en", "A port and a hand", "Importing secondhand things."},                 // English writes them apart
	} {
		require.Empty(t, findIn(t, c.language, c.statement, c.said), "%s: %s", c.language, c.said)
	}
}

func TestRelatedWordsAloneAreNotFound(t *testing.T) {
	t.Parallel()
	findings := findIn(t, "en", "Clients dispute every invoice", "They dispute the bill.")
	require.Len(t, findings, 1)
	require.Equal(t, "Keyword match, no AI: shares 1 of the 4 words that matter with the hypothesis, and has "+
		"words related to 1 more.", findings[0].Rationale)
	shared := findIn(t, "en", "Clients dispute every invoice", "They dispute the invoice.")
	require.Len(t, shared, 1)
	require.Greater(t, shared[0].Score, findings[0].Score, "a related word counts less than the word")
	require.Empty(t, findIn(t, "en", "Clients dispute every invoice", "That bill, you know."))
	require.Empty(t, findIn(t, "en", "Clients challenge every invoice", "The customer argued about the bill."))
}

func TestWordsOfAnotherLanguageAreFoundByTheirTranslations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, statement, said string }{
		{"de", "Counting the warehouse by hand is expensive.", "Im Lager zählen wir von Hand."},
		{"es", "Nobody answers the telephone at night.", "Por la noche, el teléfono nadie lo coge."},
		{"fr", "The children are often sick in winter.", "En hiver, les enfants sont malades."},
		{"nl", "The customers do not pay the price in winter.", "In de winter betalen ze die prijs niet."},
		{"en", "Der Preis hängt vom Wetter ab.", "The price depends on the weather."},
		{"fr", "Der Preis hängt vom Wetter ab.", "Le prix, c'est le temps qui le fait."},
		{"pl", "The hotel has a telephone and a platform.", "Hotel, telefon, platforma."}, // no thesaurus
	} {
		findings := findIn(t, c.language, c.statement, c.said)
		require.NotEmpty(t, findings, "%s: %s", c.language, c.said)
		require.Contains(t, findings[0].Rationale, ", in translation")
		require.Equal(t, outcome.StanceNeutral, findings[0].Stance)
	}
}

func TestATranslationHasNoStance(t *testing.T) {
	t.Parallel()
	const said = "We never have an app in a hotel."
	require.Equal(t, outcome.StanceContradicts, findIn(t, "en", "An app in a hotel", said)[0].Stance)
	require.Equal(t, outcome.StanceNeutral, findIn(t, "en", "Die App ist in dem Hotel", said)[0].Stance)
}

func TestFunctionWordsAreNotFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, statement, said string }{
		{"nl", "Het rooster verandert te vaak op het moment", "Het gaat te vaak op en neer, zei ze."},
		{"fr", "Les parents ne lisent pas leurs messages", "Il ne veut pas, ce n'est pas à leurs amis."},
		{"de", "Viele Kunden zahlen jeden Tag nicht", "Viele sind nicht jeden Abend weg."},
	} {
		require.Empty(t, findIn(t, c.language, c.statement, c.said), c.said)
	}
}

func TestTheThesaurusIsBounded(t *testing.T) {
	t.Parallel()
	compressed, loaded := keyword.ThesaurusSize()
	require.Less(t, compressed, 1<<20)
	require.Greater(t, loaded, 20_000)
	for _, language := range []string{"en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "hu", "ru"} {
		require.Greater(t, keyword.VocabularySize(language), 3000, language)
	}
	require.Zero(t, keyword.VocabularySize("pl"))
}
