package openai_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/eval"
	"research/activities/extract/modeltest"
	"research/activities/extract/openai"
)

// An estimate is within a quarter of what the fake model counts, whose tokens are words, digits and symbols.
func TestAnExpectationIsNearTheUsage(t *testing.T) {
	t.Parallel()
	cases, err := eval.Load(eval.Set(), ".")
	require.NoError(t, err)
	requests := map[string][]extract.Request{}
	plan := func(name string, model *openai.Extractor, r extract.Request) {
		for _, r.Chunk = range model.Plan(r.Transcript, r.Hypotheses) {
			requests[name] = append(requests[name], r)
		}
	}
	model := newModel(t, modeltest.New(t))
	for _, c := range cases {
		r := extract.Request{Transcript: c.Transcript}
		for i, h := range c.Hypotheses {
			r.Hypotheses = append(r.Hypotheses, extract.Hypothesis{ID: fmt.Sprint(i), Statement: h.Statement})
		}
		plan(c.Name, model, r)
	}
	plan("four chunks", model, extract.Request{Transcript: longInterview(), Hypotheses: twoHypotheses})
	plan("one hypothesis", model, extract.Request{Transcript: longInterview(), Hypotheses: twoHypotheses[:1]})
	require.Len(t, requests["four chunks"], 4)

	for name, all := range requests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var expected, used extract.Usage
			for _, r := range all {
				expected = expected.Add(model.Expect(r))
				response, err := model.Extract(t.Context(), r)
				require.NoError(t, err)
				used = used.Add(response.Usage)
			}
			t.Logf("expected %+v, used %+v", expected, used)
			require.InEpsilon(t, used.InputTokens, expected.InputTokens, 0.25)
			require.InEpsilon(t, used.InputTokens+used.OutputTokens, expected.InputTokens+expected.OutputTokens, 0.25)
		})
	}
}
