package extract_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/outcome"
)

// Responses of earlier versions are stored: their form must not change.
func TestTheStoredFormOfAResponse(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(extract.Response{
		Findings: []extract.Finding{{
			HypothesisID: h1,
			Stance:       outcome.StanceSupports,
			Strength:     outcome.StrengthWeak,
			Quote:        "We copy every invoice",
			Utterances:   []int{1},
			Rationale:    "Because.",
			Summary:      "They copy.",
			Score:        0.5,
		}},
		FollowUps: []extract.FollowUp{{HypothesisID: h1, Text: "Why?"}},
		Usage:     extract.Usage{InputTokens: 7, OutputTokens: 3},
	})
	require.NoError(t, err)
	require.JSONEq(t, `{
		"findings": [{
			"hypothesis_id": "`+h1+`", "stance": "supports", "strength": "weak",
			"quote": "We copy every invoice", "utterances": [1],
			"rationale": "Because.", "summary": "They copy.", "score": 0.5
		}],
		"questions": [{"hypothesis_id": "`+h1+`", "text": "Why?"}],
		"usage": {"input_tokens": 7, "output_tokens": 3}
	}`, string(raw))
}
