package extract

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"research/activities/extract/interviewtest"
	"research/activities/extract/words"
	"research/transcript"
)

// checkPlan checks what holds for every plan: each byte that is not white space is in a chunk, chunks are in
// order, and their bytes are within their utterances.
func checkPlan(t *testing.T, tr *transcript.Transcript, chunks []Chunk) {
	t.Helper()
	read := make([]bool, len(tr.Text))
	for i, c := range chunks {
		require.Less(t, c.ByteStart, c.ByteEnd)
		require.Less(t, c.From, c.To)
		require.True(t, utf8.ValidString(tr.Text[c.ByteStart:c.ByteEnd]))
		require.GreaterOrEqual(t, c.ByteStart, tr.Utterances[c.From].ByteStart)
		require.LessOrEqual(t, c.ByteEnd, tr.Utterances[c.To-1].ByteEnd)
		if i > 0 {
			require.Greater(t, c.ByteEnd, chunks[i-1].ByteEnd)
			require.Greater(t, c.ByteStart, chunks[i-1].ByteStart)
		}
		for b := c.ByteStart; b < c.ByteEnd; b++ {
			read[b] = true
		}
	}
	for i, r := range tr.Text {
		require.True(t, read[i] || unicode.IsSpace(r), "byte %d is in no chunk", i)
	}
}

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
	checkPlan(t, tr, chunks)
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
	checkPlan(t, tr, chunks)
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
			checkPlan(t, tr, PlanChunks(tr, tokens))
		}
	}
	require.Len(t, PlanChunks(interviewtest.New("Eva: "+japanese), 0), 6, "two characters count as a word")
}

func TestPromptsFitSmallContexts(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	lines := make([]string, 400)
	for i := range lines {
		lines[i] = "A participant with a long name: " + strings.TrimSpace(strings.Repeat("well ", 1+rng.IntN(40)))
	}
	tr := interviewtest.New(lines...)
	hypotheses := []Hypothesis{
		{ID: "a", Statement: "It goes well."},
		{ID: "b", Statement: strings.Repeat("It does not go well. ", 10)},
	}
	for _, context := range []int{2048, 4096, 8192, 32768} {
		o := &OpenAI{cfg: OpenAIConfig{Context: context}}
		chunks := o.Plan(tr, hypotheses)
		checkPlan(t, tr, chunks)
		largest := 0
		for _, c := range chunks {
			prompt := len(systemPrompt) + len(userPrompt(Request{Transcript: tr, Chunk: c, Hypotheses: hypotheses}, nil))
			largest = max(largest, prompt)
		}
		room := int(float64(context-min(maxResponseTokens, context/4)) * bytesPerToken)
		if context > 2048 { // the instructions nearly fill a smaller context
			require.LessOrEqual(t, largest, room, "context %d", context)
		}
	}
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
	checkPlan(t, tr, leaves)
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
