package extract_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
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
}
