package craft_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript/craft"
)

func TestQuestions(t *testing.T) {
	t.Parallel()
	text := "Thanks. So, how do you handle returns today? I see. could you tell me about the last time\n" +
		"Would you pay for this? It's slow, right?"
	var got []string
	for _, q := range craft.Questions(text, "en") {
		got = append(got, text[q.Start:q.End])
	}
	require.Equal(t, []string{
		"So, how do you handle returns today?", "could you tell me about the last time", "Would you pay for this?",
		"It's slow, right?",
	}, got)
	require.Nil(t, craft.Questions(text, "fi"))
}
