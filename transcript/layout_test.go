package transcript_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

const doubtfulClocks = "[10:02] Dana: How do you plan?\n[10:20] Sam: On paper.\n[10:41] Dana: Why?\n" +
	"[11:15] Sam: No time.\n"

func TestReadsADoubtfulFileInTheLayoutThatAPersonChose(t *testing.T) {
	t.Parallel()
	parsed, err := transcript.Parse([]byte(doubtfulClocks))
	require.NoError(t, err)
	require.Equal(t, 10*time.Minute+20*time.Second, parsed.Utterances[1].Start)

	readings := transcript.Readings([]byte(doubtfulClocks), parsed)
	offered := map[transcript.Layout]transcript.LayoutReading{}
	for _, r := range readings {
		offered[r.Layout] = r
	}
	require.Equal(t, []string{"Dana", "Sam"}, offered[transcript.LayoutHours].Speakers)
	require.Equal(t, 4, offered[transcript.LayoutParagraphs].Utterances)
	require.NotContains(t, offered, transcript.LayoutHeads)

	for layout, want := range offered {
		got, err := transcript.ParseLayout([]byte(doubtfulClocks), layout)
		require.NoError(t, err)
		checkInvariants(t, got)
		require.Len(t, got.Utterances, want.Utterances)
		require.Equal(t, want.Speakers, got.Speakers())
	}
	hours, err := transcript.ParseLayout([]byte(doubtfulClocks), transcript.LayoutHours)
	require.NoError(t, err)
	require.Equal(t, 18*time.Minute, hours.Utterances[1].Start)
}

func TestLabelsThatAreNotCertainAreSpeakersInTheLayoutOfLabels(t *testing.T) {
	t.Parallel()
	text := dialogue + "Ben: I am Ben.\nLiz: I am Liz.\nTom: I am Tom.\n" + dialogue
	parsed, err := transcript.Parse([]byte(text))
	require.NoError(t, err)
	require.NotContains(t, parsed.Speakers(), "Ben")
	chosen, err := transcript.ParseLayout([]byte(text), transcript.LayoutLabels)
	require.NoError(t, err)
	require.Equal(t, []string{"Dana", "Sam", "Ben", "Liz", "Tom"}, chosen.Speakers())
}

func TestRejectsALayoutThatAFileCannotHave(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"WEBVTT\n\n00:01.000 --> 00:02.000\nHi.\n", "Speaker,Text\nDana,Hi there\nSam,Hello\n",
	} {
		_, err := transcript.ParseLayout([]byte(file), transcript.LayoutLabels)
		require.ErrorIs(t, err, transcript.ErrLayout)
		parsed, err := transcript.Parse([]byte(file))
		require.NoError(t, err)
		require.Empty(t, transcript.Readings([]byte(file), parsed))
	}
	_, err := transcript.ParseLayout([]byte(doubtfulClocks), "upside down")
	require.ErrorIs(t, err, transcript.ErrLayout)
}

func TestRelabelsSpeakers(t *testing.T) {
	t.Parallel()
	parsed, err := transcript.Parse([]byte(dialogue))
	require.NoError(t, err)
	require.NoError(t, parsed.Relabel(map[string]string{"Dana": "Dana Weber", "Sam": "Dana Weber"}))
	require.Equal(t, []string{"Dana Weber"}, parsed.Speakers())
	require.ErrorIs(t, parsed.Relabel(map[string]string{"Nobody": "Dana"}), transcript.ErrSpeaker)
}
