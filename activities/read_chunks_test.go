package activities_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"research/activities"
	"research/activities/extract"
	"research/db"
	"research/db/dbtest"
	"research/outcome"
)

func TestReadChunks(t *testing.T) {
	t.Parallel()

	t.Run("reads up to PARSE_CONCURRENCY chunks, and ends the import after the last", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{plan: halves, ask: findsNothing})
		require.Equal(t, activities.ReadChunksResult{Done: 1, Left: 1}, f.mustRead(t))
		require.Equal(t, outcome.StatusParsing, f.row(t).Status)
		last := f.mustRead(t)
		require.Equal(t, 1, last.Done)
		require.Zero(t, last.Left)
		requireEnd(t, activities.ParseEnd{Status: outcome.StatusParsed, Coverage: 1}, *last.End)
	})

	t.Run("plans the chunks before it reads the first of them, once", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{plan: halves, estimate: 10}
		f := newParseFixture(t, e)
		require.Equal(t, outcome.StatusQueued, f.row(t).Status)
		var reading db.Import // while the last chunk is read
		e.ask = func(r extract.Request) (extract.Response, error) {
			reading = f.row(t)
			return findsNothing(r)
		}
		require.Equal(t, activities.ReadChunksResult{Done: 1, Left: 1}, f.mustRead(t))
		require.Equal(t, outcome.StatusParsing, reading.Status)
		require.NotNil(t, reading.RunID)
		require.Nil(t, reading.WaitingReason)
		require.EqualValues(t, 2, reading.ProgressTotal)
		require.Equal(t, outcome.StatusParsed, f.mustRead(t).End.Status)
		require.EqualValues(t, 2, e.calls.Load())
		require.Equal(t, 2, dbtest.Value[int](t, f.DB, `select count(*) from private.import_chunks`))
	})

	t.Run("does not plan for an import that has ended", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{ask: findsNothing})
		f.mustFail(t, outcome.StatusCanceled, outcome.CodeCanceled)
		require.Equal(t, outcome.StatusCanceled, f.mustRead(t).End.Status)
		require.Zero(t, dbtest.Value[int](t, f.DB, `select count(*) from private.import_chunks`))
	})

	t.Run("splits a chunk that is too long until its parts fit", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{ask: func(q extract.Request) (extract.Response, error) {
			if q.Chunk.To-q.Chunk.From > 1 {
				return extract.Response{}, &extract.Error{Code: outcome.CodeModelTooLong}
			}
			return extract.Response{}, nil
		}}
		f := newParseFixture(t, e)
		requireEnd(t, activities.ParseEnd{Status: outcome.StatusParsed, Coverage: 1}, f.parse(t))
		require.EqualValues(t, 7, e.calls.Load(), "one of four turns, two of two, four of one")
	})

	t.Run("hands a chunk over between two calls if the worker stops", func(t *testing.T) {
		t.Parallel()
		stop := make(chan struct{})
		e := &fakeExtractor{ask: func(q extract.Request) (extract.Response, error) {
			if q.Chunk.To-q.Chunk.From == 4 {
				close(stop)
				return extract.Response{}, &extract.Error{Code: outcome.CodeModelTooLong}
			}
			return extract.Response{}, nil
		}}
		f := newParseFixture(t, e)
		f.env.SetWorkerStopChannel(stop)
		_, err := f.read()
		var handedOver *temporal.ApplicationError
		require.ErrorAs(t, err, &handedOver)
		require.Equal(t, activities.TypeHandedOver, handedOver.Type())
		require.False(t, handedOver.NonRetryable())
		require.Equal(t, "worker", *f.row(t).WaitingReason)

		f.env.SetWorkerStopChannel(make(chan struct{}))
		f.mustRead(t)
		require.EqualValues(t, 3, e.calls.Load(), "the first response is stored")
	})

	t.Run("records what the model refuses as an unread range", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{plan: halves, ask: func(q extract.Request) (extract.Response, error) {
			if q.Chunk.From == 0 {
				return extract.Response{}, &extract.Error{Code: outcome.CodeModelRefused}
			}
			return extract.Response{}, nil
		}}
		f := newParseFixture(t, e)
		end := f.parse(t)
		require.Equal(t, outcome.StatusParsed, end.Status)
		require.InDelta(t, 0.5, end.Coverage, 0.1)
		var unread []struct {
			From, To int
			Reason   outcome.Code
		}
		require.NoError(t, json.Unmarshal(f.row(t).Unread, &unread))
		require.Len(t, unread, 1)
		require.Equal(t, [2]int{0, 1}, [2]int{unread[0].From, unread[0].To})
		require.Equal(t, outcome.CodeModelRefused, unread[0].Reason)
	})

	t.Run("fails the import with the reason if nothing could be read", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{ask: fails(outcome.CodeModelRefused)})
		requireEnd(t, activities.ParseEnd{
			Status: outcome.StatusFailed, ErrorCode: outcome.CodeModelRefused,
		}, f.parse(t))
		require.Equal(t, string(outcome.CodeModelRefused), *f.row(t).ErrorCode)
		require.Equal(t, outcome.CodeModelRefused.Message(), *f.row(t).ErrorMessage)
	})

	t.Run("counts nothing between unread ranges as read", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{ask: fails(outcome.CodeModelTooLong)})
		requireEnd(t, activities.ParseEnd{
			Status: outcome.StatusFailed, ErrorCode: outcome.CodeModelTooLong,
		}, f.parse(t))
		require.Zero(t, f.row(t).Coverage)
	})

	t.Run("counts the tokens of a failed attempt and makes the request again", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{}
		e.ask = func(extract.Request) (extract.Response, error) {
			if e.calls.Load() == 1 {
				used := extract.Usage{InputTokens: 30, OutputTokens: 4}
				return extract.Response{}, &extract.Error{Code: outcome.CodeModelUnavailable, Usage: used}
			}
			return extract.Response{Usage: extract.Usage{InputTokens: 30, OutputTokens: 5}}, nil
		}
		f := newParseFixture(t, e)
		_, err := f.read()
		require.Error(t, err)
		require.Equal(t, outcome.StatusParsed, f.parse(t).Status)
		require.Equal(t, [2]int64{60, 9}, [2]int64{f.row(t).InputTokens, f.row(t).OutputTokens})
	})
}

