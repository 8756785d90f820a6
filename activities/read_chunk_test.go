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

func TestPlanImport(t *testing.T) {
	t.Parallel()

	t.Run("moves the import to parsing, and plans once", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{plan: halves, ask: findsNothing})
		require.Equal(t, outcome.StatusQueued, f.row(t).Status)
		for range 2 {
			require.Equal(t, activities.ImportPlan{
				Chunks: []int{0, 1}, Total: 2, Concurrency: 1, TimeLeft: time.Hour,
			}, f.mustPlan(t))
		}
		row := f.row(t)
		require.Equal(t, outcome.StatusParsing, row.Status)
		require.NotNil(t, row.RunID)
		require.EqualValues(t, 2, row.ProgressTotal)
		require.Equal(t, "turn", *row.WaitingReason)
		require.Equal(t, 2, dbtest.Value[int](t, f.DB, `select count(*) from private.import_chunks`))
	})

	t.Run("leaves out what was read", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{plan: halves, ask: findsNothing})
		f.mustPlan(t)
		f.mustReadChunk(t, 0)
		plan := f.mustPlan(t)
		require.Equal(t, []int{1}, plan.Chunks)
		require.Equal(t, 2, plan.Total)
	})

	t.Run("plans nothing for an import that has ended", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{ask: findsNothing})
		f.mustFail(t, outcome.StatusCanceled, outcome.CodeCanceled)
		require.Empty(t, f.mustPlan(t).Chunks)
		require.Equal(t, outcome.StatusCanceled, f.parse(t).Status)
		require.Zero(t, dbtest.Value[int](t, f.DB, `select count(*) from private.import_chunks`))
	})
}

func TestReadChunk(t *testing.T) {
	t.Parallel()

	t.Run("says that the import is read, and that it waits for its turn before", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{plan: halves}
		f := newParseFixture(t, e)
		var reading db.Import // while the chunk is read
		e.ask = func(r extract.Request) (extract.Response, error) {
			reading = f.row(t)
			return findsNothing(r)
		}
		f.mustPlan(t)
		f.mustReadChunk(t, 1)
		require.Nil(t, reading.WaitingReason)
		require.EqualValues(t, 1, f.row(t).ProgressDone)
		require.Equal(t, outcome.StatusParsing, f.row(t).Status)
	})

	t.Run("makes one call, and leaves the other parts of a chunk to the next activity", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{ask: func(q extract.Request) (extract.Response, error) {
			if q.Chunk.To-q.Chunk.From == 4 {
				return extract.Response{}, &extract.Error{Code: outcome.CodeModelTooLong}
			}
			return extract.Response{}, nil
		}}
		f := newParseFixture(t, e)
		f.mustPlan(t)
		for calls, done := range []bool{false, false, true, true} {
			result, err := f.readChunk(0)
			require.Equal(t, done, must(t, result, err).Done)
			require.EqualValues(t, min(calls+1, 3), e.calls.Load())
		}
	})

	t.Run("makes no call if the response is stored", func(t *testing.T) {
		t.Parallel()
		f, e := newFindingsFixture(t)
		f.mustPlan(t)
		f.mustReadChunk(t, 0)
		f.Exec(t, `update private.import_chunks set done_at = null, response_keys = '{}'`)
		f.Exec(t, `update imports set progress_done = 0`)
		f.mustReadChunk(t, 0)
		require.EqualValues(t, 1, e.calls.Load())
		require.EqualValues(t, 1, f.row(t).ProgressDone)
	})

	t.Run("splits a chunk that is too long until its parts fit", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{ask: func(q extract.Request) (extract.Response, error) {
			if q.Chunk.To-q.Chunk.From == 4 {
				return extract.Response{}, &extract.Error{Code: outcome.CodeModelTooLong}
			}
			return extract.Response{}, nil
		}}
		f := newParseFixture(t, e)
		requireEnd(t, activities.ParseEnd{Status: outcome.StatusParsed, Coverage: 1}, f.parse(t))
		require.EqualValues(t, 3, e.calls.Load(), "one of four turns, one of one, one of three")
	})

	t.Run("is handed over before its call if the worker stops", func(t *testing.T) {
		t.Parallel()
		stop := make(chan struct{})
		close(stop)
		e := &fakeExtractor{ask: findsNothing}
		f := newParseFixture(t, e)
		f.mustPlan(t)
		f.env.SetWorkerStopChannel(stop)
		_, err := f.readChunk(0)
		var handedOver *temporal.ApplicationError
		require.ErrorAs(t, err, &handedOver)
		require.Equal(t, activities.TypeHandedOver, handedOver.Type())
		require.False(t, handedOver.NonRetryable())
		require.Equal(t, "worker", *f.row(t).WaitingReason)
		require.Zero(t, e.calls.Load())
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
			Status: outcome.StatusFailed, ErrorCode: outcome.CodeModelRefused, Unread: 1,
		}, f.parse(t))
		require.Equal(t, string(outcome.CodeModelRefused), *f.row(t).ErrorCode)
		require.Equal(t, outcome.CodeModelRefused.Message(), *f.row(t).ErrorMessage)
	})

	t.Run("counts nothing between unread ranges as read", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{ask: fails(outcome.CodeModelTooLong)})
		requireEnd(t, activities.ParseEnd{
			Status: outcome.StatusFailed, ErrorCode: outcome.CodeModelTooLong, Unread: 3,
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
		require.Error(t, f.read())
		require.Eventually(t, func() bool { return f.read() == nil }, time.Minute, 50*time.Millisecond,
			"the breaker admits a call after a while")
		require.Equal(t, outcome.StatusParsed, f.parse(t).Status)
		require.Equal(t, [2]int64{60, 9}, [2]int64{f.row(t).InputTokens, f.row(t).OutputTokens})
	})
}

