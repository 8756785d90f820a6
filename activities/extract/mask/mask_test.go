package mask

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A maskLanguage generates sentences with personal data and sentences that only look like it.
type maskLanguage struct {
	sentences []string // with %s for personal data
	addresses []string // with %d for a number
	phones    []string // # stands for a digit
	countries []string // of IBANs
	decoys    []string
}

var maskLanguages = map[string]maskLanguage{
	"English": {
		[]string{
			"You can reach me at %s, if that helps.", "It said %s on the form.",
			"We wrote it down as %s and moved on.",
		},
		[]string{
			"%d Oak Street, Portland, OR 97205", "%d Old Mill Road", "%d Victoria Avenue, Leeds LS1 4AP",
			"%d St. James Square",
		},
		[]string{"+44 20 7### ####", "(415) 555-0###", "415-555-0###", "+1 415 555 0###", "07700 900###"},
		[]string{"GB"},
		[]string{
			"We had 1,200 invoices in 2024 and 1,350 in 2025.", "On 2026-11-22 at 10:30 it was 3.5 percent.",
			"Version 2.10.4 came out on 12/03/2024.", "The order 48213 took 14 days.",
			"It grew from 2019-2024 by 40 000 000.",
			"See https://example.com/pricing for the plans.", "We walked 12 Miles down the road.",
			"That is 99.95 dollars a month.",
			"Between 8 and 10 of the 24 people agreed.", "I gave it 10 out of 10, 100 times.",
		},
	},
	"German": {
		[]string{
			"Sie erreichen mich unter %s, wenn das hilft.", "Auf dem Formular stand %s.",
			"Wir haben %s notiert.",
		},
		[]string{
			"Lindenstraße %d, 10969 Berlin", "Am Markt-Platz %d", "Goethestr. %d",
			"Hamburger Allee %d in 60486 Frankfurt", "Rosenweg %d",
		},
		[]string{"+49 30 90182#####", "030 901820##", "0171 23456##", "0049 171 23456##", "(030) 90182###"},
		[]string{"DE", "AT", "CH"},
		[]string{
			"Wir hatten 1.200 Rechnungen im Jahr 2024.", "Am 22.11.2026 um 10:30 Uhr waren es 3,5 Prozent.",
			"Die Version 2.10.4 kam am 12.03.2024.", "Der Auftrag 48213 dauerte 14 Tage.",
			"Das waren 40 000 000 Euro.",
			"Siehe https://example.com/preise für die Tarife.", "Von 2019-2024 ging es gut.", "Das Team hat 24 Leute.",
			"Der Weg war 12 Kilometer lang.", "Es kostet 99,95 Euro im Monat.",
		},
	},
	"French": {
		[]string{
			"Vous pouvez me joindre ici : %s, si besoin.", "Sur le formulaire il y avait %s.",
			"Nous avons noté %s.",
		},
		[]string{
			"%d rue de la Paix, 75002 Paris", "%d bis, avenue Victor Hugo",
			"%d boulevard des Capucines, 69003 Lyon", "%d place Bellecour",
		},
		[]string{"+33 1 42 68 53 ##", "01 42 68 53 ##", "06 12 34 56 ##", "+33 6 12 34 56 ##"},
		[]string{"FR", "BE"},
		[]string{
			"Nous avions 1 200 factures en 2024.", "Le 22/11/2026 à 10:30 c'était 3,5 %.",
			"La version 2.10.4 est du 12/03/2024.",
			"La commande 48213 a pris 14 jours.", "Cela fait 40 000 000 euros.",
			"Voir https://example.com/tarifs pour les prix.",
			"De 2019-2024 tout allait bien.", "L'équipe compte 24 personnes.", "Les 12 routes étaient bloquées.",
			"Ça coûte 99,95 euros par mois.",
		},
	},
	"Spanish": {
		[]string{"Me puede escribir a %s, si ayuda.", "En el formulario ponía %s.", "Apuntamos %s y seguimos."},
		[]string{
			"calle de Alcalá %d, 28014 Madrid", "Avenida Diagonal, %d",
			"Paseo de Gracia %d, 08007 Barcelona", "Plaza Mayor %d",
		},
		[]string{"+34 915 23 45 ##", "915 23 45 ##", "+34 612 345 6##", "612 345 6##"},
		[]string{"ES"},
		[]string{
			"Teníamos 1.200 facturas en 2024.", "El 22/11/2026 a las 10:30 era el 3,5 %.",
			"La versión 2.10.4 salió el 12/03/2024.",
			"El pedido 48213 tardó 14 días.", "Son 40 000 000 euros.",
			"Mire https://example.com/precios para los planes.",
			"De 2019-2024 fue bien.", "El equipo tiene 24 personas.", "La calle tenía 12 tiendas.",
			"Cuesta 99,95 euros al mes.",
		},
	},
	"Italian": {
		[]string{"Può scrivermi a %s, se aiuta.", "Sul modulo c'era %s.", "Abbiamo annotato %s."},
		[]string{
			"via Giuseppe Garibaldi %d, 20121 Milano", "Corso Vittorio Emanuele, %d",
			"Piazza del Duomo %d, 50122 Firenze", "viale Monza %d",
		},
		[]string{"+39 02 7200 ####", "02 7200####", "+39 347 123 4###", "347 123 4###"},
		[]string{"IT"},
		[]string{
			"Avevamo 1.200 fatture nel 2024.", "Il 22/11/2026 alle 10:30 era il 3,5 %.",
			"La versione 2.10.4 è del 12/03/2024.",
			"L'ordine 48213 ha richiesto 14 giorni.", "Sono 40 000 000 euro.",
			"Vedi https://example.com/prezzi per i piani.",
			"Dal 2019-2024 è andata bene.", "Il gruppo ha 24 persone.", "La via aveva 12 negozi.",
			"Costa 99,95 euro al mese.",
		},
	},
	"Dutch": {
		[]string{
			"U kunt mij bereiken via %s, als dat helpt.", "Op het formulier stond %s.",
			"We hebben %s genoteerd.",
		},
		[]string{
			"Keizersgracht %d, 1016 GB Amsterdam", "Dorpsstraat %d", "Coolsingel Plein %d",
			"Parklaan %d a, 3016 BB Rotterdam",
		},
		[]string{"+31 20 624 ####", "020 624 ####", "06 1234 56##", "+31 6 1234 56##"},
		[]string{"NL", "BE"},
		[]string{
			"We hadden 1.200 facturen in 2024.", "Op 22-11-2026 om 10:30 was het 3,5 procent.",
			"Versie 2.10.4 kwam op 12-03-2024.",
			"Bestelling 48213 duurde 14 dagen.", "Dat is 40 000 000 euro.",
			"Zie https://example.com/prijzen voor de tarieven.",
			"Van 2019-2024 ging het goed.", "Het team heeft 24 mensen.", "De straat had 12 winkels.",
			"Het kost 99,95 euro per maand.",
		},
	},
}

