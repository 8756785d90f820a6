package transcript_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestCuesOfASentenceAreOneTurn(t *testing.T) {
	t.Parallel()
	cue := func(from, to time.Duration, text string) string {
		stamp := func(d time.Duration) string {
			return fmt.Sprintf("00:%02d:%02d.000", int(d.Minutes()), int(d.Seconds())%60)
		}
		return stamp(from) + " --> " + stamp(to) + "\n" + text + "\n\n"
	}
	at := func(seconds int) time.Duration { return time.Duration(seconds) * time.Second }
	for name, c := range map[string]struct {
		second string
		from   int
		want   []string
	}{
		"a sentence": {
			"Harriet: that my brother made.", 8,
			[]string{"Harriet (4s): It's a spreadsheet that my brother made."},
		},
		"a pause to think": {
			"Harriet: that my brother made.", 11,
			[]string{"Harriet (4s): It's a spreadsheet that my brother made."},
		},
		"a long pause": {
			"Harriet: that my brother made.", 15,
			[]string{"Harriet (4s): It's a spreadsheet", "Harriet (15s): that my brother made."},
		},
		"somebody else": {
			"Maya: That your brother made?", 8,
			[]string{"Harriet (4s): It's a spreadsheet", "Maya (8s): That your brother made?"},
		},
	} {
		text := "WEBVTT\n\n" + cue(at(0), at(3), "Maya: How do you plan?") +
			cue(at(4), at(7), "Harriet: It's a spreadsheet") + cue(at(c.from), at(c.from+3), c.second) +
			cue(at(30), at(33), "Maya: Thank you.") + cue(at(34), at(37), "Harriet: You are welcome.")
		got, err := transcript.Parse([]byte(text))
		require.NoError(t, err, name)
		checkInvariants(t, got)
		turns := turnsOf(got)
		require.Equal(t, c.want, turns[1:len(turns)-2], name)
	}

	var long strings.Builder
	long.WriteString("WEBVTT\n\n")
	for i := range 60 {
		long.WriteString(cue(at(i), at(i+1), "<v Harriet>and so on without a full stop</v>"))
	}
	got, err := transcript.Parse([]byte(long.String()))
	require.NoError(t, err)
	checkInvariants(t, got)
	for _, u := range got.Utterances {
		require.LessOrEqual(t, u.End-u.Start, 30*time.Second)
		require.LessOrEqual(t, len(u.Text), 600)
	}
	require.Less(t, len(got.Utterances), 10)
}

func TestCuesWithoutASpeakerStay(t *testing.T) {
	t.Parallel()
	require.Len(t, spoken(t, "1\n00:00:01,000 --> 00:00:02,000\nIt's a spreadsheet\n\n"+
		"2\n00:00:02,000 --> 00:00:03,000\nthat my brother made.\n"), 2)
}