func TestErrorsOfTheModel(t *testing.T) {
	t.Parallel()
	for code, endsImport := range map[outcome.Code]bool{
		outcome.CodeModelKeyRejected: true,
		outcome.CodeModelNoCredit:    true,
		outcome.CodeModelForbidden:   true,
		outcome.CodeModelNotFound:    true,
		outcome.CodeModelWrongServer: true,
		outcome.CodeModelBadRequest:  true,
		outcome.CodeModelRateLimited: false,
		outcome.CodeModelUnavailable: false,
	} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			f := newParseFixture(t, &fakeExtractor{ask: func(extract.Request) (extract.Response, error) {
				return extract.Response{}, &extract.Error{Code: code, RetryAfter: 7 * time.Second}
			}})
			err := f.read()
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

// PARSE_TIMEOUT counts from the first attempt to read, without what the import waits for its turn.
func TestDeadline(t *testing.T) {
	t.Parallel()
	later := func(f *parseFixture, passed string) {
		f.Exec(t, `update private.import_runs set first_call_at = first_call_at - $1::interval,
			idle_since = idle_since - $1::interval`, passed)
	}
	check := func(t *testing.T, f *parseFixture) activities.Deadline {
		t.Helper()
		deadline, err := run[activities.Deadline](f, f.imports.CheckDeadline, f.ref)
		return must(t, deadline, err)
	}

	t.Run("does not run before the first call", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{ask: findsNothing})
		f.mustPlan(t)
		f.Exec(t, `update imports
			set queued_at = now() - interval '9 days', started_at = now() - interval '8 days'`)
		require.Equal(t, time.Hour, check(t, f).Left)
	})

	t.Run("runs while the model fails, and names its failure if it never answered", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{ask: fails(outcome.CodeModelUnavailable)})
		require.Error(t, f.read())
		later(f, "61 minutes")
		deadline := check(t, f)
		require.Negative(t, deadline.Left)
		require.Equal(t, outcome.CodeModelUnavailable, deadline.Code)
	})

	t.Run("is a timeout if the model answered before", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{plan: halves, ask: findsNothing}
		f := newParseFixture(t, e)
		f.mustPlan(t)
		f.mustReadChunk(t, 0)
		e.ask = fails(outcome.CodeModelUnavailable)
		require.Error(t, f.read())
		later(f, "61 minutes")
		require.Equal(t, outcome.CodeTimedOut, check(t, f).Code)
	})

	t.Run("does not run while the import waits for its turn", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{plan: halves, ask: findsNothing})
		f.mustPlan(t)
		f.mustReadChunk(t, 0)
		later(f, "61 minutes") // since then it waits
		require.Greater(t, check(t, f).Left, 59*time.Minute)
		f.mustReadChunk(t, 1)
		require.Greater(t, check(t, f).Left, 59*time.Minute)
	})
}
