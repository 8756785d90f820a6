package imports

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestAReadingIsDescribedWithItsDoubts(t *testing.T) {
	t.Parallel()
	name := "Interviewer"
	parsed := &transcript.Transcript{
		Confidence: 0.93, NeedsLook: true,
		Utterances: []transcript.Utterance{
			{Speaker: "R", Text: "We pay late.", Timed: true, Start: 2 * time.Second, Confidence: 1},
			{Speaker: "R", Text: strings.Repeat("long ", 100), Confidence: 0.55},
		},
		Labels: []transcript.Label{{
			Label: "Setting", Kind: transcript.LabelNobody, Count: 1, Share: 0.02, Doubt: 0.6, Note: true,
			First: transcript.Context{Line: "Setting: a kitchen", After: "R: We pay late."},
		}},
		Unlabelled: &transcript.Unlabelled{
			Count: 23, In: "R", Speaker: "R", Suggest: name, Doubt: 0.7,
			First: transcript.Context{Before: "a", Line: "b"},
		},
		Doubts: []transcript.Doubt{{Ordinal: 1, Other: name, Doubt: 0.45}},
		Edges:  transcript.Edges{Head: []string{"Setting: a kitchen"}},
	}
	decided := transcript.Reading{Nobody: []string{"Setting"}, Unlabelled: &name}
	got, err := json.Marshal(newReadingResponse(fileReading{
		Transcript: parsed, decided: decided, remembered: []string{"Setting"}, rememberedUnlabelled: true,
	}))
	require.NoError(t, err)
	require.JSONEq(t, `{
		"confidence": 0.93, "needsLook": true,
		"labels": [{
			"label": "Setting", "kind": "nobody", "same": "", "count": 1, "share": 0.02, "doubt": 0.6, "note": true,
			"first": {"before": "", "line": "Setting: a kitchen", "after": "R: We pay late."}
		}],
		"unlabelled": {
			"count": 23, "in": "R", "speaker": "R", "suggest": "Interviewer", "doubt": 0.7,
			"first": {"before": "a", "line": "b", "after": ""}
		},
		"doubts": [{
			"ordinal": 1, "speaker": "R", "other": "Interviewer", "startMs": null,
			"text": "`+strings.Repeat("long ", 80)+`…", "confidence": 0.55
		}],
		"edges": {"head": ["Setting: a kitchen"], "tail": []},
		"decided": {"nobody": ["Setting"], "unlabelled": "Interviewer"},
		"remembered": ["Setting"], "rememberedUnlabelled": true
	}`, string(got))
}
