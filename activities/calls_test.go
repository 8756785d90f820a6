package activities_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"research/activities"
	"research/activities/extract"
	"research/db/dbtest"
	"research/outcome"
)

// A call that was paid belongs to the run, not to the attempt that began it.
func TestAnswerOfAnAttemptThatEnded(t *testing.T) {
	t.Parallel()
	e := &fakeExtractor{}
	f := newParseFixture(t, e)
	attempt, endAttempt := context.WithCancelCause(context.Background())
	answer := make(chan struct{})
	e.ask = func(q extract.Request) (extract.Response, error) {
		endAttempt(errors.New("the heartbeat timed out"))
		<-answer
		return f.findings(q)
	}
	f.env.SetWorkerOptions(worker.Options{BackgroundActivityContext: attempt})
	_, err := f.read()
	var handedOver *temporal.ApplicationError
	require.ErrorAs(t, err, &handedOver)
	require.Equal(t, activities.TypeHandedOver, handedOver.Type())
	require.Zero(t, dbtest.Value[int](t, f.DB, `select count(*) from private.chunk_answers`))

	f.env.SetWorkerOptions(worker.Options{BackgroundActivityContext: context.Background()})
	close(answer)
	require.Equal(t, 2, f.mustRead(t).End.Evidence)
	require.EqualValues(t, 1, e.calls.Load(), "the next attempt has the answer of the call that was under way")
}

// While one process reads an import, no other one makes the same calls.
func TestImportThatAnotherWorkerReads(t *testing.T) {
	t.Parallel()
	e := &fakeExtractor{ask: findsNothing}
	f := newParseFixture(t, e)
	f.Exec(t, `update private.import_runs
		set reader = gen_random_uuid(), lease_until = now() + interval '1 hour'`)
	_, err := f.read()
	var leased *temporal.ApplicationError
	require.ErrorAs(t, err, &leased)
	require.Equal(t, activities.TypeLeased, leased.Type())
	require.False(t, leased.NonRetryable())
	require.Positive(t, leased.NextRetryDelay())
	require.Zero(t, e.calls.Load())

	f.Exec(t, `update private.import_runs set lease_until = now() - interval '1 second'`)
	require.Equal(t, outcome.StatusParsed, f.mustRead(t).End.Status)
}
