package transcript_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTranscribersHaveTheirTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"names once behind times of Happy Scribe",
			"[00:00:03.000] - Dana Weber\nWhat do you do here?\n\n[00:00:09.500] - Ben\n" +
				"I run the desk.\n\n[00:00:14.000] - Carla Ruiz\nAnd I wait.\n",
			[]string{
				"Dana Weber (3s): What do you do here?", "Ben (9.5s): I run the desk.", "Carla Ruiz (14s): And I wait.",
			},
		},
		{
			"Speechmatics",
			"SPEAKER: S1\nWho files them?\n\nSPEAKER: S2\nI do.\n\nSPEAKER: S1\nWhere?\n\nSPEAKER: S2\nIn a box.\n",
			[]string{"S1: Who files them?", "S2: I do.", "S1: Where?", "S2: In a box."},
		},
		{
			"Express Scribe",
			"Speaker A:\tWho files them?\n\nSpeaker B:\tI do.\n\nIn a box, below the desk, where nobody looks.\n\n" +
				"Speaker A:\tSince when?\n\nSpeaker B:\tSince March.\n\nSpeaker A:\tAnd before?\n\n" +
				"Speaker B:\tNobody did.\n\nSpeaker A:\tI see.\n\nSpeaker B:\tYes.\n\nSpeaker A:\tThanks.\n\n" +
				"Speaker B:\tBye.\n",
			[]string{
				"Speaker A: Who files them?", "Speaker B: I do. In a box, below the desk, where nobody looks.",
				"Speaker A: Since when?", "Speaker B: Since March.", "Speaker A: And before?", "Speaker B: Nobody did.",
				"Speaker A: I see.", "Speaker B: Yes.", "Speaker A: Thanks.", "Speaker B: Bye.",
			},
		},
		{
			"transcription of Word in Italian",
			"File audio\n\nutente3.mp3\n\nTrascrizione\n\n00:00:02 Ilaria\n\nWho files them?\n\n00:00:08 Utente\n\n" +
				"I do.\n\n00:00:11 Ilaria\n\nWhere?\n\n00:00:18 Utente\n\nIn a box.\n\n00:00:20 Ilaria\n\nI see.\n\n" +
				"00:00:22\n\nYes.\n",
			[]string{
				": utente3.mp3",
				"Ilaria (2s): Who files them?",
				"Utente (8s): I do.",
				"Ilaria (11s): Where?",
				"Utente (18s): In a box.",
				"Ilaria (20s): I see.",
				" (22s): Yes.",
			},
		},
		{
			"closing lines of Sonix",
			"Dana: [00:00:01] Who files them?\n\nOmar: [00:00:03] I do.\n\nDana: [00:00:05] Where?\n\n" +
				"Omar: [00:00:07] Here.\n\nSonix is the world’s most advanced automated transcription platform. Fast " +
				"and affordable.\n\nAutomatically convert your m4a files to text (txt file) and SubRip Subtitle (srt " +
				"file) in minutes.\n",
			[]string{"Dana (1s): Who files them?", "Omar (3s): I do.", "Dana (5s): Where?", "Omar (7s): Here."},
		},
	})
}

func TestLongTurnsOfRevHaveTimesWithoutNames(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar"}
	text := twoVoices("%[1]s (00:0%[2]d:00):\n%[3]s\n\n(00:0%[2]d:20):\nThat took a while.\n\n"+
		"(00:0%[2]d:40):\nAnd then some.\n\n", names, 8)
	got := requireVoices(t, text, names)
	require.Len(t, got.Utterances, 24)
	require.Equal(t, "Omar", got.Utterances[5].Speaker)
	require.Equal(t, 100*time.Second, got.Utterances[5].Start)
}
