package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract/interviewtest"
	"research/internal/words"
	"research/transcript"
)

func manyTurns(n, size int) *transcript.Transcript {
	lines := make([]string, n)
	for i := range lines {
		speaker := []string{"Ann", "Ben"}[i%2]
		lines[i] = fmt.Sprintf("%s: %s", speaker, strings.TrimSpace(strings.Repeat("word ", size)))
	}
	return interviewtest.New(lines...)
}

func TestChunksOverlap(t *testing.T) {
	t.Parallel()
	tr := manyTurns(1000, 20)
	chunks := PlanChunks(tr, 0)
	interviewtest.CheckPlan(t, tr, chunks)
	require.Len(t, chunks, 8)
	for i, c := range chunks[:len(chunks)-1] {
		require.InDelta(t, chunkWords, words.Count(tr.Text[c.ByteStart:c.ByteEnd]), 30)
		shared := chunks[i].To - chunks[i+1].From
		require.InDelta(t, overlapShare*chunkWords/20, shared, 2, "utterances in two chunks")
	}
}

func TestAShortTranscriptIsOneChunk(t *testing.T) {
	t.Parallel()
	tr := manyTurns(100, 20)
	require.Equal(t, []Chunk{Whole(tr)}, PlanChunks(tr, 0))
	require.Empty(t, PlanChunks(&transcript.Transcript{}, 0))
}

func TestALargeUtteranceIsDividedAtWhiteSpace(t *testing.T) {
	t.Parallel()
	large := strings.TrimSpace(strings.Repeat("eleven cows ", 5000))
	tr := interviewtest.New("Ann: Hello.", "Ben: "+large, "Ann: Bye.")
	chunks := PlanChunks(tr, 0)
	interviewtest.CheckPlan(t, tr, chunks)
	require.Len(t, chunks, 4)
	for _, c := range chunks {
		text := tr.Text[c.ByteStart:c.ByteEnd]
		require.LessOrEqual(t, words.Count(text), chunkWords)
		require.NotContains(t, []string{"leven", "ows"}, strings.Fields(text)[0], "words are not divided")
	}
}

func TestTextWithoutSpacesIsDividedBetweenCharacters(t *testing.T) {
	t.Parallel()
	japanese := strings.Repeat("請求書を手で入力", 4000)
	for _, text := range []string{japanese, strings.Repeat("x", 100_000), strings.Repeat("กี่", 9000)} {
		tr := interviewtest.New("Eva: " + text)
		for _, tokens := range []int{0, 1000, 300} {
			interviewtest.CheckPlan(t, tr, PlanChunks(tr, tokens))
		}
	}
	require.Len(t, PlanChunks(interviewtest.New("Eva: "+japanese), 0), 6, "two characters count as a word")
}

func TestSplitHalves(t *testing.T) {
	t.Parallel()
	tr := interviewtest.New(
		"Ann: "+strings.Repeat("one two three ", 100),
		"Ben: "+strings.Repeat("four five six ", 100),
		"Ann: ok",
	)
	var leaves []Chunk
	var halve func(c Chunk)
	halve = func(c Chunk) {
		left, right, ok := Split(tr, c)
		if !ok {
			leaves = append(leaves, c)
			return
		}
		require.Less(t, left.ByteEnd-left.ByteStart, c.ByteEnd-c.ByteStart)
		require.Less(t, right.ByteEnd-right.ByteStart, c.ByteEnd-c.ByteStart)
		halve(left)
		halve(right)
	}
	halve(Whole(tr))
	interviewtest.CheckPlan(t, tr, leaves)
	for _, c := range leaves {
		require.Less(t, c.ByteEnd-c.ByteStart, 2*minSplitBytes)
	}
}

// Ten megabytes in one utterance: this would not end if planning were quadratic.
func TestPlanningIsLinear(t *testing.T) {
	t.Parallel()
	tr := interviewtest.New("Ann: " + strings.Repeat("a word or two ", 10<<20/14))
	require.Greater(t, len(PlanChunks(tr, 0)), 900)
}
