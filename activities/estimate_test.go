package activities_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities"
	"research/activities/extract"
	"research/activities/extract/keyword"
	"research/db"
	"research/outcome"
)

// estimate estimates a parse of the import.
func (f *parseFixture) estimate(
	t *testing.T, e extract.Extractor, refresh bool, hypotheses ...uuid.UUID,
) activities.Estimate {
	t.Helper()
	estimate, err := activities.EstimateParse(t.Context(), f.Store, e, f.ref.ImportID, hypotheses, refresh)
	return must(t, estimate, err)
}

// calls is an estimate of a number of calls to a fakeExtractor.
func calls(n int) activities.Estimate {
	return activities.Estimate{
		Calls: n, Usage: extract.Usage{InputTokens: int64(30 * n), OutputTokens: int64(10 * n)},
	}
}

func TestAnEstimateCountsWhatAParseWouldAsk(t *testing.T) {
	t.Parallel()
	e := &fakeExtractor{plan: halves, ask: findsNothing}
	f := newParseFixture(t, e)
	require.Equal(t, calls(2), f.estimate(t, e, false, f.bookkeeping, f.spreadsheets))
	require.Zero(t, e.calls.Load())

	f.readNext(t)
	f.mustFail(t, outcome.StatusCanceled, outcome.CodeCanceled)
	require.Equal(t, calls(1), f.estimate(t, e, false, f.bookkeeping, f.spreadsheets), "one half was read")
	require.Equal(t, calls(1), f.estimate(t, e, true, f.bookkeeping, f.spreadsheets), "its response is stored")
	added := f.Hypothesis(t, f.tenant, "Nobody sleeps")
	require.Equal(t, calls(3), f.estimate(t, e, false, f.bookkeeping, added))

	f.claim(t)
	f.parse(t)
	require.Zero(t, f.estimate(t, e, false, f.bookkeeping, f.spreadsheets))
	require.Zero(t, f.estimate(t, e, true, f.bookkeeping, f.spreadsheets), "both responses are stored")
	other := &fakeExtractor{plan: halves, model: "other-model"}
	require.Equal(t, calls(2), f.estimate(t, other, true, f.bookkeeping, f.spreadsheets))
	require.Zero(t, f.estimate(t, keyword.New(keyword.Precise), true, f.bookkeeping), "there is no model")
}

func TestAnEstimateOfAnImportThatIsGone(t *testing.T) {
	t.Parallel()
	e := &fakeExtractor{ask: findsNothing}
	f := newParseFixture(t, e)
	_, err := activities.EstimateParse(t.Context(), f.Store, e, uuid.New(), []uuid.UUID{f.bookkeeping}, false)
	require.ErrorIs(t, err, db.ErrNotFound)
}
