package extract

import (
	"testing"

	"github.com/stretchr/testify/require"
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
