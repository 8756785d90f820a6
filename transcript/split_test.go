package transcript_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestLongTurnsAreSplit(t *testing.T) {
	t.Parallel()
	sentence := "We close the books on the third day, and the receipts are missing. "
	for name, said := range map[string]string{
		"sentences":  strings.Repeat(sentence, 3000),
		"words":      strings.Repeat("receipts ", 30_000),
		"no spaces":  strings.Repeat("a", 300_000),
		"characters": strings.Repeat("领收书", 30_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := strings.TrimSpace(said)
			got, err := transcript.Parse([]byte("WEBVTT\n\n00:00:01.000 --> 00:10:00.000\n<v Ana>" + said +
				"\n\n00:10:00.000 --> 00:10:02.000\n<v Ben>Thanks.\n"))
			require.NoError(t, err)
			parts := got.Utterances[:len(got.Utterances)-1]
			require.Greater(t, len(parts), 2)
			var joined []string
			for _, u := range parts {
				require.Equal(t, "Ana", u.Speaker)
				require.LessOrEqual(t, len(u.Text), transcript.MaxUtteranceBytes)
				require.True(t, utf8.ValidString(u.Text))
				require.Equal(t, got.Text[u.ByteStart:u.ByteEnd], u.Text)
				require.Equal(t, time.Second, u.Start)
				require.Equal(t, 10*time.Minute, u.End)
				joined = append(joined, u.Text)
			}
			separator := ""
			if strings.Contains(said, " ") {
				separator = " "
			}
			require.Equal(t, said, strings.Join(joined, separator))
			if name == "sentences" {
				for _, u := range parts {
					require.True(t, strings.HasSuffix(u.Text, "missing."), u.Text[len(u.Text)-40:])
				}
			}
		})
	}
}

// The end of a turn without one is the start of the next turn, for each of its parts.
func TestPartsOfATurnEndWithIt(t *testing.T) {
	t.Parallel()
	got, err := transcript.Parse([]byte("[00:00:05] Ana: " + strings.Repeat("receipts ", 10_000) +
		"\n[00:09:00] Ben: Thanks, that helps.\n[00:09:10] Ana: You are welcome.\n"))
	require.NoError(t, err)
	require.Equal(t, "Ana", got.Utterances[1].Speaker)
	for _, u := range got.Utterances[:2] {
		require.Equal(t, 5*time.Second, u.Start)
		require.Equal(t, 9*time.Minute, u.End)
	}
}
