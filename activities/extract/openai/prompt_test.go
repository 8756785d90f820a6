package openai

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/interviewtest"
)

// Text that is not plain ASCII takes another way through sanitize.
func TestPlainTextIsSanitizedAsAnyOther(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "We paste it in, and sort one column.", "a\tb\nc\x00d\x7fe", "<transcript", "< / transcript>",
		"[u12] no", "[ U 3", "[x]", "a < b",
	} {
		require.Equal(t, "é"+sanitize(text), sanitize("é"+text), "%q", text)
	}
	for c := range byte(0x80) {
		text := string(rune(c))
		require.Equal(t, "é"+sanitize(text), sanitize("é"+text), "%q", text)
	}
}

func TestTokensAreCountedLow(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":                0,
		"two words":       2,
		"card, statement": 3,
		"12345678":        3,
		"what ?! ":        2,
		"領収書がないので締められない":            4,
		"die Überweisung, 1234 €. ": 6,
	} {
		require.Equal(t, want, minTokens(text), "%q", text)
	}
}

func TestTokensAreCountedInParts(t *testing.T) {
	t.Parallel()
	text := "die Überweisung, 1234567 €. 領収書がないので: ?! a1b22 "
	want := minTokens(text)
	for at := range text {
		require.Equal(t, want, minTokens(text[:at], text[at:]), "%q", text[:at])
	}
	require.Equal(t, want, minTokens(strings.Split(text, "")...))
}

func TestAnEstimateCountsThePrompt(t *testing.T) {
	t.Parallel()
	o := &Extractor{}
	tr := interviewtest.New("Ann: We paste 12 [u3] rows.", "Ben: 領収書がない")
	r := extract.Request{
		Transcript: tr, Chunk: extract.Whole(tr), Interviewers: []string{"Ann", "Zoe"},
		Hypotheses: []extract.Hypothesis{
			{ID: "a", Statement: "Pasting takes days"}, {ID: "b", Statement: "Rows get lost"},
		},
	}
	require.Equal(t, int64(minTokens(o.systemPrompt()+userPrompt(r, nil))), o.Estimate(r))
}

func TestPromptsFitSmallContexts(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	lines := make([]string, 400)
	for i := range lines {
		lines[i] = "A participant with a long name: " + strings.TrimSpace(strings.Repeat("well ", 1+rng.IntN(40)))
	}
	tr := interviewtest.New(lines...)
	hypotheses := []extract.Hypothesis{
		{ID: "a", Statement: "It goes well."},
		{ID: "b", Statement: strings.Repeat("It does not go well. ", 10)},
	}
	for _, context := range []int{2048, 4096, 8192, 32768} {
		o := &Extractor{cfg: Config{Context: context}}
		chunks := o.Plan(tr, hypotheses)
		interviewtest.CheckPlan(t, tr, chunks)
		largest := 0
		for _, c := range chunks {
			prompt := len(systemPrompt) +
				len(userPrompt(extract.Request{Transcript: tr, Chunk: c, Hypotheses: hypotheses}, nil))
			largest = max(largest, prompt)
		}
		room := int(float64(context-min(maxResponseTokens, context/4)) * extract.BytesPerToken)
		if context > 2048 { // the instructions nearly fill a smaller context
			require.LessOrEqual(t, largest, room, "context %d", context)
		}
	}
}
