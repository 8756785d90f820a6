package openai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract/ask"
	"research/activities/extract/modeltest"
)

// What a model writes is a sentence of an answer only if what it cites proves it.
func TestBadAnswersLeaveNoSentence(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		behavior modeltest.Behavior
		proven   int
	}{
		"honest":                   {modeltest.Honest(), 3},
		"an invented quote":        {modeltest.AskInvented(), 0},
		"a stitched quote":         {modeltest.AskStitched(), 0},
		"of another interview":     {modeltest.AskElsewhere(), 0},
		"an unknown id":            {modeltest.AskUnknownID(), 0},
		"most users":               {modeltest.AskMostUsers(), 0},
		"knowledge of the world":   {modeltest.AskWorldKnowledge(), 0},
		"prose":                    {modeltest.AskProse(), 0},
		"in a fence":               {modeltest.AskFenced(), 3},
		"what breaks off":          {modeltest.AskCutOff(), 2},
		"one object with all":      {modeltest.AskObject(), 3},
		"a response without lines": {modeltest.Garbage(), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines, _, _ := compose(t, newModel(t, modeltest.New(t).Always(c.behavior)))
			r := composeRequest()
			prover := ask.NewProver(r.Question, r.Transcripts, r.Interviewers)
			var proven []ask.Sentence
			for _, line := range lines {
				if sentence, ok := prover.Prove(line, r.Sources); ok {
					proven = append(proven, sentence)
				}
			}
			require.Len(t, proven, c.proven, "%+v", proven)
		})
	}
}
