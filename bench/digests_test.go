package bench

import (
	"context"
	"flag"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
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
	digestSink    = flag.Duration("digest-sink", 50*time.Millisecond,
		"how long the mail server of BenchmarkDigests takes for a mail")
	digestConns = flag.Int("digest-connections", 4,
		"connections to the mail server; the default is that of SMTP_CONNECTIONS")
	digestWait  = flag.Duration("digest-wait", 30*time.Minute, "how long BenchmarkDigests waits for its run")
	digestKills = flag.Int("digest-kills", 0, "how often the worker of BenchmarkDigests is killed while it "+
		"sends")
)

const (
	// The limits.
	leastOfSink       = 0.7 // of the mails that the mail server could take in that time
	mostMemoryMB      = 256 // resident, of the worker, for any number of members
	mostHistoryEvents = 2000
	eventsForAnyone   = 150 // of a run with few members; the limit per thousand members is added
	eventsOfThousand  = 60
	membersOfOne      = 10
)

// BenchmarkDigests measures a worker that plans and sends a digest to each of many members, in workspaces of
// ten members where evidence was found yesterday. The mail server takes some time for a mail, as real ones
// do, which bounds the rate. A killed worker leaves the mails uncertain that it was sending, and nobody gets
// two.
func BenchmarkDigests(b *testing.B) {
	for range b.N {
		s := startDigests(b, *digestMembers)
		began := time.Now()
		ctx, cancel := context.WithTimeout(b.Context(), *digestWait)
		run, err := temporalclient.New(s.temporal, time.Minute).SendDigests(ctx, workflows.Daily)
		require.NoError(b, err)
		for kill := range *digestKills {
			s.waitForMails(b, (kill+1)**digestMembers/(*digestKills+1))
			s.worker.kill()
			s.startWorker(b)
		}
		working, stop := s.worker.while(ctx)
		result, err := run.Wait(working)
		require.NoError(b, err, context.Cause(working))
		stop()
		cancel()
		took := time.Since(began)

		require.Equal(b, *digestMembers, result.Planned)
		sent, uncertain := s.count(b, "sent"), s.count(b, "uncertain")
		require.Equal(b, *digestMembers, sent+uncertain)
		require.Zero(b, s.repeated.Load(), "nobody gets two mails")
		require.GreaterOrEqual(b, s.sink.Taken(), sent)
		if *digestKills == 0 {
			require.Zero(b, uncertain)
		}
		b.ReportMetric(float64(uncertain), "uncertain")
		planning := dbtest.Value[float64](b, s.db,
			`select extract(epoch from max(created_at) - min(created_at))::float8 from digest_deliveries`)
		runs, events, longest := s.deliveryHistory(b)
		memory := peakMB(b, s.worker)
		thousands := float64(*digestMembers) / 1000
		rate := float64(*digestMembers) / took.Seconds()
		b.ReportMetric(took.Seconds(), "s")
		b.ReportMetric(planning, "s-planning")
		b.ReportMetric(rate, "mails/s")
		b.ReportMetric(float64(*digestMembers), "members")
		b.ReportMetric(float64(*digestKills), "kills")
		b.ReportMetric(memory, "worker-MB")
		b.ReportMetric(mostMemoryMB, "limit-worker-MB")
		b.ReportMetric(float64(runs), "runs")
		b.ReportMetric(float64(longest), "events-longest")
		b.ReportMetric(mostHistoryEvents, "limit-events-longest")
		b.ReportMetric(float64(events)/thousands, "events/1000")
		require.LessOrEqual(b, memory, float64(mostMemoryMB), "MB of the worker")
		require.LessOrEqual(b, longest, int64(mostHistoryEvents), "events of one run")
		require.LessOrEqual(b, float64(events), eventsForAnyone+eventsOfThousand*thousands, "events of all runs")
		if *digestSink > 0 {
			bound := float64(*digestConns) / digestSink.Seconds()
			b.ReportMetric(bound, "sink-mails/s")
			b.ReportMetric(rate/bound, "of-sink")
			b.ReportMetric(leastOfSink, "limit-of-sink")
			require.GreaterOrEqual(b, rate/bound, leastOfSink,
				"share of the mail server's own bound, %.0f mails a second", bound)
		}
	}
}

// A digestStack is a worker between a database full of members and a mail server.
type digestStack struct {
	db       *dbtest.DB
	temporal client.Client
	where    []string // the settings of Temporal
	sink     *smtptest.Server
	worker   *program

	recipients sync.Map
	repeated   atomic.Int64 // mails to a recipient who had one
}

func startDigests(b *testing.B, members int) *digestStack {
	b.Helper()
	s := &digestStack{db: dbtest.New(b)}
	s.sink = smtptest.New(b, smtptest.Config{PerMail: *digestSink, Forget: true, Behave: s.countRecipient})
	fillMembers(b, s.db, members)
	s.temporal, s.where = newNamespace(b)
	s.startWorker(b)
	return s
}

