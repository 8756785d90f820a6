package keyword_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/interviewtest"
	"research/activities/extract/keyword"
	"research/activities/extract/quote"
	"research/outcome"
	"research/transcript"
)

var interview = interviewtest.Books()

func findKeywords(t *testing.T, tr *transcript.Transcript, statements ...string) []extract.Finding {
	t.Helper()
	request := extract.Request{Transcript: tr, Chunk: extract.Whole(tr)}
	for _, s := range statements {
		request.Hypotheses = append(request.Hypotheses, extract.Hypothesis{ID: s, Statement: s})
	}
	k := keyword.New(keyword.Precise)
	require.Equal(t, []extract.Chunk{extract.Whole(tr)}, k.Plan(tr, request.Hypotheses))
	response, err := k.Extract(t.Context(), request)
	require.NoError(t, err)
	require.Empty(t, response.FollowUps)
	require.Zero(t, response.Usage)
	results := []extract.ChunkResult{{Chunk: request.Chunk, Response: response}}
	evidence, rejected := extract.Merge(tr, results, request.Hypotheses, nil)
	require.Empty(t, rejected, "every quote is in the transcript")
	for _, e := range evidence {
		require.LessOrEqual(t, e.Confidence, 0.66)
		require.Equal(t, quote.MatchVerbatim, e.Match)
	}
	return response.Findings
}

func TestFindsPassagesByTheirWords(t *testing.T) {
	t.Parallel()
	const (
		copying  = "Teams copy invoices by hand into a spreadsheet"
		receipts = "Accountants complain about missing receipts"
		dentists = "Dentists like calendars"
	)
	findings := findKeywords(t, interview, copying, receipts, dentists)
	byHypothesis := map[string][]extract.Finding{}
	for _, f := range findings {
		require.True(t, strings.HasPrefix(f.Rationale, "Keyword match, no AI: "), f.Rationale)
		require.Empty(t, f.Summary, "a keyword match has no summary")
		byHypothesis[f.HypothesisID] = append(byHypothesis[f.HypothesisID], f)
	}
	require.Equal(t, interview.Utterances[1].Text, byHypothesis[copying][0].Quote)
	require.Equal(t, interview.Utterances[5].Text, byHypothesis[receipts][0].Quote)
	require.Empty(t, byHypothesis[dentists])
}

func TestQuotesTheAnswerNotTheQuestion(t *testing.T) {
	t.Parallel()
	tr := interviewtest.New(
		"Ann: Would you pay a deposit when you reserve a table?",
		"Ben: No, I would rather go somewhere else.",
		"Ann: Do you reserve a table by telephone?",
		"Ben: Yes.",
		"Ann: And does a deposit put you off a table?",
		"Ann: Sorry, let me start again.",
	)
	findings := findKeywords(t, tr, "Guests pay a deposit when they reserve a table")
	require.Len(t, findings, 1)
	require.Equal(t, []int{1}, findings[0].Utterances)
	require.Equal(t, tr.Utterances[1].Text, findings[0].Quote)
	require.Contains(t, findings[0].Rationale, "answers a question")
	require.Equal(t, outcome.StanceNeutral, findings[0].Stance)
}

func TestStanceIsNeutralWithoutPlainCues(t *testing.T) {
	t.Parallel()
	for quote, stance := range map[string]outcome.Stance{
		"Ben: Older nurses would not install a scheduling app on their phones.":      outcome.StanceContradicts,
		"Ben: The nurses absolutely install every scheduling app on their phones.":   outcome.StanceSupports,
		"Ben: The nurses install a scheduling app on their phones, as far as I see.": outcome.StanceNeutral,
		"Ben: I never saw a nurse with an app.":                                      outcome.StanceNeutral,
	} {
		tr := interviewtest.New("Ann: Tell me more.", quote, "Ann: I see.")
		findings := findKeywords(t, tr, "Nurses install a scheduling app on their phones")
		require.NotEmpty(t, findings, quote)
		require.Equal(t, stance, findings[0].Stance, quote)
		require.Equal(t, outcome.StrengthWeak, findings[0].Strength)
	}
}

