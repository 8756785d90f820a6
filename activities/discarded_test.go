package activities

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/quote"
)

func TestDiscardedQuotes(t *testing.T) {
	t.Parallel()
	asked := []extract.Hypothesis{{ID: "asked"}}
	chunk := extract.Chunk{From: 10, To: 20}
	decode := func(t *testing.T, discarded ...extract.Discarded) []discardedQuote {
		t.Helper()
		raw, err := discardedJSON(discarded, asked)
		require.NoError(t, err)
		var quotes []discardedQuote
		require.NoError(t, json.Unmarshal(raw, &quotes))
		require.NotNil(t, quotes)
		return quotes
	}

	t.Run("are as they were given, near what they cite", func(t *testing.T) {
		t.Parallel()
		cited := extract.Finding{HypothesisID: "asked", Quote: "  Nobody\nsaid this. ", Utterances: []int{12, 13}}
		elsewhere := extract.Finding{HypothesisID: "other", Quote: "Nor this.", Utterances: []int{99}}
		require.Equal(t, []discardedQuote{
			{"not_found", "asked", "Nobody said this.", 12},
			{"unknown_hypothesis", "", "Nor this.", 10},
		}, decode(t,
			extract.Discarded{Finding: cited, Reason: quote.RejectNotFound, Chunk: chunk},
			extract.Discarded{Finding: elsewhere, Reason: extract.RejectUnknownHypothesis, Chunk: chunk}))
	})

	t.Run("are bounded in number and length", func(t *testing.T) {
		t.Parallel()
		require.Empty(t, decode(t))
		long := extract.Discarded{Finding: extract.Finding{Quote: strings.Repeat("ü", 1000)}, Chunk: chunk}
		many := make([]extract.Discarded, maxDiscarded+1)
		for i := range many {
			many[i] = long
		}
		quotes := decode(t, many...)
		require.Len(t, quotes, maxDiscarded)
		require.Equal(t, strings.Repeat("ü", maxDiscardedQuote/2), quotes[0].Quote)
	})
}
