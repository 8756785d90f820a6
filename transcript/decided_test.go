package transcript_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// decide returns a pointer to a name, for decisions about lines without a label.
func decide(name string) *string { return &name }

// decisions are what people decide about files of many formats, and the turns after it.
var decisions = []struct {
	name, text string
	decided    transcript.Reading
	turns      []string
}{
	{
		"a label that the rules do not see",
		"Olu: How long have you fished here?\n\nTam: Since I was nine.\n\n" +
			"Pia Sand, keeper of the harbour of B4: He was eight, in truth.\n\nOlu: Eight, then.\n\nTam: Eight.\n",
		transcript.Reading{People: []string{"Pia Sand, keeper of the harbour of B4"}},
		[]string{
			"Olu: How long have you fished here?", "Tam: Since I was nine.",
			"Pia Sand, keeper of the harbour of B4: He was eight, in truth.", "Olu: Eight, then.", "Tam: Eight.",
		},
	},
	{
		"a label with another mark, of the same person",
		"OB: The nets are dry.\nTK: Not all of them.\nOB - I meant the blue ones\nTK: Those are.\nOB: Good.\n",
		transcript.Reading{People: []string{"OB -"}, Same: map[string]string{"OB -": "OB"}},
		[]string{
			"OB: The nets are dry.", "TK: Not all of them.", "OB: I meant the blue ones", "TK: Those are.",
			"OB: Good.",
		},
	},
	{
		"a note that looks like a speaker",
		"Olu: Shall we begin?\n\nTam: Yes.\n\nWeather: Rain on the roof, nobody speaks.\n\nOlu: Loud.\n\nTam: " +
			"Very.\n",
		transcript.Reading{Nobody: []string{"Weather"}},
		[]string{
			"Olu: Shall we begin?", "Tam: Yes.", ": Weather: Rain on the roof, nobody speaks.", "Olu: Loud.",
			"Tam: Very.",
		},
	},
	{
		"a field above the turns",
		"Boat: Annelie\n\nOlu: Shall we begin?\n\nTam: Yes.\n\nOlu: How big is it?\n\nTam: Eight metres.\n",
		transcript.Reading{Nobody: []string{"Boat"}},
		[]string{"Olu: Shall we begin?", "Tam: Yes.", "Olu: How big is it?", "Tam: Eight metres."},
	},
	{
		"words go on below a note",
		"Olu: Shall we begin?\n\nTam: Yes.\n\nWeather: Rain on the roof.\n\nIt was a long winter.\n\n" +
			"Olu: Loud.\n\nTam: Very.\n",
		transcript.Reading{Nobody: []string{"Weather"}},
		[]string{
			"Olu: Shall we begin?", "Tam: Yes.", ": Weather: Rain on the roof.", "Tam: It was a long winter.",
			"Olu: Loud.", "Tam: Very.",
		},
	},
	{
		"the voice without a label asks",
		"R: I mend nets.\n\nSince when?\n\nR: Since school.\n\nAnd before?\n\nR: Before, I did nothing.\n",
		transcript.Reading{Unlabelled: decide("Olu")},
		[]string{
			"R: I mend nets.", "Olu: Since when?", "R: Since school.", "Olu: And before?",
			"R: Before, I did nothing.",
		},
	},
	{
		"the lines without a label go on",
		"R: I mend nets.\n\nWho else?\n\nR: Since school.\n\nWho knows?\n\nR: Before, I did nothing.\n",
		transcript.Reading{Unlabelled: decide("R")},
		[]string{"R: I mend nets. Who else?", "R: Since school. Who knows?", "R: Before, I did nothing."},
	},
	{
		"the lines between",
		"Notes: taken by Bo\nOlu: Ready?\nTam: Ready.\nOlu: Where to?\nTam: Out.\nLater: we met again\n",
		transcript.Reading{From: "Olu: Ready", To: "Tam: Out"},
		[]string{"Olu: Ready?", "Tam: Ready.", "Olu: Where to?", "Tam: Out."},
	},
	{
		"captions",
		"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Olu>Ready?\n\n00:02.000 --> 00:03.000\n<v Tam>Nearly.\n\n" +
			"00:03.000 --> 00:04.000\n<v Radio>Gale warning.\n\n00:04.000 --> 00:05.000\n<v T.>Now.\n",
		transcript.Reading{Nobody: []string{"Radio"}, Same: map[string]string{"T.": "Tam"}, To: "Now"},
		[]string{"Olu (1s): Ready?", "Tam (2s): Nearly.", " (3s): Gale warning.", "Tam (4s): Now."},
	},
	{
		"rows of a table",
		"speaker,text\nOlu,Ready?\nTam,Nearly.\nMORE,See page two.\nTam,Now.\n",
		transcript.Reading{Nobody: []string{"MORE"}, From: "Nearly"},
		[]string{"Tam: Nearly.", ": See page two.", "Tam: Now."},
	},
	{
		"data of a service",
		`{"segments":[{"speaker":"A","start":1,"end":2,"text":"Ready?"},` +
			`{"speaker":"B","start":2,"end":3,"text":"Nearly."},{"speaker":"C","start":3,"end":4,"text":"Hm."}]}`,
		transcript.Reading{Nobody: []string{"Speaker C"},
			Same: map[string]string{"Speaker B": "Tam", "Speaker A": "Olu"}},
		[]string{"Olu (1s): Ready?", "Tam (2s): Nearly.", " (3s): Hm."},
	},
	{
		"a chat",
		"[05/03/2024, 10:02:15] Olu: Ready?\n[05/03/2024, 10:02:20] Tam: Nearly.\n[05/03/2024, 10:03:15] Bot: 3 " +
			"left\n" +
			"[05/03/2024, 10:04:15] Tam: Now.\n",
		transcript.Reading{Nobody: []string{"Bot"}},
		[]string{"Olu (0s): Ready?", "Tam (5s): Nearly.", " (1m0s): 3 left", "Tam (2m0s): Now."},
	},
	{
		"Markdown",
		"**Olu:** Ready?\n\n**Tam:** Nearly.\n\n**Tide:** low at noon\n\n**Olu:** Now?\n\n**Tam:** Now.\n",
		transcript.Reading{Nobody: []string{"Tide"}},
		[]string{"Olu: Ready?", "Tam: Nearly.", ": Tide: low at noon", "Olu: Now?", "Tam: Now."},
	},
}

