package transcript_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestTakesNoFormOfPeopleForTurns(t *testing.T) {
	t.Parallel()
	for _, form := range []string{
		"Interview 7\n\nInterviewer: Jane Roe\nParticipant: P07, nurse, 34\nDate: 14 March 2024\n" +
			"Location: Berlin\nTranscribed by: Kim M.\n\n",
		"Interviewer: Jane Roe\nParticipant: P07, nurse, 34\n\n",
		"Interviewer: Jane Roe\n\nDate: 14 March 2024\n\nParticipant: P07\n\n",
		"Date: 14 March 2024\nInterviewer: Jane Roe\nParticipant: P07\n\n",
		"Participant: P07, nurse, 34\nInterviewer: Jane Roe\n",
	} {
		turns := spoken(t, form+"Interviewer: What do you do here?\n\nParticipant: I run the desk.\n\n"+
			"Interviewer: And then?\n\nParticipant: Nothing.\n\n")
		require.Equal(t, []string{
			"Interviewer: What do you do here?", "Participant: I run the desk.", "Interviewer: And then?",
			"Participant: Nothing.",
		}, turns[len(turns)-4:])
		for _, turn := range turns[:len(turns)-4] {
			require.Regexp(t, "^: ", turn)
		}
	}
}

func TestFormsMayNameTheSpeakers(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "Moderator: Dana Weber\nGuest: P07\nDana Weber: What do you do here?\n"+
		"P07: I run the desk.\nDana Weber: And then?\nP07: Nothing.\n")
	require.Equal(t, []string{
		": Moderator: Dana Weber", ": Guest: P07", "Dana Weber: What do you do here?", "P07: I run the desk.",
		"Dana Weber: And then?", "P07: Nothing.",
	}, turns)
}

func TestShortTurnsAtTheBeginningAreNoForm(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Moderator: Hello.\nP07: Hello.\nModerator: What do you do here?\nP07: I run the desk.\n",
		"Moderator: Dana?\nP07: Yes, Dana.\nModerator: What do you do here?\nP07: I run the desk.\n",
		"Moderator: Guten Morgen\n\nP07: Hallo\n\nModerator: Was machen Sie\n\nP07: Empfang\n",
		"Q: Name\nA: Dana Weber\nQ: What do you do here?\nA: I run the desk.\n",
		"Anna: Anna Weber\nBen: Ben Stone\nAnna: Hello\nBen: Hello\n",
	} {
		got, err := transcript.Parse([]byte(text))
		require.NoError(t, err)
		require.Len(t, got.Utterances, 4)
		for _, u := range got.Utterances {
			require.NotEmpty(t, u.Speaker, u.Text)
		}
	}
}

func TestWarnsOfAFirstLineThatMayBeATurnOrAForm(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte("Interviewer: Jane Roe\n\nP07: I run the desk.\n\n" +
		"Interviewer: And then?\n\nP07: Nothing.\n"))
	require.NoError(t, err)
	require.Empty(t, got.Utterances[0].Speaker)
	require.Equal(t, []transcript.Warning{{Code: transcript.WarnUncertainNames, Count: 1}}, got.Warnings)
}

func TestReadsPDFsWithBytesBeforeTheHeader(t *testing.T) {
	t.Parallel()
	document := []byte(pdfOf("BT /F 9 Tf 1 0 0 1 50 700 Tm (Dana: What do you do here?) Tj "+
		"1 0 0 1 50 680 Tm (Sam: I run the desk.) Tj 1 0 0 1 50 660 Tm (Dana: And then?) Tj ET", ""))
	plain, err := transcript.Parse(document)
	require.NoError(t, err)
	for _, before := range []string{"\n", "\x00\x01\x02\xff\xfe", string(bytes.Repeat([]byte{0}, 1000))} {
		got, err := transcript.Parse(append([]byte(before), document...))
		require.NoError(t, err)
		require.Equal(t, plain, got)
	}
}

func TestTextThatMentionsPDFsIsText(t *testing.T) {
	t.Parallel()
	turns := spoken(t,
		"Dana: How does it begin?\nBen: With %PDF-1.7, and objects.\nDana: And then?\nBen: Nothing.\n")
	require.Equal(t, "Ben: With %PDF-1.7, and objects.", turns[1])
}

func TestReadsNamesThatOccurOnceBehindTimesOfHappyScribe(t *testing.T) {
	t.Parallel()
	turns := spoken(t, "[00:00:03.000] - Dana Weber\nWhat do you do here?\n\n[00:00:09.500] - Ben\n"+
		"I run the desk.\n\n[00:00:14.000] - Carla Ruiz\nAnd I wait.\n")
	require.Equal(t, []string{
		"Dana Weber (3s): What do you do here?", "Ben (9.5s): I run the desk.", "Carla Ruiz (14s): And I wait.",
	}, turns)
}
