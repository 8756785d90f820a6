package bench

import (
	"context"
	"flag"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"research/activities"
	"research/activities/mail"
	"research/db"
	"research/db/dbtest"
	"research/workflows"
)

// `make bench-digests` sets the members to 1,000,000.
var planningMembers = flag.Int("planning-members", 50_000, "how many members want digests in "+
	"BenchmarkPlanDigests")

const (
	// dueShare is the share of the members who are due at one tick: one in fifty.
	dueShare = 50
	// mostPlanning bounds a tick, whatever the number of members who are not due.
	mostPlanning = 10 * time.Second
)

// BenchmarkPlanDigests measures an hourly tick at which one member in fifty is due and has news. The other
// members have news as well, and are due at the ticks of the next week. The connections are new, so that
// PostgreSQL plans each statement. It then measures a tick at which nobody is due.
func BenchmarkPlanDigests(b *testing.B) {
	d := dbtest.New(b)
	due := *planningMembers / dueShare
	fillSchedule(b, d, *planningMembers, due)
	now := time.Now()
	for range b.N {
		d.Exec(b, `delete from digest_deliveries`)
		d.Exec(b, `update private.digest_schedule s set next_due_at = now() - interval '1 hour'
			from digest_preferences p where p.user_id = s.user_id and p.weekday = 1`)
		store, err := db.Open(b.Context(), db.Config{URL: d.URL, MaxConns: 4, ApplicationName: "bench"})
		require.NoError(b, err)
		began := time.Now()
		members, planned := planTick(b, store, now)
		took := time.Since(began)
		require.Equal(b, due, members, "only those who are due are read")
		require.Equal(b, due, planned)
		began = time.Now()
		members, _ = planTick(b, store, now)
		idle := time.Since(began)
		require.Zero(b, members)
		store.Close()
		b.ReportMetric(0, "ns/op") // of the members' insertion as well
		b.ReportMetric(took.Seconds(), "s-tick")
		b.ReportMetric(mostPlanning.Seconds(), "limit-s-tick")
		b.ReportMetric(float64(idle.Milliseconds()), "ms-idle-tick")
		b.ReportMetric(float64(*planningMembers), "members")
		b.ReportMetric(float64(due), "due")
		require.Less(b, took, mostPlanning)
	}
}

// planTick plans what is due at a time, as the activities of a tick do.
func planTick(b *testing.B, store *db.Store, at time.Time) (members, planned int) {
	b.Helper()
	planner, err := activities.NewDigests(store, noMails{}, noDelivery{},
		activities.DigestConfig{PublicURL: "https://research.example.com"}, slog.New(slog.DiscardHandler))
	require.NoError(b, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	activities.Register(env, activities.Deps{Digests: planner})
	for done := false; !done; {
		value, err := env.ExecuteActivity(planner.PlanDigests,
			activities.PlanDigestsInput{Frequency: workflows.Daily, At: at, Now: at})
		require.NoError(b, err)
		var result activities.PlanDigestsResult
		require.NoError(b, value.Get(&result))
		members, planned, done = members+result.Members, planned+result.Planned, result.Done
	}
	return members, planned
}

// noMails and noDelivery are what planning does not use.
type (
	noMails    struct{}
	noDelivery struct{}
)

func (noMails) Send(context.Context, mail.Message) error { return mail.ErrUnavailable }
func (noMails) MessageID(id string) string               { return id }

func (noDelivery) DeliverDigests(context.Context, activities.DigestMark) error { return nil }

// fillSchedule adds members in workspaces of ten, each with three quotes of yesterday. The first of them are
// due, which their weekday marks. Triggers are off: a million members take a minute instead of a quarter of
// an hour.
func fillSchedule(b *testing.B, d *dbtest.DB, members, due int) {
	b.Helper()
	c, err := pgx.Connect(b.Context(), d.URL)
	require.NoError(b, err)
	defer func() { _ = c.Close(context.WithoutCancel(b.Context())) }()
	for _, statement := range []struct {
		sql  string
		args []any
	}{
		{`set session_replication_role = replica`, nil},
		{`create temporary table m as select n, gen_random_uuid() as id, (n - 1) / $2::int as w, n <= $3::int as due
			from generate_series(1, $1::int) n`, []any{members, membersOfOne, due}},
		{`create temporary table w as select w as n, gen_random_uuid() as workspace from m group by w`, nil},
		{`insert into auth.users (id, email, email_confirmed_at)
			select id, 'member-' || n || '@example.com', now() from m`, nil},
		{`insert into profiles (id, email) select id, 'member-' || n || '@example.com' from m`, nil},
		{`insert into workspaces (id, name, slug) select workspace, 'Workspace ' || n, 'workspace-' || n from w`,
			nil},
		{`insert into workspace_members (workspace_id, user_id, role)
			select w.workspace, m.id, 'editor' from m join w on w.n = m.w`, nil},
		{`insert into activity_events (workspace_id, verb, entity_type, entity_id, occurred_at)
			select workspace, 'created', 'evidence', gen_random_uuid(),
				date_trunc('day', now(), 'UTC') - interval '12 hours'
			from w, generate_series(1, 3)`, nil},
		{`insert into digest_preferences (user_id, frequency, hour, weekday, created_at)
			select id, 'daily', 0, case when due then 1 else 2 end, '2026-01-01' from m`, nil},
		{`insert into private.digest_schedule (user_id, frequency, next_due_at)
			select id, 'daily', date_trunc('hour', now()) + (1 + n % 168) * interval '1 hour' from m`, nil},
		{`vacuum analyze`, nil},
	} {
		_, err := c.Exec(b.Context(), statement.sql, statement.args...)
		require.NoError(b, err, statement.sql)
	}
}