func (s *digestStack) startWorker(b *testing.B) {
	b.Helper()
	s.worker = startProgram(b, "worker", append(slices.Clone(s.where), "DATABASE_URL="+s.db.URL,
		"SMTP_URL=smtp://"+s.sink.Addr, "SMTP_CONNECTIONS="+strconv.Itoa(*digestConns), "MAIL_RATE=0",
		"PUBLIC_URL=https://research.example.com")...)
}

// countRecipient is the behavior of a mail server that accepts everything.
func (s *digestStack) countRecipient(stage smtptest.Stage, recipient string) (reply string) {
	if stage == smtptest.Body {
		if _, seen := s.recipients.LoadOrStore(recipient, true); seen {
			s.repeated.Add(1)
		}
	}
	return ""
}

// waitForMails waits until the mail server has taken a number of mails.
func (s *digestStack) waitForMails(b *testing.B, taken int) {
	b.Helper()
	require.Eventually(b, func() bool { return s.sink.Taken() >= taken }, *digestWait, 10*time.Millisecond)
}

// count returns the number of members whose digest has a status after one attempt.
func (s *digestStack) count(b *testing.B, status string) int {
	b.Helper()
	return dbtest.Value[int](b, s.db, `
		select count(distinct user_id) from digest_deliveries where status = $1 and attempts = 1`, status)
}

// fillMembers makes workspaces of ten members, each with a hypothesis for which three quotes were found
// yesterday.
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
		{`create temporary table m as select n, gen_random_uuid() as id, (n - 1) / $2::int as w
			from generate_series(1, $1::int) n`, []any{members, membersOfOne}},
		{`create temporary table w as select n, gen_random_uuid() as workspace, gen_random_uuid() as project,
			gen_random_uuid() as hypothesis from generate_series(0, $1::int - 1) n`, []any{workspaces}},
		{`insert into auth.users (id, email, email_confirmed_at)
			select id, 'member-' || n || '@example.com', now() from m`, nil},
		{`insert into workspaces (id, name) select workspace, 'Workspace ' || n from w`, nil},
		{`insert into workspace_members (workspace_id, user_id, role)
			select w.workspace, m.id, 'editor' from m join w on w.n = m.w`, nil},
		{`insert into projects (id, workspace_id, name) select project, workspace, 'Project ' || n from w`, nil},
		{`insert into hypotheses (id, project_id, statement) select hypothesis, project,
			'Closing the books takes small companies more than three days because receipts are missing' from w`, nil},
		{`delete from activity_events`, nil},
		{`insert into evidence (project_id, quote, speaker) select project, 'We closed October on the ninth. ' ||
			'Four of those days I was writing to people for receipts they swore they had sent.', 'Maya'
			from w, generate_series(1, 3)`, nil},
		{`insert into evidence_hypotheses (evidence_id, hypothesis_id, stance)
			select e.id, w.hypothesis, 'supports' from evidence e join w on w.project = e.project_id`, nil},
		{`update activity_events set occurred_at = date_trunc('day', now(), 'UTC') - interval '12 hours'`, nil},
		{`update digest_preferences set frequency = 'daily'`, nil},
		{`vacuum analyze`, nil},
	} {
		_, err := c.Exec(b.Context(), statement.sql, statement.args...)
		require.NoError(b, err, statement.sql)
	}
}

// deliveryHistory counts the runs of the workflow that sends digests, their events, and the events of the
// longest one.
func (s *digestStack) deliveryHistory(b *testing.B) (runs int, events, longest int64) {
	b.Helper()
	latest, err := s.temporal.DescribeWorkflowExecution(b.Context(), workflows.DeliverDigestsWorkflowID, "")
	require.NoError(b, err)
	return s.history(b, workflows.DeliverDigestsWorkflowID, latest.WorkflowExecutionInfo.FirstRunId)
}

// history counts the runs of a workflow that continued as new, their events, and the events of the longest
// one.
func (s *digestStack) history(b *testing.B, workflowID, run string) (runs int, events, longest int64) {
	b.Helper()
	for run != "" {
		is, err := s.temporal.DescribeWorkflowExecution(b.Context(), workflowID, run)
		require.NoError(b, err)
		length := is.WorkflowExecutionInfo.HistoryLength
		runs, events, longest = runs+1, events+length, max(longest, length)
		last := s.temporal.GetWorkflowHistory(
			b.Context(), workflowID, run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT)
		event, err := last.Next()
		require.NoError(b, err)
		run = event.GetWorkflowExecutionContinuedAsNewEventAttributes().GetNewExecutionRunId()
	}
	return runs, events, longest
}
