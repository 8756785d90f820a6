package bench

import (
	"context"
	"flag"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"research/activities/mail/smtptest"
	"research/db/dbtest"
	"research/temporalclient"
	"research/workflows"
)

// `make bench-digests` sets the members to 100,000.
var (
	digestMembers = flag.Int("digest-members", 1000, "how many members BenchmarkDigests mails")
	digestSink    = flag.Duration("digest-sink", 50*time.Millisecond, "how long the mail server of BenchmarkDigests takes for a mail")
	digestConns   = flag.Int("digest-connections", 4, "to the mail server; the default is that of SMTP_CONNECTIONS")
	digestWait    = flag.Duration("digest-wait", 30*time.Minute, "how long BenchmarkDigests waits for its run")
)

const (
	// The limits.
	leastOfSink       = 0.5 // of the mails that the mail server could take in the time
	mostMemoryMB      = 256 // of the worker, resident, however many members
	mostHistoryEvents = 2000
	eventsForAnyone   = 150 // of a run, however few the members; the limit per thousand members comes on top
	eventsOfThousand  = 60
	membersOfOne      = 10
)

// BenchmarkDigests has a worker plan and send a digest to each of many members, in workspaces of ten where somebody found evidence yesterday. The mail server takes
// its time, as real ones do, which bounds the mails a second.
func BenchmarkDigests(b *testing.B) {
	for range b.N {
		s := startDigests(b, *digestMembers)
		began := time.Now()
		working, stop := s.worker.while(b.Context())
		ctx, cancel := context.WithTimeout(working, *digestWait)
		run, err := temporalclient.New(s.temporal).SendDigests(ctx, workflows.Daily)
		require.NoError(b, err, context.Cause(ctx))
		result, err := run.Wait(ctx)
		require.NoError(b, err, context.Cause(ctx))
		cancel()
		stop()
		took := time.Since(began)

		require.Equal(b, workflows.SendDigestsResult{Sent: *digestMembers, Planned: *digestMembers}, result)
		require.Equal(b, *digestMembers, s.sink.Taken(), "as many mails as digests")
		require.Equal(b, *digestMembers, dbtest.Value[int](b, s.db, `select count(distinct user_id) from digest_deliveries where status = 'sent' and attempts = 1`))
		planning := dbtest.Value[float64](b, s.db, `select extract(epoch from max(created_at) - min(created_at))::float8 from digest_deliveries`)
		runs, events, longest := s.history(b, run.WorkflowID, run.RunID)
		memory := peakMB(b, s.worker)
		thousands := float64(*digestMembers) / 1000
		rate := float64(*digestMembers) / took.Seconds()
		b.ReportMetric(took.Seconds(), "s")
		b.ReportMetric(planning, "s-planning")
		b.ReportMetric(rate, "mails/s")
		b.ReportMetric(memory, "worker-MB")
		b.ReportMetric(float64(runs), "runs")
		b.ReportMetric(float64(longest), "events-longest")
		b.ReportMetric(float64(events)/thousands, "events/1000")
		require.LessOrEqual(b, memory, float64(mostMemoryMB), "MB of the worker")
		require.LessOrEqual(b, longest, int64(mostHistoryEvents), "events of one run")
		require.LessOrEqual(b, float64(events), eventsForAnyone+eventsOfThousand*thousands, "events of all runs")
		if *digestSink > 0 {
			bound := float64(*digestConns) / digestSink.Seconds()
			b.ReportMetric(rate/bound, "of-sink")
			require.GreaterOrEqual(b, rate/bound, leastOfSink, "of the mail server's own bound, %.0f mails a second", bound)
		}
	}
}

// A digestStack is a worker between a database full of members and a mail server.
type digestStack struct {
	db       *dbtest.DB
	temporal client.Client
	sink     *smtptest.Server
	worker   *program
}

func startDigests(b *testing.B, members int) *digestStack {
	b.Helper()
	s := &digestStack{db: dbtest.New(b), sink: smtptest.New(b, smtptest.Config{PerMail: *digestSink, Forget: true})}
	fillMembers(b, s.db, members)
	temporal, where := newNamespace(b)
	s.temporal = temporal
	s.worker = startProgram(b, buildBinary(b), "worker", append(where, "DATABASE_URL="+s.db.URL,
		"SMTP_URL=smtp://"+s.sink.Addr, "SMTP_CONNECTIONS="+strconv.Itoa(*digestConns), "MAIL_RATE=0", "PUBLIC_URL=https://research.example.com")...)
	return s
}

// fillMembers makes workspaces of ten members, each with a hypothesis for which three quotes were found yesterday.
func fillMembers(b *testing.B, d *dbtest.DB, members int) {
	b.Helper()
	c, err := pgx.Connect(b.Context(), d.URL)
	require.NoError(b, err)
	defer func() { _ = c.Close(context.WithoutCancel(b.Context())) }()
	workspaces := (members + membersOfOne - 1) / membersOfOne
	for _, statement := range []struct {
		sql  string
		args []any
	}{
		{`create temporary table m as select n, gen_random_uuid() as id, (n - 1) / $2::int as w from generate_series(1, $1::int) n`, []any{members, membersOfOne}},
		{`create temporary table w as select n, gen_random_uuid() as workspace, gen_random_uuid() as project, gen_random_uuid() as hypothesis from generate_series(0, $1::int - 1) n`, []any{workspaces}},
		{`insert into auth.users (id, email, email_confirmed_at) select id, 'member-' || n || '@example.com', now() from m`, nil},
		{`insert into workspaces (id, name) select workspace, 'Workspace ' || n from w`, nil},
		{`insert into workspace_members (workspace_id, user_id, role) select w.workspace, m.id, 'editor' from m join w on w.n = m.w`, nil},
		{`insert into projects (id, workspace_id, name) select project, workspace, 'Project ' || n from w`, nil},
		{`insert into hypotheses (id, project_id, statement) select hypothesis, project, 'Closing the books takes small companies more than three days because receipts are missing' from w`, nil},
		{`delete from activity_events`, nil},
		{`insert into evidence (project_id, quote, speaker) select project, 'We closed October on the ninth. Four of those days I was writing to people for receipts they swore they had sent.', 'Maya' from w, generate_series(1, 3)`, nil},
		{`insert into evidence_hypotheses (evidence_id, hypothesis_id, stance) select e.id, w.hypothesis, 'supports' from evidence e join w on w.project = e.project_id`, nil},
		{`update activity_events set occurred_at = date_trunc('day', now(), 'UTC') - interval '12 hours'`, nil},
		{`update digest_preferences set frequency = 'daily'`, nil},
		{`vacuum analyze`, nil},
	} {
		_, err := c.Exec(b.Context(), statement.sql, statement.args...)
		require.NoError(b, err, statement.sql)
	}
}

// history counts the runs of a workflow that continued as new, their events, and those of the longest.
func (s *digestStack) history(b *testing.B, workflowID, run string) (runs int, events, longest int64) {
	b.Helper()
	for run != "" {
		is, err := s.temporal.DescribeWorkflowExecution(b.Context(), workflowID, run)
		require.NoError(b, err)
		length := is.WorkflowExecutionInfo.HistoryLength
		runs, events, longest = runs+1, events+length, max(longest, length)
		last := s.temporal.GetWorkflowHistory(b.Context(), workflowID, run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT)
		event, err := last.Next()
		require.NoError(b, err)
		run = event.GetWorkflowExecutionContinuedAsNewEventAttributes().GetNewExecutionRunId()
	}
	return runs, events, longest
}
