package extract_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/transcript"
)

func ask(t *testing.T, tr *transcript.Transcript, statements ...string) []extract.Finding {
	t.Helper()
	q := extract.Question{Transcript: tr, Chunk: extract.Whole(tr)}
	for _, s := range statements {
		q.Hypotheses = append(q.Hypotheses, extract.Hypothesis{ID: s, Statement: s})
	}
	k := extract.NewKeyword()
	require.Equal(t, []extract.Chunk{extract.Whole(tr)}, k.Plan(tr, q.Hypotheses))
	answer, err := k.Ask(t.Context(), q)
	require.NoError(t, err)
	require.Empty(t, answer.Questions)
	require.Zero(t, answer.Usage)
	evidence, refused := extract.Merge(tr, []extract.Reading{{Chunk: q.Chunk, Answer: answer}}, q.Hypotheses)
	require.Empty(t, refused, "what it quotes stands there")
	for _, e := range evidence {
		require.LessOrEqual(t, e.Confidence, 0.66)
		require.Equal(t, extract.Verbatim, e.Match)
	}
	return answer.Findings
}

func TestKeywordsFindPassages(t *testing.T) {
	t.Parallel()
	findings := ask(t, interview, "Teams copy invoices by hand into a spreadsheet", "Accountants complain about missing receipts", "Dentists like calendars")
	byHypothesis := map[string][]extract.Finding{}
	for _, f := range findings {
		require.True(t, strings.HasPrefix(f.Rationale, "Keyword match, no AI: "), f.Rationale)
		require.Empty(t, f.Summary, "it understands nothing, and so sums nothing up")
		byHypothesis[f.HypothesisID] = append(byHypothesis[f.HypothesisID], f)
	}
	require.Equal(t, interview.Utterances[1].Text, byHypothesis["Teams copy invoices by hand into a spreadsheet"][0].Quote)
	require.Equal(t, interview.Utterances[5].Text, byHypothesis["Accountants complain about missing receipts"][0].Quote)
	require.Empty(t, byHypothesis["Dentists like calendars"])
}

func TestAQuestionIsNoEvidenceButItsAnswerMayBe(t *testing.T) {
	t.Parallel()
	tr := turns(
		"Ann: Would you pay a deposit when you reserve a table?",
		"Ben: No, I would rather go somewhere else.",
		"Ann: Do you reserve a table by telephone?",
		"Ben: Yes.",
		"Ann: And does a deposit put you off a table?",
		"Ann: Sorry, let me start again.",
	)
	findings := ask(t, tr, "Guests pay a deposit when they reserve a table")
	require.Len(t, findings, 1)
	require.Equal(t, []int{1}, findings[0].Utterances)
	require.Equal(t, tr.Utterances[1].Text, findings[0].Quote)
	require.Contains(t, findings[0].Rationale, "answers a question")
	require.Equal(t, extract.Neutral, findings[0].Stance)
}

func TestStanceIsNeutralUnlessTheCuesAreStrong(t *testing.T) {
	t.Parallel()
	for quote, stance := range map[string]string{
		"Ben: Older nurses would not install a scheduling app on their phones.":      extract.Contradicts,
		"Ben: The nurses absolutely install every scheduling app on their phones.":   extract.Supports,
		"Ben: The nurses install a scheduling app on their phones, as far as I see.": extract.Neutral,
		"Ben: I never saw a nurse with an app.":                                      extract.Neutral,
	} {
		findings := ask(t, turns("Ann: Tell me more.", quote, "Ann: I see."), "Nurses install a scheduling app on their phones")
		require.NotEmpty(t, findings, quote)
		require.Equal(t, stance, findings[0].Stance, quote)
		require.Equal(t, extract.Weak, findings[0].Strength)
	}
}

func TestStemsOfTheTranscriptsLanguage(t *testing.T) {
	t.Parallel()
	for language, c := range map[string][2]string{
		"en": {"Ben: She was copying those invoices all night.", "People copy an invoice"},
		"de": {"Ben: Die Bestände in den Lagern stimmen nie.", "Der Bestand im Lager stimmt"},
		"fr": {"Ben: Nous avons copié toutes les factures.", "On copie une facture"},
		"es": {"Ben: Copian todas las facturas por la noche.", "Copiar una factura"},
		"it": {"Ben: Le fatture le copiavamo a mano di notte, una fattura alla volta, a mano.", "Una fattura copiata a mano"},
		"ja": {"Ben: 請求書を手で入力しています。", "請求書の入力は手作業"},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			tr := turns("Ann: …", c[0], "Ann: Mm.", "Ben: Zzz.")
			tr.Language = language
			findings := ask(t, tr, c[1])
			require.NotEmpty(t, findings)
			require.Equal(t, []int{1}, findings[0].Utterances)
		})
	}
}

func TestALongTurnIsQuotedInPart(t *testing.T) {
	t.Parallel()
	long := "Ben: " + strings.Repeat("We talked about the weather for a while. ", 30) + "Then Maria copied the invoices by hand. " + strings.Repeat("And then it rained again. ", 30)
	findings := ask(t, turns("Ann: Hm.", long, "Ann: Hm."), "Invoices are copied by hand")
	require.Len(t, findings, 1)
	require.True(t, strings.HasPrefix(findings[0].Quote, "Then Maria copied the invoices by hand."), findings[0].Quote)
	require.LessOrEqual(t, len(strings.Fields(findings[0].Quote)), 60)
}

func TestNothingToLookForFindsNothing(t *testing.T) {
	t.Parallel()
	for _, statement := range []string{"", "…", "the of and", "!!!"} {
		require.Empty(t, ask(t, interview, statement), "%q", statement)
	}
	require.Empty(t, ask(t, turns("Ann: Hello."), "Teams copy invoices by hand"))
}
