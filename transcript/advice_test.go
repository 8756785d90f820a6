package transcript_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// atTheHarbour returns an interview in which it is in doubt whether Berth is somebody. What is in doubt
// depends on the weights.
func atTheHarbour(t *testing.T) []byte {
	t.Helper()
	for _, said := range []string{"Cuxhaven", "4 west, 0421 555 0188", "by the old crane", "4 west in 2019"} {
		data := fileOf("Berth: "+said, "Wiebke: We sail at nine, if the lock is open.",
			"Jonte: And if it is not?", "Wiebke: Then we wait. Last year we waited for two days.",
			"Jonte: Who tells you?", "Wiebke: Somebody calls, or nobody does, which is worse.",
			"Jonte: Do you like it?", "Wiebke: I would not do anything else.",
			"Jonte: Thank you.", "Wiebke: You are welcome.")
		read, err := transcript.Parse(data)
		require.NoError(t, err)
		if read.NeedsLook && label(t, read, "Berth").Doubt > 0.3 {
			return data
		}
	}
	require.Fail(t, "nothing is in doubt")
	return nil
}

// askedAtTheHarbour is an interview in which some questions have no label.
var askedAtTheHarbour = fileOf(
	"W: We sail at nine, if the lock is open.", "", "And if it is not?", "",
	"W: Then we wait. Last year we waited for two days.", "", "Who tells you?", "",
	"W: Somebody calls, or nobody does, which is worse.", "", "Jonte: I see.", "", "W: Good.", "",
	"Do you like it?", "", "W: I would not do anything else.", "", "Would you do it again?", "", "W: Any day.",
	"",
	"Jonte: Thank you.", "", "W: You are welcome.",
)

func fileOf(lines ...string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }

func advised(
	t *testing.T, data []byte, decided transcript.Reading, advice transcript.Advice,
) *transcript.Transcript {
	t.Helper()
	read, err := transcript.ReadAdvised(data, decided, advice)
	require.NoError(t, err)
	return read
}

// label returns what a reading says of a label.
func label(t *testing.T, read *transcript.Transcript, name string) transcript.Label {
	t.Helper()
	for _, l := range read.Labels {
		if l.Label == name {
			return l
		}
	}
	require.Failf(t, "no such label", "%s", name)
	return transcript.Label{}
}

func TestAdviceSettlesALabelInDoubt(t *testing.T) {
	t.Parallel()
	plain := advised(t, atTheHarbour(t), transcript.Reading{}, transcript.Advice{})
	require.True(t, plain.NeedsLook)
	for kind, advice := range map[transcript.LabelKind]transcript.Advice{
		transcript.LabelNobody: {Nobody: []string{"Berth"}},
		transcript.LabelPerson: {People: []string{"Berth"}},
	} {
		read := advised(t, atTheHarbour(t), transcript.Reading{}, advice)
		require.False(t, read.NeedsLook, kind)
		require.Equal(t, kind, label(t, read, "Berth").Kind)
		require.Less(t, label(t, read, "Berth").Doubt, 0.1)
		require.Empty(t, read.Doubts)
		for _, u := range read.Utterances {
			require.GreaterOrEqual(t, u.Confidence, 0.9)
		}
	}
}

func TestAdviceSettlesWhoSaysLinesWithoutALabel(t *testing.T) {
	t.Parallel()
	plain := advised(t, askedAtTheHarbour, transcript.Reading{}, transcript.Advice{})
	require.True(t, plain.NeedsLook)
	jontes := func(advice transcript.Advice) (n int) {
		read := advised(t, askedAtTheHarbour, transcript.Reading{}, advice)
		require.Greater(t, read.Confidence, plain.Confidence)
		require.Less(t, read.Unlabelled.Doubt, plain.Unlabelled.Doubt)
		for _, u := range read.Utterances {
			if u.Speaker == "Jonte" {
				n++
			}
		}
		return n
	}
	require.Equal(t, 2, jontes(transcript.Advice{Voice: transcript.VoiceAbove}))
	require.Equal(t, 6, jontes(transcript.Advice{Voice: transcript.VoiceOf, Speaker: "Jonte"}))
}

func TestAdviceUnifiesTwoFormsOfALabel(t *testing.T) {
	t.Parallel()
	read := advised(t, fileOf("WH: We sail at nine, if the lock is open.", "JB: And if it is not?",
		"WH: Then we wait. Last year we waited for two days.", "JB: Who tells you?",
		"WH: Somebody calls, or nobody does, which is worse.", "JB - Do you like it?",
		"WH: I would not do anything else.", "JB: Thank you.", "WH: You are welcome."),
		transcript.Reading{}, transcript.Advice{Same: map[string]string{"JB -": "JB"}})
	require.Equal(t, []string{"WH", "JB"}, read.Speakers())
	require.Equal(t, "JB", read.Utterances[5].Speaker)
	require.Equal(t, "Do you like it?", read.Utterances[5].Text)
}

// A model is not believed against everything else: what it says of a label that is certain makes it doubtful,
// so that a person looks.
func TestAdviceAgainstAllElseIsDoubt(t *testing.T) {
	t.Parallel()
	plain := advised(t, atTheHarbour(t), transcript.Reading{Nobody: []string{"Berth"}}, transcript.Advice{})
	read := advised(t, atTheHarbour(t), transcript.Reading{Nobody: []string{"Berth"}},
		transcript.Advice{Nobody: []string{"Wiebke"}})
	require.Equal(t, transcript.LabelPerson, label(t, read, "Wiebke").Kind)
	require.Greater(t, label(t, read, "Wiebke").Doubt, label(t, plain, "Wiebke").Doubt)
}

func TestWhatAPersonDecidedHoldsAgainstAdvice(t *testing.T) {
	t.Parallel()
	wrong := transcript.Advice{
		Nobody: []string{"Berth", "Wiebke"}, Same: map[string]string{"Jonte": "Wiebke"},
		Voice: transcript.VoiceOf, Speaker: "Wiebke",
	}
	decided := transcript.Reading{People: []string{"Berth", "Wiebke", "Jonte"}}
	require.Equal(t, advised(t, atTheHarbour(t), decided, transcript.Advice{}).Utterances,
		advised(t, atTheHarbour(t), decided, wrong).Utterances)
	jonte := "Jonte"
	decided = transcript.Reading{Unlabelled: &jonte}
	require.Equal(t, advised(t, askedAtTheHarbour, decided, transcript.Advice{}).Utterances,
		advised(t, askedAtTheHarbour, decided, transcript.Advice{Voice: transcript.VoiceAbove}).Utterances)
}

// Labels that a file does not have, and files without labels, are read as without advice.
func TestAdviceAboutWhatIsNotThereChangesNothing(t *testing.T) {
	t.Parallel()
	strange := transcript.Advice{
		People: []string{"Boris", ""}, Nobody: []string{"Anna"}, Same: map[string]string{"Boris": "Anna"},
	}
	for _, data := range [][]byte{
		atTheHarbour(t), []byte("Nobody has a name here.\n\nNot one.\n"),
		[]byte("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Wiebke>We sail at nine.\n"),
	} {
		require.Equal(t, turnsOf(advised(t, data, transcript.Reading{}, transcript.Advice{})),
			turnsOf(advised(t, data, transcript.Reading{}, strange)))
	}
}
