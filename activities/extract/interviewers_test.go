package extract_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/interviewtest"
	"research/activities/extract/modeltest"
	"research/outcome"
)

func TestWordsOfInterviewersAreNoEvidence(t *testing.T) {
	t.Parallel()
	speaker := interview.Utterances[1].Speaker

	t.Run("their quotes are rejected with a reason of their own", func(t *testing.T) {
		t.Parallel()
		results := []extract.ChunkResult{{
			Chunk: extract.Whole(interview),
			Response: extract.Response{Findings: []extract.Finding{
				finding(h1, outcome.StanceSupports, invoices, 1),
			}},
		}}
		evidence, rejected := extract.Merge(interview, results, twoHypotheses, []string{"Somebody else"})
		require.Len(t, evidence, 1)
		require.Empty(t, rejected)
		evidence, rejected = extract.Merge(interview, results, twoHypotheses, []string{speaker})
		require.Empty(t, evidence)
		require.Equal(t, extract.Rejected{extract.RejectInterviewer: 1}, rejected)
	})

	t.Run("the model is told who they are", func(t *testing.T) {
		t.Parallel()
		server := modeltest.New(t)
		model := newModel(t, server)
		r := request(interview)
		_, err := model.Extract(t.Context(), r)
		require.NoError(t, err)
		r.Interviewers = []string{speaker}
		_, err = model.Extract(t.Context(), r)
		require.NoError(t, err)
		calls := server.Calls()
		require.NotContains(t, string(calls[0].Body), "Interviewers: ")
		require.Contains(t, string(calls[1].Body), "Interviewers: "+speaker+". ")
	})

	t.Run("keywords are looked for in what the others say, and in answers to them", func(t *testing.T) {
		t.Parallel()
		tr := interviewtest.New(
			"Dana: Teams copy invoices by hand into a spreadsheet, we think.",
			"Omar: Honestly, that takes me two full days every single month.",
			"Omar: We do copy invoices by hand into a spreadsheet here.",
		)
		r := extract.Request{
			Transcript: tr, Chunk: extract.Whole(tr), Interviewers: []string{"Dana"},
			Hypotheses: []extract.Hypothesis{{ID: h1, Statement: "Teams copy invoices by hand into a spreadsheet"}},
		}
		response, err := extract.NewKeyword(extract.Precise).Extract(t.Context(), r)
		require.NoError(t, err)
		require.NotEmpty(t, response.Findings)
		for _, f := range response.Findings {
			require.Equal(t, "Omar", tr.Utterances[f.Utterances[0]].Speaker, f.Quote)
		}
	})
}
