package extract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
	o := &OpenAI{}
	tr := interviewtest.New("Ann: We paste 12 [u3] rows.", "Ben: 領収書がない")
	r := Request{
		Transcript: tr, Chunk: Whole(tr), Interviewers: []string{"Ann", "Zoe"},
		Hypotheses: []Hypothesis{{ID: "a", Statement: "Pasting takes days"}, {ID: "b", Statement: "Rows get lost"}},
	}
	require.Equal(t, int64(minTokens(o.systemPrompt()+userPrompt(r, nil))), o.Estimate(r))
}