// TestMaskingIsMeasured generates personal data of each kind in each language, and sentences without any. A
// part that was found counts as right if it covers the personal data and not more than that.
func TestMaskingIsMeasured(t *testing.T) {
	t.Parallel()
	const minRecall, minPrecision = 0.95, 0.98
	rng := rand.New(rand.NewPCG(3, 5))
	total, found, right, masked := 0, 0, 0, 0
	missed := map[string][]string{}
	for _, name := range []string{"English", "German", "French", "Spanish", "Italian", "Dutch"} {
		l := maskLanguages[name]
		for range 60 {
			for kind, text := range l.personal(rng) {
				before, after, _ := strings.Cut(l.sentences[rng.IntN(len(l.sentences))], "%s")
				total++
				for _, s := range withoutOverlaps(spansOf(findStructured(before + text + after))) {
					masked++
					covers := s.start <= len(before) && s.end >= len(before+text)
					if covers {
						found++
					}
					if covers && s.end-s.start <= len(text)+1 {
						right++
					}
				}
				if !covered(findStructured(before+text+after), len(before), len(before+text)) {
					missed[kind] = append(missed[kind], name+": "+text)
				}
			}
			for _, decoy := range l.decoys {
				for _, s := range spansOf(findStructured(decoy)) {
					masked++
					missed["decoy"] = append(missed["decoy"], decoy[s.start:s.end])
				}
			}
		}
	}
	recall, precision := float64(found)/float64(total), float64(right)/float64(masked)
	t.Logf("recall %.3f of %d, precision %.3f of %d", recall, total, precision, masked)
	for kind, texts := range missed {
		slices.Sort(texts)
		t.Logf("%s: %q", kind, slices.Compact(texts)[:min(len(slices.Compact(texts)), 8)])
	}
	require.GreaterOrEqual(t, recall, minRecall)
	require.GreaterOrEqual(t, precision, minPrecision)
}