func TestDecisionsAreFollowedInEveryFormat(t *testing.T) {
	t.Parallel()
	for _, d := range decisions {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			got, err := transcript.Read([]byte(d.text), d.decided)
			require.NoError(t, err)
			checkInvariants(t, got)
			require.Equal(t, d.turns, turnsOf(got))
		})
	}
}

func TestDecisionsHoldForDocuments(t *testing.T) {
	t.Parallel()
	data := docx("Olu: Ready?", "Tam: Nearly.", "Tide: low at noon", "Olu: Now?", "Tam: Now.")
	got, err := transcript.Read(data, transcript.Reading{Nobody: []string{"Tide"}, From: "Tam: Nearly"})
	require.NoError(t, err)
	require.Equal(t, []string{"Tam: Nearly.", ": Tide: low at noon", "Olu: Now?", "Tam: Now."}, turnsOf(got))
}

func TestALineThatTheFileDoesNotHaveIsAnError(t *testing.T) {
	t.Parallel()
	for _, decided := range []transcript.Reading{{From: "Nowhere"}, {To: "Nowhere"}, {From: "Tam", To: "Olu"}} {
		_, err := transcript.Read([]byte("Olu: Ready?\nTam: Ready.\n"), decided)
		require.ErrorIs(t, err, transcript.ErrReading)
		require.NotContains(t, err.Error(), "Nowhere")
	}
}
