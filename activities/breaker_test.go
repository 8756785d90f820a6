package activities

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/outcome"
)

// call records a call that began now, and returns what becomes of its error.
func (b *modelBreaker) call(err error) outcome.Code {
	var failure *extract.Error
	if errors.As(b.record(time.Now(), err), &failure) {
		return failure.Code
	}
	return ""
}

func TestAServerThatNeverAnswersWithACompletionIsTheWrongOne(t *testing.T) {
	t.Parallel()
	odd := &extract.Error{Code: outcome.CodeModelUnavailable, Status: 200, NoCompletion: true}
	outage := &extract.Error{Code: outcome.CodeModelUnavailable, Status: 503}

	t.Run("after five calls", func(t *testing.T) {
		t.Parallel()
		var b modelBreaker
		for range maxOddAnswers - 1 {
			require.Equal(t, outcome.CodeModelUnavailable, b.call(odd))
		}
		require.Equal(t, outcome.CodeModelWrongServer, b.call(odd))
		require.Equal(t, outcome.CodeModelWrongServer, b.call(odd), "the next import ends after one call")
		require.Empty(t, b.call(nil))
		require.Equal(t, outcome.CodeModelUnavailable, b.call(odd), "an answer in between")
	})

	t.Run("not because of calls that are in progress together", func(t *testing.T) {
		t.Parallel()
		var b modelBreaker
		begun := time.Now()
		for range 2 * maxOddAnswers {
			require.ErrorIs(t, b.record(begun, odd), odd)
		}
		require.Equal(t, outcome.CodeModelWrongServer, b.call(odd))
	})

	t.Run("an outage may last", func(t *testing.T) {
		t.Parallel()
		var b modelBreaker
		for range 10 * maxOddAnswers {
			require.Equal(t, outcome.CodeModelUnavailable, b.call(outage))
		}
		require.Equal(t, outcome.CodeModelUnavailable, b.call(odd))
	})
}

func TestAChunkWithoutACompletionIsNotTriedForEver(t *testing.T) {
	t.Parallel()
	odd := &extract.Error{Code: outcome.CodeModelUnavailable, Status: 200, NoCompletion: true}
	var b modelBreaker
	require.NoError(t, b.record(time.Now(), nil))
	last, final := b.lasting(odd, maxOddAnswers-1)
	require.Equal(t, odd, last)
	require.False(t, final)
	last, final = b.lasting(odd, maxOddAnswers)
	require.Equal(t, outcome.CodeModelBadAnswer, last.Code)
	require.True(t, final, "smaller chunks are not tried")
	outage := &extract.Error{Code: outcome.CodeModelUnavailable, Status: 503}
	last, final = b.lasting(outage, 1000)
	require.Equal(t, outage, last)
	require.False(t, final)

	var never modelBreaker
	last, final = never.lasting(odd, maxOddAnswers)
	require.Equal(t, outcome.CodeModelWrongServer, last.Code)
	require.True(t, final)
}
