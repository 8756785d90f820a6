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
	"research/outcome"
)

func TestExtractChunk(t *testing.T) {
	t.Parallel()

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
		f := newParseFixture(t, &fakeExtractor{ask: func(q extract.Request) (extract.Response, error) {
			if q.Chunk.To-q.Chunk.From == 4 {
				close(stop)
				return extract.Response{}, &extract.Error{Code: outcome.CodeModelTooLong}
			}
			return extract.Response{}, nil
		}})
		f.env.SetWorkerStopChannel(stop)
		f.mustBegin(t)
		_, err := f.extract(0)
		var handedOver *temporal.ApplicationError
		require.ErrorAs(t, err, &handedOver)
		require.Equal(t, activities.TypeHandedOver, handedOver.Type())
		require.False(t, handedOver.NonRetryable())

		f.env.SetWorkerStopChannel(make(chan struct{}))
		require.Equal(t, 2, f.mustExtract(t, 0).Calls, "the first response is stored")
	})

	t.Run("records what the model refuses as an unread range", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{plan: halves, ask: func(q extract.Request) (extract.Response, error) {
			if q.Chunk.From == 0 {
				return extract.Response{}, &extract.Error{Code: outcome.CodeModelRefused}
			}
			return extract.Response{}, nil
		}})
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
		f.mustBegin(t)
		_, err := f.extract(0)
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
			f.mustBegin(t)
			_, err := f.extract(0)
			var application *temporal.ApplicationError
			require.True(t, errors.As(err, &application), "%v", err)
			require.Equal(t, string(code), application.Type())
			require.Equal(t, endsImport, application.NonRetryable())
			require.Equal(t, endsImport, code.EndsImport())
			require.Equal(t, 7*time.Second, application.NextRetryDelay())
			require.NotContains(t, err.Error(), "spreadsheet", "the error has no text of the transcript")
		})
	}
}
