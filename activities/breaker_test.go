package activities

import (
	"context"
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
	if errors.As(b.record(modelCall{begun: time.Now()}, err), &failure) {
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
		begun := modelCall{begun: time.Now()}
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
	require.NoError(t, b.record(modelCall{begun: time.Now()}, nil))
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

// admitted returns a call that the breaker must admit.
func (b *modelBreaker) admitted(t *testing.T) modelCall {
	t.Helper()
	call, refusal := b.admit()
	require.Nil(t, refusal)
	return call
}

// open returns a breaker that a failure has opened, with a call that began before. Its delay has passed.
func open(t *testing.T) (b *modelBreaker, old modelCall) {
	t.Helper()
	b = &modelBreaker{}
	old = b.admitted(t)
	require.Equal(t, outcome.CodeModelUnavailable, b.call(unavailable))
	_, refusal := b.admit()
	require.Equal(t, outcome.CodeModelUnavailable, refusal.Code, "it waits")
	b.openUntil = time.Now()
	return b, old
}

var unavailable = &extract.Error{Code: outcome.CodeModelUnavailable}

func TestABreakerTriesOneCallAtATime(t *testing.T) {
	t.Parallel()

	t.Run("and admits all after its answer", func(t *testing.T) {
		t.Parallel()
		b, _ := open(t)
		probe := b.admitted(t)
		_, refusal := b.admit()
		require.NotNil(t, refusal)
		require.NoError(t, b.record(probe, nil))
		for range 2 {
			b.admitted(t)
		}
	})

	t.Run("whose answer counts although an older call fails meanwhile", func(t *testing.T) {
		t.Parallel()
		b, old := open(t)
		probe := b.admitted(t)
		require.ErrorIs(t, b.record(old, unavailable), unavailable)
		require.NoError(t, b.record(probe, nil))
		b.admitted(t)
	})

	t.Run("and another one after its failure, although an older call failed meanwhile", func(t *testing.T) {
		t.Parallel()
		b, old := open(t)
		probe := b.admitted(t)
		require.ErrorIs(t, b.record(old, unavailable), unavailable)
		require.ErrorIs(t, b.record(probe, unavailable), unavailable)
		b.openUntil = time.Now()
		b.admitted(t)
	})

	t.Run("and another one if it is cancelled", func(t *testing.T) {
		t.Parallel()
		b, _ := open(t)
		probe := b.admitted(t)
		require.ErrorIs(t, b.record(probe, context.Canceled), context.Canceled)
		require.True(t, b.admitted(t).probe)
	})

	t.Run("which an older answer does not end", func(t *testing.T) {
		t.Parallel()
		b, old := open(t)
		require.NoError(t, b.record(old, nil))
		require.True(t, b.admitted(t).probe)
	})
}
