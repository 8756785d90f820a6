package transcript_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRecognizedSpeechHasItsTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"pyannote-whisper",
			"0.50 1.90 SPEAKER_00 Who files them?\n2.00 3.50 SPEAKER_01 I do.\n3.80 4.90 SPEAKER_00 Where?\n",
			[]string{"SPEAKER_00 (500ms): Who files them?", "SPEAKER_01 (2s): I do.", "SPEAKER_00 (3.8s): Where?"},
		},
		{
			"a time now and then in noScribe",
			"[00:00:00] S00: Who files them?\n\nS01: I do.\n\nS00: Where?\n\nS02: Sorry, a courier.\n\n" +
				"S01: In a box.\n\n[00:00:40] S00: Since when?\n\nS01: March.\n\nS00: I see.\n\nS01: Yes.\n\n" +
				"S00: Thanks.\n",
			[]string{
				"S00 (0s): Who files them?",
				"S01: I do.",
				"S00: Where?",
				"S02: Sorry, a courier.",
				"S01: In a box.",
				"S00 (40s): Since when?",
				"S01: March.",
				"S00: I see.",
				"S01: Yes.",
				"S00: Thanks.",
			},
		},
	})
}

func TestTurnsThatScriptsPrint(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"SPEAKER_00 (500ms): Who files them?", "SPEAKER_01 (3s): I do.", "SPEAKER_00 (5s): Why?",
	}, spoken(t, "start=0.5s stop=2.0s speaker=SPEAKER_00 text=  Who files them?\n"+
		"start=3.0s stop=4.5s speaker=SPEAKER_01 text=  I do.\n"+
		"start=5.0s stop=6.5s speaker=SPEAKER_00 text=  Why?\n"))
	names := [2]string{"SPEAKER_00", "SPEAKER_01"}
	padded := requireVoices(t,
		twoVoices("[00:00:00%[2]d.50 --> 00:00:00%[2]d.90] [%[1]s]  %[3]s\n\n", names, 8), names)
	require.Equal(t, 1500*time.Millisecond, padded.Utterances[1].Start)
	require.Equal(t, []string{
		"Speaker 1 (0s): Who files", "Speaker 1 (1s): them?", "Speaker 2 (3s): I do.", "Speaker 1 (5s): You?",
		"Speaker 2 (6s): Yes.",
	}, spoken(t, "--- Speaker 1 ---\n  [00:00 - 00:01] Who files\n  [00:01 - 00:03] them?\n\n"+
		"--- Speaker 2 ---\n  [00:03 - 00:04] I do.\n\n--- Speaker 1 ---\n  [00:05 - 00:06] You?\n\n"+
		"--- Speaker 2 ---\n  [00:06 - 00:07] Yes.\n"))
}
