package activities_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
	"research/outcome"
)

// The environment of the tests has one run. A reset by an operator is simulated by recording another run on
// the import.
func TestResetRun(t *testing.T) {
	t.Parallel()

	// begun is an import of two chunks that are planned. An activity reads one.
	begun := func(t *testing.T) *parseFixture {
		t.Helper()
		e := &fakeExtractor{plan: halves}
		f := newParseFixture(t, e)
		e.ask = f.findings
		f.mustPlan(t)
		return f
	}

	// ended is an import that another run ended some time ago.
	ended := func(t *testing.T, ago string) *parseFixture {
		t.Helper()
		f := begun(t)
		f.mustFail(t, outcome.StatusCanceled, outcome.CodeCanceled)
		f.Exec(t, `update imports set run_id = 'another', finished_at = now() - $1::interval`, ago)
		return f
	}

	t.Run("is recorded by the next activity", func(t *testing.T) {
		t.Parallel()
		f := begun(t)
		run := *f.row(t).RunID
		f.Exec(t, `update imports set run_id = 'another'`)
		f.readNext(t)
		require.Equal(t, run, *f.row(t).RunID)
		require.Equal(t, outcome.StatusParsing, f.row(t).Status)
	})

	t.Run("continues an import that has ended", func(t *testing.T) {
		t.Parallel()
		f := ended(t, "1 second")
		f.readNext(t)
		row := f.row(t)
		require.Equal(t, outcome.StatusParsing, row.Status)
		require.NotEqual(t, "another", *row.RunID)
		require.Nil(t, row.FinishedAt)
		require.Nil(t, row.ErrorCode)
		require.Equal(t, outcome.StatusParsed, f.parse(t).Status)
		require.Positive(t, dbtest.Value[int](t, f.DB, `select count(*) from evidence`))
	})

	t.Run("is not confused with a late activity of a run that has ended", func(t *testing.T) {
		t.Parallel()
		f := ended(t, "-1 hour")
		f.readNext(t)
		require.Equal(t, outcome.StatusCanceled, f.row(t).Status)
		require.Equal(t, "another", *f.row(t).RunID)
	})
}
