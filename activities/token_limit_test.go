package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities"
	"research/activities/extract"
	"research/db/dbtest"
	"research/outcome"
)

func TestTokenLimit(t *testing.T) {
	t.Parallel()
	const limit = 100
	tokenLimit := string(outcome.CodeTokenLimit)

	t.Run("rejects a plan that would exceed it before the first call", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{plan: halves, estimate: 51}
		f := newLimitedParseFixture(t, e, limit)
		_, err := f.read()
		requireNotRetried(t, tokenLimit, err)
		require.Equal(t, outcome.StatusQueued, f.row(t).Status)
		end := f.mustFail(t, outcome.StatusFailed, outcome.CodeTokenLimit)
		requireEnd(t, activities.ParseEnd{Status: outcome.StatusFailed, ErrorCode: outcome.CodeTokenLimit}, end)
		require.Contains(t, *f.row(t).ErrorMessage, "MAX_TOKENS_PER_IMPORT")
		require.Zero(t, e.calls.Load())
	})

	t.Run("stops the calls when responses were longer than estimated", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{plan: halves, estimate: 20, ask: func(extract.Request) (extract.Response, error) {
			return extract.Response{Usage: extract.Usage{InputTokens: 20, OutputTokens: 61}}, nil
		}}
		f := newLimitedParseFixture(t, e, limit)
		f.mustRead(t)
		_, err := f.read()
		requireNotRetried(t, tokenLimit, err)
		require.EqualValues(t, 1, e.calls.Load())
	})

	// ofTwo reads two chunks at a time.
	ofTwo := func(t *testing.T, e *fakeExtractor) *parseFixture {
		t.Helper()
		f := newConfiguredParseFixture(t, e, activities.ImportsConfig{
			Concurrency: 2, Timeout: time.Hour, MaxTokens: limit,
		})
		f.mustBegin(t)
		return f
	}

	t.Run("reserves the calls of a range before the first of them", func(t *testing.T) {
		t.Parallel()
		reserved := make(chan int, 2)
		var f *parseFixture
		e := &fakeExtractor{plan: halves, estimate: 40, ask: func(extract.Request) (extract.Response, error) {
			reserved <- dbtest.Value[int](t, f.DB, `select sum(reserved_tokens) from private.import_chunks`)
			return extract.Response{Usage: extract.Usage{InputTokens: 40}}, nil
		}}
		f = ofTwo(t, e)
		f.mustRead(t)
		require.Equal(t, 80, <-reserved)
		require.Zero(t, dbtest.Value[int](t, f.DB, `select sum(reserved_tokens) from private.import_chunks`))
	})

	t.Run("counts the reservations of concurrent calls", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{plan: halves, estimate: 20, untilCanceled: true}
		f := ofTwo(t, e)
		e.estimate = 60
		_, err := f.read() // the call that is rejected cancels the other
		requireNotRetried(t, tokenLimit, err)
		require.EqualValues(t, 1, e.calls.Load())
	})

	t.Run("makes the calls of a range for which there is room", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{plan: halves, estimate: 20, ask: func(extract.Request) (extract.Response, error) {
			return extract.Response{Usage: extract.Usage{InputTokens: 60}}, nil
		}}
		f := ofTwo(t, e)
		e.estimate = 60
		_, err := f.read()
		requireNotRetried(t, tokenLimit, err)
		require.EqualValues(t, 1, e.calls.Load())
	})
}
