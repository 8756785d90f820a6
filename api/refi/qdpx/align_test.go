package qdpx_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/api/refi/qdpx"
)

func turns(pairs ...string) (all []qdpx.Turn, transcript string) {
	var texts []string
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, qdpx.Turn{Speaker: pairs[i], Text: pairs[i+1]})
		texts = append(texts, pairs[i+1])
	}
	return all, strings.Join(texts, "\n")
}

func TestPlacesInTheTranscriptOfASource(t *testing.T) {
	t.Parallel()
	const source = "Interview with Ok, page 1\n\n[00:01] Ok: Ok, we plan on\r\n  paper. **Always** so.\n\n" +
		"00:00:12 Interviewer: Why?\nOk: It is 10 times [laughs] faster."
	all, transcript := turns("Ok", "Ok, we plan on paper. Always so.", "Interviewer", "Why?",
		"Ok", "It is 10 times faster.")
	a := qdpx.Align(source, all)
	require.True(t, a.IsComplete())
	for words, want := range map[string]string{
		"we plan on":                           "we plan on",
		"plan on\r\n  paper":                   "plan on paper",
		"\r\n  paper. ":                        "paper. ",
		"Always":                               "Always",
		"**Always** so":                        "Always so",
		"so.\n\n00:00:12 Interviewer: Why":     "so.\nWhy",
		"Why?\nOk: It is":                      "Why?\nIt is",
		"Ok: It":                               "It",
		"10 times [laughs] faster.":            "10 times faster.",
		"[00:01] Ok: Ok, we":                   "Ok, we",
		source[strings.Index(source, "[00:"):]: transcript,
		"it, without":                          "",
	} {
		start := strings.Index(source, words)
		if start < 0 {
			continue
		}
		p := a.Place(qdpx.Span{Start: start, End: start + len(words)})
		require.True(t, p.Exact, words)
		require.Equal(t, want, transcript[p.Start:p.End], words)
	}
	for _, lost := range []string{
		"Interview with", "00:00:12", "Interviewer:", "Interview with Ok, page 1\n\n[00:01] Ok: Ok, we",
	} {
		start := strings.Index(source, lost)
		p := a.Place(qdpx.Span{Start: start, End: start + len(lost)})
		require.False(t, p.Exact && p.End > p.Start, lost)
	}
}

func TestATurnThatTheSourceDoesNotHave(t *testing.T) {
	t.Parallel()
	all, transcript := turns("", "first words", "", "other words", "", "last words")
	const source = "first words\nsome words\nlast words"
	a := qdpx.Align(source, all)
	require.False(t, a.IsComplete())
	p := a.Place(qdpx.Span{Start: strings.Index(source, "last"), End: len(source)})
	require.Equal(t, "last words", transcript[p.Start:p.End])
	require.True(t, p.Exact)
	require.False(t, a.Place(qdpx.Span{Start: 0, End: len(source)}).Exact)
}

func TestAligningTakesLinearTime(t *testing.T) {
	t.Parallel()
	source := strings.Repeat("aa ", 1<<20)
	all := make([]qdpx.Turn, 2000)
	for i := range all {
		all[i] = qdpx.Turn{Text: strings.Repeat("aa ", 200) + "b"}
	}
	began := time.Now()
	require.False(t, qdpx.Align(source, all).IsComplete())
	require.Less(t, time.Since(began), 10*time.Second)
}
