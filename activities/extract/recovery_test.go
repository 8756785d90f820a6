package extract_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/interviewtest"
	"research/outcome"
	"research/transcript"
)

// longTalk has as many turns of the same length as wanted.
func longTalk(turns int) *transcript.Transcript {
	lines := make([]string, turns)
	for i := range lines {
		lines[i] = []string{"Ann: ", "Ben: "}[i%2] + strings.Repeat("word ", 20) + "end."
	}
	return interviewtest.New(lines...)
}

// halvesOf returns the halves of a part that failed.
func halvesOf(t *testing.T, text *transcript.Transcript, p extract.Part, skipped bool) []extract.Part {
	t.Helper()
	parts := p.After(text, extract.PartFailure{Code: outcome.CodeModelTooLong, Skipped: skipped})
	require.Len(t, parts, 2)
	return parts
}

func TestAPartThatFailed(t *testing.T) {
	t.Parallel()
	text := longTalk(8)
	whole := extract.Part{Chunk: extract.Whole(text)}
	badAnswer := extract.PartFailure{Code: outcome.CodeModelBadAnswer}

	again := whole.After(text, badAnswer)
	require.Equal(t, []extract.Part{{
		Chunk: whole.Chunk, Failed: outcome.CodeModelBadAnswer, Around: whole.Size(), Again: true,
	}}, again, "is asked about again")
	require.Len(t, again[0].After(text, badAnswer), 2, "and then in halves")
	require.Len(t, whole.After(text, extract.PartFailure{Code: outcome.CodeModelTooLong}), 2)
	for _, failure := range []extract.PartFailure{
		{Code: outcome.CodeModelRefused}, {Code: outcome.CodeModelBadAnswer, Final: true},
	} {
		require.Empty(t, whole.After(text, failure), failure)
	}
	one := longTalk(1)
	one.Text, one.Utterances[0].Text = "Yes", "Yes"
	one.Utterances[0].ByteEnd = one.Utterances[0].ByteStart + 3
	require.Empty(t, extract.Part{Chunk: extract.Whole(one)}.After(one,
		extract.PartFailure{Code: outcome.CodeModelTooLong}), "what cannot be split stays unread")
}

func TestExtraCallsAreBounded(t *testing.T) {
	t.Parallel()
	text := longTalk(64)
	r := extract.NewRecovery(8)
	calls := 0
	for chunk := range 8 {
		parts := []extract.Part{{Chunk: extract.Whole(text)}}
		for len(parts) > 0 {
			part := parts[0]
			failure := extract.PartFailure{Code: outcome.CodeModelBadAnswer}
			if r.Decide(text, chunk, part) == extract.Ask {
				calls++
				r.End(chunk, part, outcome.CodeModelBadAnswer)
			} else {
				failure.Skipped = true
			}
			failure.Final = r.Exhausted()
			parts = append(part.After(text, failure), parts[1:]...)
		}
	}
	require.LessOrEqual(t, calls, 12, "half as many calls more than chunks")
}

func TestARemedyIsTriedByOneChunkAtATime(t *testing.T) {
	t.Parallel()
	text := longTalk(8)
	r := extract.NewRecovery(4)
	again := extract.Part{
		Chunk: extract.Whole(text), Failed: outcome.CodeModelBadAnswer, Around: len(text.Text), Again: true,
	}
	require.Equal(t, extract.Ask, r.Decide(text, 0, again))
	require.Equal(t, extract.Wait, r.Decide(text, 1, again))
	require.Equal(t, extract.Ask, r.Decide(text, 0, again), "a stopped worker's call is made again")

	restored := extract.Recovery{}
	raw, err := json.Marshal(r)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &restored))
	require.Equal(t, extract.Wait, restored.Decide(text, 1, again), "whatever process asks")

	failed := r
	failed.UnderWay = slices.Clone(r.UnderWay)
	failed.End(0, again, outcome.CodeModelBadAnswer)
	require.Equal(t, extract.Skip, failed.Decide(text, 1, again), "a second question was in vain")

	lost := r
	lost.UnderWay = slices.Clone(r.UnderWay)
	lost.Release(0)
	require.Equal(t, extract.Ask, lost.Decide(text, 1, again))

	unavailable := r
	unavailable.UnderWay = slices.Clone(r.UnderWay)
	unavailable.End(0, again, outcome.CodeModelUnavailable)
	require.Equal(t, 2, unavailable.Left, "an outage says nothing about the remedy")

	r.End(0, again, "")
	require.Equal(t, extract.Ask, r.Decide(text, 1, again))
	require.Equal(t, extract.Ask, r.Decide(text, 2, again), "what helped is done at once everywhere")
}

// Halves that are too large leave a call to the quarters, of which one has been read.
func TestLargePartsDoNotUseUpTheCallsOfSmallOnes(t *testing.T) {
	t.Parallel()
	text := longTalk(64)
	r := extract.NewRecovery(4)
	whole := extract.Part{Chunk: extract.Whole(text)}
	half := halvesOf(t, text, whole, false)[0]
	require.Equal(t, extract.Skip, r.Decide(text, 0, half), "quarters tell more")
	quarters := halvesOf(t, text, half, true)
	require.Equal(t, extract.Ask, r.Decide(text, 0, quarters[0]))
	r.End(0, quarters[0], "")
	for chunk := 1; r.Decide(text, chunk, half) == extract.Ask; chunk++ {
		r.End(chunk, half, outcome.CodeModelTooLong)
		require.Less(t, chunk, 4)
	}
	require.False(t, r.Exhausted())
	require.Equal(t, extract.Ask, r.Decide(text, 0, quarters[1]))
}