func TestErrorsOfTheModel(t *testing.T) {
	t.Parallel()
	for code, endsImport := range map[outcome.Code]bool{
		outcome.CodeModelKeyRejected: true,
		outcome.CodeModelNoCredit:    true,
		outcome.CodeModelNotFound:    true,
		outcome.CodeModelBadRequest:  true,
		outcome.CodeModelRateLimited: false,
		outcome.CodeModelUnavailable: false,
	} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			f := newParseFixture(t, &fakeExtractor{ask: func(extract.Request) (extract.Response, error) {
				return extract.Response{}, &extract.Error{Code: code, RetryAfter: 7 * time.Second}
			}})
			_, err := f.read()
			var application *temporal.ApplicationError
			require.True(t, errors.As(err, &application), "%v", err)
			require.Equal(t, string(code), application.Type())
			require.Equal(t, endsImport, application.NonRetryable())
			require.Equal(t, endsImport, code.EndsImport())
			if !endsImport {
				require.Equal(t, 7*time.Second, application.NextRetryDelay())
				require.Equal(t, string(code), *f.row(t).WaitingReason)
			}
			require.NotContains(t, err.Error(), "spreadsheet", "the error has no text of the transcript")
		})
	}
}

// A model that fails is called again until PARSE_TIMEOUT, which counts from the first call.
func TestModelThatFails(t *testing.T) {
	t.Parallel()

	t.Run("is called again with growing delays, by one call until it answers", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{plan: halves, ask: fails(outcome.CodeModelUnavailable)}
		f := newConfiguredParseFixture(t, e, activities.ImportsConfig{Concurrency: 2, Timeout: time.Hour})
		for attempt, base := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
			e.calls.Store(0)
			_, err := f.read()
			var application *temporal.ApplicationError
			require.ErrorAs(t, err, &application)
			require.LessOrEqual(t, application.NextRetryDelay(), base)
			require.GreaterOrEqual(t, application.NextRetryDelay(), base*3/4)
			if attempt > 0 {
				require.EqualValues(t, 1, e.calls.Load())
			}
		}
		e.ask = findsNothing
		requireEnd(t, activities.ParseEnd{Status: outcome.StatusParsed, Coverage: 1}, *f.mustRead(t).End)
		require.Nil(t, f.row(t).WaitingReason)
		require.Zero(t, dbtest.Value[int](t, f.DB, `select model_failures from private.import_runs`))
	})

	t.Run("ends the import with its reason if it never answered", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{ask: fails(outcome.CodeModelUnavailable)})
		_, err := f.read()
		require.Error(t, err)
		f.Exec(t, `update private.import_runs set first_call_at = now() - interval '61 minutes'`)
		_, err = f.read()
		requireTimeout(t, outcome.CodeModelUnavailable, err)
	})

	t.Run("ends the import for its timeout if it answered before", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{plan: halves, ask: findsNothing}
		f := newParseFixture(t, e)
		f.mustRead(t)
		e.ask = fails(outcome.CodeModelUnavailable)
		_, err := f.read()
		require.Error(t, err)
		f.Exec(t, `update private.import_runs set first_call_at = now() - interval '61 minutes'`)
		_, err = f.read()
		requireTimeout(t, outcome.CodeTimedOut, err)
	})

	t.Run("has as long as any other after a long wait for a worker", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{ask: findsNothing})
		f.mustBegin(t)
		f.Exec(t, `update imports
			set queued_at = now() - interval '9 days', started_at = now() - interval '8 days'`)
		f.Exec(t, `update private.import_runs set first_call_at = null`)
		require.Equal(t, outcome.StatusParsed, f.mustRead(t).End.Status)
	})
}

// requireTimeout requires the error that ends an import as timed_out with a code.
func requireTimeout(t *testing.T, code outcome.Code, err error) {
	t.Helper()
	requireNotRetried(t, activities.TypeParseTimeout, err)
	var application *temporal.ApplicationError
	require.ErrorAs(t, err, &application)
	var got outcome.Code
	require.NoError(t, application.Details(&got))
	require.Equal(t, code, got)
}
