package openai_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/interviewtest"
	"research/activities/extract/modeltest"
	"research/activities/extract/openai"
)

func newMaskingModel(t *testing.T, server *modeltest.Server) *openai.Extractor {
	t.Helper()
	model, err := openai.New(openai.Config{
		BaseURL: server.URL, Model: "test-model", Timeout: time.Minute, Mask: true,
	})
	require.NoError(t, err)
	return model
}

var personalInterview = interviewtest.New(
	"Interviewer: Maria, how do you close the books?",
	"Maria Delgado: We copy every invoice by hand into the spreadsheet and mail it to tom.baker@example.org.",
	"Interviewer: And who pays, Ms Delgado?",
	"Tom Baker: I pay with 4111 1111 1111 1111, or from DE89 3704 0044 0532 0130 00, says MARIA.",
	"Tom Baker: Receipts go to 12 Baker Street, London NW1 6XE, or call +44 20 7946 0958 about receipts.",
	"Maria Delgado: The accountant opens https://books.example.com/login?token=abc123 and will complain, "+
		"PERSON_9.",
)

var personalSecrets = []string{
	"Maria", "MARIA", "Delgado", "Tom", "Baker", "tom.baker@example.org", "4111", "DE89", "3704", "7946",
	"token=abc123", "Street", "NW1",
}

func TestNothingPersonalIsSent(t *testing.T) {
	t.Parallel()
	r := request(personalInterview)
	r.Hypotheses = append(r.Hypotheses,
		extract.Hypothesis{ID: "c", Statement: "Maria Delgado copies invoices by hand"})
	plain, masking := modeltest.New(t), modeltest.New(t)
	want, err := newModel(t, plain).Extract(t.Context(), r)
	require.NoError(t, err)
	got, err := newMaskingModel(t, masking).Extract(t.Context(), r)
	require.NoError(t, err)

	body := string(masking.Calls()[0].Body)
	for _, secret := range personalSecrets {
		require.NotContains(t, body, secret)
	}
	for _, placeholder := range []string{
		"PERSON_1: ", "PERSON_1_FIRST", "PERSON_1_LAST", "EMAIL_1", "CARD_1", "TEXT_1",
	} {
		require.Contains(t, body, placeholder)
	}
	require.Contains(t, body, "and will complain", "a word that is also a name")
	require.Contains(t, body, "Interviewer: ", "a role is no name")

	require.NotEmpty(t, got.Findings)
	require.Equal(t, want.Findings, got.Findings, "what was masked is put back")
	evidence, rejected := extract.Merge(personalInterview, []extract.ChunkResult{
		{Chunk: extract.Whole(personalInterview), Response: got},
	}, r.Hypotheses, nil)
	require.Empty(t, rejected)
	require.NotEmpty(t, evidence)
}

func TestPlaceholdersAreStable(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t)
	left, right, _ := extract.Split(personalInterview, extract.Whole(personalInterview))
	seen := map[string]bool{}
	for range 2 { // two processes
		model := newMaskingModel(t, server)
		for _, chunk := range []extract.Chunk{left, right} {
			_, err := model.Extract(t.Context(), extract.Request{
				Transcript: personalInterview, Chunk: chunk, Hypotheses: twoHypotheses,
			})
			require.NoError(t, err)
		}
	}
	for _, call := range server.Calls() {
		seen[call.User] = true
	}
	require.Len(t, seen, 2)
}

func TestWhatAModelSaysOfPlaceholdersIsPutBack(t *testing.T) {
	t.Parallel()
	answer, err := json.Marshal(modeltest.Reply{
		Findings: []modeltest.Finding{{
			Hypothesis: "h1", Utterances: []string{"u1"}, Quote: "mail it to EMAIL_1",
			Rationale: "PERSON_1_FIRST mails it.", Stance: "supports", Strength: "weak",
			Summary: "PERSON_1 mails PERSON_77.",
		}},
		Questions: []modeltest.Question{{Hypothesis: "h1", Text: "Would PERSON_1_LAST call?"}},
	})
	require.NoError(t, err)
	server := modeltest.New(t).Always(modeltest.Say(string(answer)))
	got, err := newMaskingModel(t, server).Extract(t.Context(), request(personalInterview))
	require.NoError(t, err)
	require.Equal(t, "mail it to tom.baker@example.org", got.Findings[0].Quote)
	require.Equal(t, "Maria mails it.", got.Findings[0].Rationale)
	require.Equal(t, "Maria Delgado mails PERSON_77.", got.Findings[0].Summary, "an unknown placeholder remains")
	require.Equal(t, "Would Delgado call?", got.FollowUps[0].Text)
	require.True(t, strings.HasSuffix(newMaskingModel(t, server).PromptVersion(), "-masked"))
}
