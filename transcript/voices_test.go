package transcript_test

import "testing"

func TestWordsOfAnotherSpeakerWithinASegment(t *testing.T) {
	t.Parallel()
	const words = `[{"word":"Who","start":0,"end":0.5,"speaker":"A1"},{"word":"files?",` +
		`"start":0.5,"end":1,"speaker":"A1"},` +
		`{"word":"I","start":2,"end":2.2,"speaker":"B2"},{"word":"do.","start":2.2,"end":2.5}]`
	turns := []string{"A1 (0s): Who files?", "B2 (2s): I do."}
	requireTurns(t, []example{
		{
			"WhisperX",
			`{"segments":[{"start":0,"end":3,"text":" Who files? I do.","speaker":"A1",` +
				`"words":` + words + `}],"language":"en"}`,
			turns,
		},
		{
			"a segment without a speaker",
			`{"segments":[{"start":0,"end":3,"text":" Who files? I do.","words":` + words + `}],"language":"en"}`,
			turns,
		},
		{
			"utterances",
			`{"text":"Who files? I do.","utterances":[{"start":0,"end":3000,"text":"Who files? I do.",` +
				`"speaker":"A","words":[` +
				`{"text":"Who","start":0,"end":500,"speaker":"A"},{"text":"files?",` +
				`"start":500,"end":900,"speaker":"A"},` +
				`{"text":"I","start":2000,"end":2100,"speaker":"B"},{"text":"do.",` +
				`"start":2100,"end":2400,"speaker":"B"}]}]}`,
			[]string{"Speaker A (0s): Who files?", "Speaker B (2s): I do."},
		},
		{
			"words without speakers",
			`{"segments":[{"start":0,"end":3,"text":" Who files?","speaker":"A1","words":[{"word":"Who",` +
				`"start":0,"end":1}]}],` +
				`"language":"en"}`,
			[]string{"A1 (0s): Who files?"},
		},
		{
			"words beside a segmentation",
			`{"retval":{"words":[{"start":1,"end":1.2,"word":"who","punct":"Who"},` +
				`{"start":1.3,"end":1.6,"word":"files",` +
				`"punct":"files?"},{"start":4,"end":4.2,"word":"i","punct":"I"},` +
				`{"start":4.2,"end":4.5,"word":"do","punct":"do."}],` +
				`"segmentation":{"segments":[{"start":0,"duration":3,"speaker":{"@id":"S0"}},` +
				`{"start":3.5,"duration":3,"speaker":{"@id":"S1"}}]}}}`,
			[]string{"S0 (1s): Who files?", "S1 (4s): I do."},
		},
		{
			"lines of a dialogue",
			`{"dialogue":[{"speaker":"Dana","message":"Who files them?"},{"speaker":"Omar","message":"I do."}]}`,
			[]string{"Dana: Who files them?", "Omar: I do."},
		},
		{
			"names and lines",
			`{"transcript":[{"name":"Dana","line":"Who files them?"},{"name":"Omar","line":"I do."}]}`,
			[]string{"Dana: Who files them?", "Omar: I do."},
		},
	})
}
