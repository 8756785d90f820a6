package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"research/activities"
	"research/activities/extract"
	"research/db/dbtest"
	"research/outcome"
)

func TestTokenBudgetOfADay(t *testing.T) {
	t.Parallel()
	spends := func(tokens int64) func(extract.Request) (extract.Response, error) {
		return func(extract.Request) (extract.Response, error) {
			return extract.Response{Usage: extract.Usage{InputTokens: tokens}}, nil
		}
	}
	setQuota := func(t *testing.T, f *parseFixture, name, value string) {
		t.Helper()
		f.Exec(t, `insert into private.settings values ($1, $2)
			on conflict (name) do update set value = excluded.value`, name, value)
	}
	requireWaits := func(t *testing.T, f *parseFixture, err error) {
		t.Helper()
		var failure *temporal.ApplicationError
		require.ErrorAs(t, err, &failure)
		require.Equal(t, activities.TypeTokenBudget, failure.Type())
		require.False(t, failure.NonRetryable())
		require.Positive(t, failure.NextRetryDelay())
		require.LessOrEqual(t, failure.NextRetryDelay(), 11*time.Minute)
		require.Equal(t, outcome.StatusParsing, f.row(t).Status)
		require.Equal(t, "token_budget", *f.row(t).WaitingReason)
		require.True(t, dbtest.Value[bool](t, f.DB, `select idle_since is not null from private.import_runs`),
			"PARSE_TIMEOUT does not run")
	}

	for _, quota := range []string{"workspace_tokens_per_day", "account_tokens_per_day"} {
		t.Run(quota+" lets an import wait until the next day", func(t *testing.T) {
			t.Parallel()
			e := &fakeExtractor{plan: halves, estimate: 60, ask: spends(60)}
			f := newParseFixture(t, e)
			setQuota(t, f, quota, "100")
			f.readNext(t)
			for range 2 {
				err := f.read()
				requireWaits(t, f, err)
			}
			require.EqualValues(t, 1, e.calls.Load())

			f.Exec(t, `update private.daily_usage set day = day - 1`)
			require.Equal(t, outcome.StatusParsed, f.parse(t).Status)
			require.EqualValues(t, 2, e.calls.Load())
			require.Zero(t, dbtest.Value[int](t, f.DB, `select count(*) from private.token_reservations`))
		})
	}

	t.Run("goes on when an operator raises it", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{plan: halves, estimate: 60, ask: spends(60)})
		setQuota(t, f, "workspace_tokens_per_day", "100")
		f.readNext(t)
		err := f.read()
		requireWaits(t, f, err)
		setQuota(t, f, "workspace_tokens_per_day", "200")
		require.Equal(t, outcome.StatusParsed, f.parse(t).Status)
	})

	t.Run("allows a larger call if nothing was used", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{estimate: 60, ask: spends(60)})
		setQuota(t, f, "workspace_tokens_per_day", "50")
		require.Equal(t, outcome.StatusParsed, f.parse(t).Status)
	})

	t.Run("never holds what costs nothing", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{plan: halves, ask: findsNothing})
		setQuota(t, f, "workspace_tokens_per_day", "1")
		f.Exec(t, `insert into private.daily_usage (subject, day, tokens)
			values ($1, (now() at time zone 'UTC')::date, 10)`, f.tenant.Workspace)
		f.readNext(t)
		require.Equal(t, outcome.StatusParsed, f.parse(t).Status)
	})

	t.Run("is shown to admins, who are warned at four fifths", func(t *testing.T) {
		t.Parallel()
		f := newParseFixture(t, &fakeExtractor{plan: halves, estimate: 20, ask: spends(45)})
		setQuota(t, f, "workspace_tokens_per_day", "100")
		const warnings = `select count(*) from private.audit_records where action = 'tokens_low'`
		f.readNext(t)
		require.Zero(t, dbtest.Value[int](t, f.DB, warnings))
		f.readNext(t)
		require.Equal(t, 1, dbtest.Value[int](t, f.DB, warnings))
		require.Equal(t, 90, dbtest.Value[int](t, f.DB,
			`select tokens from private.daily_usage where subject = $1`, f.tenant.Workspace))
	})
}
