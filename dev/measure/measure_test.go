package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func ptr[T any](v T) *T { return &v }

func TestWordsOfScriptsWithoutSpaces(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"dana", "w", "it", "s", "3"}, words(" ~ Dana W.: it's 3!"))
	require.Equal(t, []string{"你", "好", "ab", "吗"}, words("你好ab吗？"))
	require.Empty(t, words("…"))
}

func TestWordsAreAlignedInOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b string
		want []int
	}{
		"the same":         {"a b c", "a b c", []int{0, 1, 2}},
		"a word is lost":   {"a b c", "a c", []int{0, -1, 1}},
		"a word is more":   {"a c", "a b c", []int{0, 2}},
		"no word is alike": {"a b", "c d", []int{-1, -1}},
		"nothing is read":  {"a b", "", []int{-1, -1}},
		"words recur":      {"x yes x no x", "yes x no x", []int{-1, 0, 1, 2, 3}},
		"without anchors":  {"z a b a b", "y a b b a", []int{-1, 1, 2, -1, 3}},
		"places change":    {"a b c d", "c d a b", []int{2, 3, -1, -1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := align(words(c.a), words(c.b))
			require.Len(t, got, len(c.want))
			require.Equal(t, paired(c.want), paired(got), "pairs of %v", got)
			last := -1
			for i, j := range got {
				if j >= 0 {
					require.Equal(t, words(c.a)[i], words(c.b)[j])
					require.Greater(t, j, last)
					last = j
				}
			}
		})
	}
}

func paired(pairs []int) int {
	n := 0
	for _, j := range pairs {
		if j >= 0 {
			n++
		}
	}
	return n
}

// talk is a reading of the same two turns in each test, unless the test changes it.
func talk() (reference, *transcript.Transcript) {
	want := reference{Turns: []turn{
		{Speaker: ptr("Dana"), Text: "Where do you keep the bread?", StartMs: ptr(int64(1000))},
		{Speaker: ptr("Omar"), Others: []string{"Omar K."}, Text: "In the cellar.", StartMs: ptr(int64(4000))},
	}}
	return want, &transcript.Transcript{Utterances: []transcript.Utterance{
		{Speaker: "Dana", Text: "Where do you keep the bread?", Start: time.Second, Timed: true},
		{Speaker: "Omar", Text: "In the cellar.", Start: 4 * time.Second, Timed: true},
	}}
}

func TestKindsOfWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(want *reference, got *transcript.Transcript)
		kind   string
	}{
		"right": {func(*reference, *transcript.Transcript) {}, ""},
		"another name": {func(_ *reference, got *transcript.Transcript) {
			got.Utterances[1].Speaker = "OMAR K"
		}, ""},
		"another speaker": {func(_ *reference, got *transcript.Transcript) {
			got.Utterances[1].Speaker = "Dana"
		}, "a"},
		"nobody is named": {func(want *reference, _ *transcript.Transcript) {
			want.Turns[0].Speaker = ptr("")
		}, "a"},
		"a heading has a speaker": {func(_ *reference, got *transcript.Transcript) {
			got.Utterances[0].Text += " Part two"
		}, "b"},
		"a heading has no speaker": {func(_ *reference, got *transcript.Transcript) {
			got.Utterances = append(got.Utterances, transcript.Utterance{Text: "Part two"})
		}, ""},
		"a notice has a speaker": {func(want *reference, _ *transcript.Transcript) {
			want.Turns[1].Speaker, want.Turns[1].Others = nil, nil
		}, "b"},
		"a notice is left out": {func(want *reference, got *transcript.Transcript) {
			want.Turns[1].Speaker = nil
			got.Utterances = got.Utterances[:1]
		}, ""},
		"a turn is lost": {func(_ *reference, got *transcript.Transcript) {
			got.Utterances = got.Utterances[:1]
		}, "c"},
		"no speaker": {func(_ *reference, got *transcript.Transcript) { got.Utterances[1].Speaker = "" }, "d"},
		"a new name": {func(_ *reference, got *transcript.Transcript) {
			got.Utterances[1].Speaker = "Omar (laughs)"
		}, "d"},
		"a time": {func(_ *reference, got *transcript.Transcript) { got.Utterances[1].Start = time.Hour }, "e"},
		"no time": {func(_ *reference, got *transcript.Transcript) {
			got.Utterances[1].Timed = false
		}, "e"},
		"times from the first one": {func(want *reference, _ *transcript.Transcript) {
			*want.Turns[0].StartMs += 36_000_000
			*want.Turns[1].StartMs += 36_000_000
		}, ""},
		"garbled": {func(_ *reference, got *transcript.Transcript) {
			got.Utterances[1].Text = "xn ths kellr"
		}, "f"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, got := talk()
			c.change(&want, got)
			require.Equal(t, c.kind, compare(want, got).worst())
		})
	}
}

func TestWilsonIntervals(t *testing.T) {
	t.Parallel()
	low, high := wilson(22, 135)
	require.InDelta(t, 0.110, low, 0.0005)
	require.InDelta(t, 0.234, high, 0.0005)
	low, high = wilson(0, 0)
	require.False(t, math.IsNaN(low) || math.IsNaN(high))
}

func TestReportOfFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	const said = `{"turns": [{"speaker": "Dana", "text": "Hello, how are you today?"},
		{"speaker": "Omar", "text": "Well, thank you."}, {"speaker": "Dana", "text": "And the shop?"},
		{"speaker": "Omar", "text": "It is open."}]}`
	write("bakery/one.txt", "Dana: Hello, how are you today?\nOmar: Well, thank you.\n"+
		"Dana: And the shop?\nOmar: It is open.\n")
	write("bakery/one.expected.json", said)
	write("empty/two.txt", " \n")
	write("empty/two.expected.json", said)
	var out bytes.Buffer
	require.NoError(t, run([]string{"-files", dir}, &out))
	require.Contains(t, out.String(), "| verdict | files, n = 2 |")
	require.Contains(t, out.String(), "| bakery | 1 | 1 | 0 | 0 | 0 |")
	require.Contains(t, out.String(), "| empty | 1 | 0 | 1 | 0 | 0 |")
	require.Contains(t, out.String(), "empty/two: refused")

	require.ErrorContains(t, run([]string{t.TempDir()}, &out), "no files with a reference")
	write("alone.expected.json", said)
	require.ErrorContains(t, run([]string{dir}, &out), "has no file beside it")
}
