package imports

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/problem"
	"research/db"
	"research/transcript"
)

// ofTurns returns the rewriting of a transcript, before anything is changed.
func ofTurns(texts ...string) *rewriting {
	var turns []transcript.Utterance
	at := 0
	for _, text := range texts {
		turns = append(turns, transcript.Utterance{
			Speaker: "Ana", Text: text, ByteStart: at, ByteEnd: at + len(text),
		})
		at += len(text) + 1
	}
	joined := strings.Join(texts, "\n")
	return &rewriting{
		before: newText(turns, joined), joined: joined, after: append([]transcript.Utterance{}, turns...),
		touched: map[int32]bool{}, field: "changes",
	}
}

func requireInvalid(t *testing.T, field, sentence string, err error) {
	t.Helper()
	var rejected *problem.Error
	require.ErrorAs(t, err, &rejected)
	require.Equal(t, 400, rejected.Status)
	require.Contains(t, rejected.Details.(problem.Fields)[field], sentence)
}

func TestATranscriptGrowsToTheSizeOfAnUpload(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", transcript.MaxBytes-2)
	c := ofTurns(large, "y")
	require.NoError(t, c.checkSize())
	c.after[1].Text = "yy"
	requireInvalid(t, "changes", "larger than 10 MB", c.checkSize())
	requireInvalid(t, "changes", "larger than 10 MB", c.finish(t.Context(), nil))

	// One that was larger may stay so.
	c = ofTurns(large, "yyyy")
	c.after[1].Text = "zzzz"
	require.NoError(t, c.checkSize())
}

func TestRedactionsAreBounded(t *testing.T) {
	t.Parallel()
	with := strings.Repeat("w", maxRedacted)
	red, err := newRedaction(redactionRequest{Words: "a", Replacement: &with})
	require.NoError(t, err)
	turn := strings.Repeat("a ", maxTurnBytes/len(with)+1)
	requireInvalid(t, "replacement", "too long", red.check(turn, red.find(turn, red.with)))
	red.answer.Occurrences = maxFound
	require.NoError(t, red.check("a", red.find("a", red.with)))
	red.answer.Occurrences++
	requireInvalid(t, "words", "more than 100000 times", red.check("a", red.find("a", red.with)))
}

func TestAQuoteGrowsToItsLimit(t *testing.T) {
	t.Parallel()
	grow := func(by int) error {
		first, second := strings.Repeat("one ", 10000)+".", strings.Repeat("two ", 10000)+"."
		c := ofTurns(first, second)
		c.quotes = []db.ListPlacedEvidenceRow{{Quote: c.joined, Speaker: "Ana", ByteEnd: int32(len(c.joined))}}
		longer := "one " + strings.Repeat("x", by) + first[3:]
		c.change(0, turnChange{Text: &longer})
		c.dryRun = true
		return c.finish(t.Context(), nil)
	}
	require.NoError(t, grow(15000))
	requireInvalid(t, "changes", "longer than 100000 bytes", grow(25000))
}

func TestFollowingQuotesEndsWithTheRequest(t *testing.T) {
	t.Parallel()
	c := ofTurns("one", "two")
	c.quotes = []db.ListPlacedEvidenceRow{{Quote: "one", ByteEnd: 3}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, c.finish(ctx, nil), context.Canceled)
}

// Quotes that lost their place before are not lost once more.
func TestAQuoteIsLostOnce(t *testing.T) {
	t.Parallel()
	c := ofTurns("one", "two")
	c.dryRun = true
	c.quotes = []db.ListPlacedEvidenceRow{
		{Quote: "gone", ByteStart: -1, ByteEnd: -1}, {Quote: "one", ByteEnd: 3},
	}
	words := "other words"
	c.change(0, turnChange{Text: &words})
	require.NoError(t, c.finish(t.Context(), nil))
	require.Equal(t, correctedQuotes{PlaceLost: 1}, c.answer.Evidence)
}