func spansOf(found []personalData) []maskSpan {
	var spans []maskSpan
	for _, f := range found {
		spans = append(spans, maskSpan{f.start, f.end, f.kind})
	}
	return spans
}

func covered(found []personalData, start, end int) bool {
	return slices.ContainsFunc(found, func(f personalData) bool { return f.start <= start && f.end >= end })
}

// personal returns one of each kind.
func (l maskLanguage) personal(rng *rand.Rand) map[string]string {
	digit := func(r rune) rune {
		if r == '#' {
			return rune('0' + rng.IntN(10))
		}
		return r
	}
	first := []string{"ann", "jörg", "marie-claire", "luis", "o'neill", "sofia"}[rng.IntN(6)]
	mail := fmt.Sprintf("%s.%d@mail%d.example.com", strings.ReplaceAll(first, "'", ""),
		rng.IntN(99), rng.IntN(9))
	return map[string]string{
		"EMAIL":   mail,
		"PHONE":   strings.Map(digit, l.phones[rng.IntN(len(l.phones))]),
		"IBAN":    newIBAN(rng, l.countries[rng.IntN(len(l.countries))]),
		"CARD":    newCard(rng),
		"ADDRESS": fmt.Sprintf(l.addresses[rng.IntN(len(l.addresses))], 1+rng.IntN(180)),
		"URL": []string{
			fmt.Sprintf("https://app.example.com/users/%d/edit", 100000+rng.IntN(900000)),
			fmt.Sprintf("https://example.com/reset?token=%x", rng.Uint64()),
			"https://ann:secret@example.com/files", "www.example.com/in/@jane",
		}[rng.IntN(4)],
	}
}

// newIBAN returns a valid number, in groups of four half of the time.
func newIBAN(rng *rand.Rand, country string) string {
	size := map[string]int{
		"GB": 18, "DE": 18, "AT": 16, "CH": 17, "FR": 23, "BE": 12, "ES": 20, "IT": 23, "NL": 14,
	}[country]
	account := ""
	for i := range size {
		switch letters := map[string]int{"GB": 4, "NL": 4, "IT": 1}[country]; {
		case i < letters:
			account += string(rune('A' + rng.IntN(26)))
		default:
			account += string(rune('0' + rng.IntN(10)))
		}
	}
	for check := 2; check <= 98; check++ {
		iban := fmt.Sprintf("%s%02d%s", country, check, account)
		if !isIBAN(iban) {
			continue
		}
		if rng.IntN(2) == 0 {
			return iban
		}
		grouped := ""
		for i, r := range iban {
			if i > 0 && i%4 == 0 {
				grouped += " "
			}
			grouped += string(r)
		}
		return grouped
	}
	panic("every account has check digits")
}

// newCard returns a valid number of sixteen digits.
func newCard(rng *rand.Rand) string {
	separator := []string{" ", "-", ""}[rng.IntN(3)]
	for {
		groups := make([]string, 4)
		for i := range groups {
			groups[i] = fmt.Sprintf("%04d", rng.IntN(10000))
		}
		groups[0] = "4" + groups[0][1:]
		if card := strings.Join(groups, separator); isCardNumber(card) {
			return card
		}
	}
}
