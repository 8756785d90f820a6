package craft_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
	"research/transcript/craft"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		words int
	}{
		{"", 0},
		{" \n ", 0},
		{"So you don't use e-mail?", 5},
		{"yes – no … 12.5 %", 3},
		{"wide\u00a0spaces\u2003of\u3000all kinds", 5},
		{"Что вы тогда сделали?", 4},
		{"你们怎么管理订单？", 4},
		{"好", 1},
		{"我用Excel记账", 3},
		{strings.Repeat("word ", 10_000), 10_000},
	} {
		require.Equal(t, c.words, craft.Words(c.text), c.text)
		require.Equal(t, c.words, transcript.Utterance{Text: c.text}.Words(), "as a reading counts")
	}
}
