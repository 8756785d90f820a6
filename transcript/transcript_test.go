package transcript_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden is the content of a golden file: a transcript with readable times and without offsets.
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
	for _, file := range samples(t, "*.*") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			parsed, err := transcript.Parse(data)
			require.NoError(t, err)
			checkInvariants(t, parsed)

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
}

// samples returns the samples in testdata/golden whose names match a pattern.
func samples(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "golden", pattern))
	require.NoError(t, err)
	files = slices.DeleteFunc(files, func(file string) bool {
		return strings.HasSuffix(file, ".golden.json") || filepath.Base(file) == "README.md"
	})
	require.NotEmpty(t, files, pattern)
	return files
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

// checkInvariants checks what holds for every transcript of Parse. It compares without require where there
// can be two hundred thousand utterances.
func checkInvariants(t testing.TB, got *transcript.Transcript) {
	t.Helper()
	require.NotEmpty(t, got.Utterances)
	require.NotEmpty(t, got.Format)
	require.True(t, utf8.ValidString(got.Text))
	require.GreaterOrEqual(t, got.Confidence, 0.0)
	require.LessOrEqual(t, got.Confidence, 1.0)
	at := 0
	for i, u := range got.Utterances {
		if i > 0 {
			if got.Text[at] != '\n' {
				require.Fail(t, "utterances are not on lines of their own", "%d: %+v", i, u)
			}
			at++
		}
		sound := u.ByteStart == at && u.ByteEnd > at && u.Text == got.Text[u.ByteStart:u.ByteEnd] &&
			strings.TrimSpace(u.Text) == u.Text && !strings.ContainsAny(u.Text, "\n\r\v\f\u0085\u2028\u2029\x00") &&
			utf8.ValidString(
				u.Speaker,
			) && !strings.ContainsAny(u.Speaker, "\n\r\x00") && strings.TrimSpace(u.Speaker) == u.Speaker &&
			u.Confidence >= 0 && u.Confidence <= 1 && u.Start >= 0 && u.End >= u.Start && (u.Timed || u.End == 0)
		if !sound {
			require.Fail(t, "an utterance is invalid", "%d: %+v", i, u)
		}
		at = u.ByteEnd
	}
	require.Equal(t, len(got.Text), at)
}
