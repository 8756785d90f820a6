package transcript_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden is a transcript as its golden file shows it: times as people read them, offsets left to checkInvariants.
type golden struct {
	Format   transcript.Format `json:"format"`
	Language string            `json:"language"`
	Speakers []string          `json:"speakers"`
	Turns    []goldenTurn      `json:"turns"`
}

type goldenTurn struct {
	Time    string `json:"time,omitempty"`
	Speaker string `json:"speaker,omitempty"`
	Text    string `json:"text"`
}

func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.*")
	require.NoError(t, err)
	cases := 0
	for _, file := range files {
		if strings.HasSuffix(file, ".golden.json") {
			continue
		}
		cases++
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			parsed, err := transcript.Parse(data)
			require.NoError(t, err)
			checkInvariants(t, parsed)
			format, err := transcript.Detect(data)
			require.NoError(t, err)
			require.Equal(t, parsed.Format, format)

			got, err := json.MarshalIndent(show(parsed), "", "  ")
			require.NoError(t, err)
			name := strings.TrimSuffix(file, filepath.Ext(file)) + ".golden.json"
			if *update {
				require.NoError(t, os.WriteFile(name, append(got, '\n'), 0o644))
			}
			want, err := os.ReadFile(name)
			require.NoError(t, err, "run: go test ./transcript -update")
			require.JSONEq(t, string(want), string(got))
		})
	}
	require.NotZero(t, cases)
}

func show(t *transcript.Transcript) golden {
	g := golden{Format: t.Format, Language: t.Language, Speakers: t.Speakers()}
	for _, u := range t.Utterances {
		turn := goldenTurn{Speaker: u.Speaker, Text: u.Text}
		if u.Timed {
			turn.Time = u.Start.String() + " – " + u.End.String()
		}
		g.Turns = append(g.Turns, turn)
	}
	return g
}

// checkInvariants asserts what holds for every transcript that Parse gives.
func checkInvariants(t testing.TB, got *transcript.Transcript) {
	t.Helper()
	require.NotEmpty(t, got.Utterances)
	require.True(t, utf8.ValidString(got.Text))
	at := 0
	for i, u := range got.Utterances {
		if i > 0 {
			require.Equal(t, byte('\n'), got.Text[at])
			at++
		}
		require.Equal(t, at, u.ByteStart)
		require.Equal(t, u.Text, got.Text[u.ByteStart:u.ByteEnd])
		at = u.ByteEnd
		require.NotEmpty(t, u.Text)
		require.Equal(t, strings.TrimSpace(u.Text), u.Text)
		require.False(t, strings.ContainsAny(u.Text, "\n\r\v\f\u0085\u2028\u2029\x00"), "%q", u.Text)
		require.False(t, strings.ContainsAny(u.Speaker, "\n\r\x00"), "%q", u.Speaker)
		require.True(t, utf8.ValidString(u.Speaker))
		require.GreaterOrEqual(t, u.Start, time.Duration(0))
		require.GreaterOrEqual(t, u.End, u.Start)
		if !u.Timed {
			require.Zero(t, u.Start)
			require.Zero(t, u.End)
		}
	}
	require.Equal(t, len(got.Text), at)
}
