package activities_test

import (
	"testing"

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
		err := f.read()
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
		f.readNext(t)
		err := f.read()
		requireNotRetried(t, tokenLimit, err)
		require.EqualValues(t, 1, e.calls.Load())
	})

	t.Run("counts the estimate of a request if the server counts nothing", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{plan: halves, estimate: 50, ask: findsNothing}
		f := newLimitedParseFixture(t, e, limit)
		f.parse(t)
		require.EqualValues(t, limit, f.row(t).InputTokens)
		e.model = "other-model"
		f.refresh(t)
		requireNotRetried(t, tokenLimit, f.read())
	})

	t.Run("counts the reservations of concurrent calls", func(t *testing.T) {
		t.Parallel()
		e := &fakeExtractor{plan: halves, estimate: 20}
		f := newLimitedParseFixture(t, e, limit)
		f.mustPlan(t)
		e.estimate = 60
		var other error // of a call while the first is in progress
		e.ask = func(extract.Request) (extract.Response, error) {
			_, other = f.readChunk(1)
			return extract.Response{Usage: extract.Usage{InputTokens: 60}}, nil
		}
		f.mustReadChunk(t, 0)
		requireNotRetried(t, tokenLimit, other)
		require.EqualValues(t, 1, e.calls.Load())
		require.Zero(t, dbtest.Value[int](t, f.DB, `select sum(reserved_tokens) from private.import_chunks`))
	})
}