func TestADenialOfSomethingElseLeavesTheStanceOpen(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"We copy invoices by hand into a spreadsheet not into the archive.",
		"The teams copy invoices by hand into a spreadsheet because the scanner does not work.",
		"Teams that have no scanner copy invoices by hand into a spreadsheet.",
		"If the scanner is broken, teams never copy invoices by hand into a spreadsheet.",
		"Teams don't always copy invoices by hand into a spreadsheet.",
		"We copy two invoices by hand into a spreadsheet, never more.",
		"Teams hardly copy invoices by hand into a spreadsheet.",
		"Teams always copy invoices by hand into a spreadsheet. No team copies an invoice by hand into a " +
			"spreadsheet.",
		"No invoices.",
	} {
		require.Equal(t, outcome.StanceNeutral,
			proposeStance(t, "en", "Teams copy invoices by hand into a spreadsheet", said), said)
	}
	require.Equal(t, outcome.StanceNeutral,
		proposeStance(t, "sv", "Lag kopierar fakturor", "Inget lag kopierar aldrig fakturor."),
		"a language without cues")
}

func TestStemsWordsInTheLanguageOfTheTranscript(t *testing.T) {
	t.Parallel()
	for language, c := range map[string]struct{ said, hypothesis string }{
		"en": {"Ben: She was copying those invoices all night.", "People copy an invoice"},
		"de": {"Ben: Die Bestände in den Lagern stimmen nie.", "Der Bestand im Lager stimmt"},
		"fr": {"Ben: Nous avons copié toutes les factures.", "On copie une facture"},
		"es": {"Ben: Copian todas las facturas por la noche.", "Copiar una factura"},
		"it": {
			said:       "Ben: Le fatture le copiavamo a mano di notte, una fattura alla volta, a mano.",
			hypothesis: "Una fattura copiata a mano",
		},
		"nl": {"Ben: Wij tellen elke avond de voorraden.", "De voorraad tellen"},
		"ja": {"Ben: 請求書を手で入力しています。", "請求書の入力は手作業"},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			tr := interviewtest.New("Ann: …", c.said, "Ann: Mm.", "Ben: Zzz.")
			tr.Language = language
			findings := findKeywords(t, tr, c.hypothesis)
			require.NotEmpty(t, findings)
			require.Equal(t, []int{1}, findings[0].Utterances)
		})
	}
}

func TestALongUtteranceIsQuotedInPart(t *testing.T) {
	t.Parallel()
	const match = "Then Maria copied the invoices by hand."
	before := strings.Repeat("We talked about the weather for a while. ", 30)
	after := strings.Repeat(" And then it rained again.", 30)
	tr := interviewtest.New("Ann: Hm.", "Ben: "+before+match+after+" ", "Ann: Hm.")
	findings := findKeywords(t, tr, "Invoices are copied by hand")
	require.Len(t, findings, 1)
	require.True(t, strings.HasPrefix(findings[0].Quote, match), findings[0].Quote)
	require.LessOrEqual(t, len(strings.Fields(findings[0].Quote)), 60)
}

func TestAHypothesisWithoutWordsFindsNothing(t *testing.T) {
	t.Parallel()
	for _, statement := range []string{"", "…", "the of and", "!!!"} {
		require.Empty(t, findKeywords(t, interview, statement), "%q", statement)
	}
	require.Empty(t, findKeywords(t, interviewtest.New("Ann: Hello."), "Teams copy invoices by hand"))
}

func TestKeywordsAreLookedForInWhatTheOthersSayAndInAnswersToThem(t *testing.T) {
	t.Parallel()
	tr := interviewtest.New(
		"Dana: Teams copy invoices by hand into a spreadsheet, we think.",
		"Omar: Honestly, that takes me two full days every single month.",
		"Omar: We do copy invoices by hand into a spreadsheet here.",
	)
	r := extract.Request{
		Transcript: tr, Chunk: extract.Whole(tr), Interviewers: []string{"Dana"},
		Hypotheses: []extract.Hypothesis{{ID: "h1", Statement: "Teams copy invoices by hand into a spreadsheet"}},
	}
	response, err := keyword.New(keyword.Precise).Extract(t.Context(), r)
	require.NoError(t, err)
	require.NotEmpty(t, response.Findings)
	for _, f := range response.Findings {
		require.Equal(t, "Omar", tr.Utterances[f.Utterances[0]].Speaker, f.Quote)
	}
}
