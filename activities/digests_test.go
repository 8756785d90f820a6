package activities_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"research/activities"
	"research/activities/digest"
	"research/activities/mail"
	"research/db"
	"research/db/dbtest"
)

const publicURL = "https://research.example.com"

// A fakeSender keeps the mails that it is given, unless refuse returns an error.
type fakeSender struct {
	refuse func(m mail.Message) error

	mu    sync.Mutex
	mails []mail.Message
}

func (s *fakeSender) MessageID(id string) string { return id + "@test" }

func (s *fakeSender) Send(_ context.Context, m mail.Message) error {
	if s.refuse != nil {
		if err := s.refuse(m); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mails = append(s.mails, m)
	return nil
}

func (s *fakeSender) mailsTo(address string) []mail.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.mails), func(m mail.Message) bool { return m.To != address })
}

// A fakeDelivery counts how often the workflow that sends digests was started.
type fakeDelivery struct {
	mu      sync.Mutex
	started []activities.DigestMark
}

func (d *fakeDelivery) DeliverDigests(_ context.Context, seen activities.DigestMark) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.started = append(d.started, seen)
	return nil
}

// An endCounter counts the deliveries that ended, by status.
type endCounter struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *endCounter) add(_ context.Context, status string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	c.counts[status] += n
}

// A digestFixture is a database with a tenant whose four members have daily digests, and the activities.
type digestFixture struct {
	*dbtest.DB
	dbtest.Tenant
	activities *activities.Digests
	sender     *fakeSender
	delivery   fakeDelivery
	ended      endCounter
	now        time.Time // of the database when the test began; midnight may pass during the test
}

func newDigestFixture(t *testing.T, change ...func(*activities.DigestConfig)) *digestFixture {
	t.Helper()
	f := &digestFixture{DB: dbtest.New(t), sender: &fakeSender{}}
	f.Tenant = f.DB.Tenant(t)
	f.now = dbtest.Value[time.Time](t, f.DB, `select now()`)
	cfg := activities.DigestConfig{PublicURL: publicURL, Concurrency: 4, Ended: f.ended.add}
	for _, c := range change {
		c(&cfg)
	}
	var err error
	f.activities, err = activities.NewDigests(f.Store, f.sender, &f.delivery, cfg, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	f.forgetEvents(t)
	f.setFrequency(t, "daily", f.Owner, f.Admin, f.Editor, f.Viewer)
	return f
}

func (f *digestFixture) setFrequency(t *testing.T, frequency string, users ...uuid.UUID) {
	t.Helper()
	f.Exec(t, `update digest_preferences set frequency = $1::digest_setting
		where user_id = any ($2)`, frequency, users)
}

// setHourToNow makes digests due at the beginning of this hour, so that those of today do not expire during
// the test.
func (f *digestFixture) setHourToNow(t *testing.T) {
	t.Helper()
	f.Exec(t, `update digest_preferences
		set hour = extract(hour from $1::timestamptz at time zone 'UTC')`, f.now)
}

// setCreatedAt sets when all accounts were created, without the trigger that keeps the time. No tick has seen
// them since.
func (f *digestFixture) setCreatedAt(t *testing.T, day string) {
	t.Helper()
	f.Exec(t, `set session_replication_role = replica; update digest_preferences set created_at = '`+day+`'`)
	f.Exec(t, `update private.digest_schedule set next_due_at = '-infinity'`)
}

// forgetEvents moves all events out of the tested periods.
func (f *digestFixture) forgetEvents(t *testing.T) {
	t.Helper()
	f.Exec(t, `update activity_events set occurred_at = now() - interval '30 days'`)
	for _, table := range counted {
		f.Exec(t, "update "+table+" set counted_at = now() - interval '30 days'")
	}
}

// moveEvents moves the events of the last day to the given time.
func (f *digestFixture) moveEvents(t *testing.T, to string) {
	t.Helper()
	f.Exec(t, `update activity_events set occurred_at = $1::timestamptz
		where occurred_at > now() - interval '1 day'`, to)
}

// moveEventsToYesterday moves the events of today to noon of yesterday.
func (f *digestFixture) moveEventsToYesterday(t *testing.T) {
	t.Helper()
	f.Exec(t, `update activity_events
		set occurred_at = date_trunc('day', $1::timestamptz, 'UTC') - interval '12 hours'
		where occurred_at > date_trunc('day', $1::timestamptz, 'UTC')`, f.now)
	for _, table := range counted {
		f.Exec(t, `update `+table+` set counted_at = date_trunc('day', $1::timestamptz, 'UTC') - interval '12 hours'
			where counted_at > date_trunc('day', $1::timestamptz, 'UTC')`, f.now)
	}
}

// counted are the tables whose rows keep since when they count for a hypothesis.
var counted = []string{"evidence", "evidence_hypotheses", "import_speakers"}

// insert executes a statement as a user, or as the service for uuid.Nil, and returns the id of its row.
func (f *digestFixture) insert(t *testing.T, user uuid.UUID, sql string, args ...any) uuid.UUID {
	t.Helper()
	role := "authenticated"
	if user == uuid.Nil {
		role = "service_role"
	}
	claims := fmt.Sprintf(`{"sub":%q,"role":%q}`, user, role)
	var id uuid.UUID
	f.AsOwner(t, func(c *pgx.Conn) {
		require.NoError(t, pgx.BeginFunc(t.Context(), c, func(tx pgx.Tx) error {
			const become = `select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)`
			if _, err := tx.Exec(t.Context(), become, role, claims); err != nil {
				return err
			}
			return tx.QueryRow(t.Context(), sql+" returning id", args...).Scan(&id)
		}))
	})
	return id
}

func (f *digestFixture) addEvidence(
	t *testing.T, user, hypothesis uuid.UUID, stance, quote string,
) uuid.UUID {
	t.Helper()
	id := f.insert(t, user, `insert into evidence (project_id, quote, speaker)
		values ($1, $2, 'Maya')`, f.Project, quote)
	f.Exec(t, `insert into evidence_hypotheses (evidence_id, hypothesis_id, stance)
		values ($1, $2, $3::evidence_stance)`, id, hypothesis, stance)
	return id
}

func (f *digestFixture) environment() *testsuite.TestActivityEnvironment {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	activities.Register(env, activities.Deps{Digests: f.activities})
	return env
}

// plan plans the digests that are due at in.At or, if it is zero, those of everyone's last closed period. It
// calls the activity until no member is left, as the workflow does.
func (f *digestFixture) plan(t *testing.T, in activities.PlanDigestsInput) activities.PlanDigestsResult {
	t.Helper()
	if in.Frequency == "" {
		in.Frequency = "daily"
	}
	if in.At.IsZero() {
		in.At, in.Everyone = f.now, true
	}
	if in.Now.IsZero() {
		in.Now = in.At
	}
	var total activities.PlanDigestsResult
	for !total.Done {
		value, err := f.environment().ExecuteActivity(f.activities.PlanDigests, in)
		require.NoError(t, err)
		var result activities.PlanDigestsResult
		require.NoError(t, value.Get(&result))
		total.Members, total.Planned = total.Members+result.Members, total.Planned+result.Planned
		total.Next, total.Done = result.Next, result.Done
		in.After = result.Next
	}
	return total
}

// planHourly plans at every hour between two times and returns the hours at which digests were planned, which
// count as sent.
func (f *digestFixture) planHourly(t *testing.T, from, until string) map[string]int {
	t.Helper()
	at, err := time.Parse(time.RFC3339, from)
	require.NoError(t, err)
	end, err := time.Parse(time.RFC3339, until)
	require.NoError(t, err)
	planned := map[string]int{}
	for ; at.Before(end); at = at.Add(time.Hour) {
		if n := f.plan(t, activities.PlanDigestsInput{At: at}).Planned; n > 0 {
			planned[at.Format("2006-01-02 15:04")] = n
			f.Exec(t, `update digest_deliveries set status = 'sent' where status = 'planned'`)
		}
	}
	return planned
}

func (f *digestFixture) deliver(t *testing.T) {
	t.Helper()
	require.NoError(t, f.deliverInRun("run"))
}

// deliverInRun delivers every shard by activities of a run, until nothing is due.
func (f *digestFixture) deliverInRun(run string) error {
	for shard := range 4 {
		for done := false; !done; {
			result, err := f.deliverShard(activities.DeliverDigestShardInput{RunID: run, Shard: shard})
			if err != nil {
				return err
			}
			done = result.Done || result.Held
		}
	}
	return nil
}

func (f *digestFixture) deliverShard(
	in activities.DeliverDigestShardInput,
) (result activities.DeliverDigestShardResult, err error) {
	value, err := f.environment().ExecuteActivity(f.activities.DeliverDigestShard, in)
	if err != nil {
		return result, err
	}
	return result, value.Get(&result)
}

func (f *digestFixture) begin(t *testing.T) {
	t.Helper()
	_, err := f.environment().ExecuteActivity(f.activities.BeginDigests,
		activities.BeginDigestsInput{Frequency: "daily"})
	require.NoError(t, err)
}

// await counts the deliveries of a request.
func (f *digestFixture) await(t *testing.T, run string) activities.AwaitDigestsResult {
	t.Helper()
	in := activities.AwaitDigestsInput{RunID: run}
	value, err := f.environment().ExecuteActivity(f.activities.AwaitDigests, in)
	require.NoError(t, err)
	var result activities.AwaitDigestsResult
	require.NoError(t, value.Get(&result))
	return result
}

// countStatus counts the deliveries with a status.
func (f *digestFixture) countStatus(t *testing.T, status string) int {
	t.Helper()
	return dbtest.Value[int](t, f.DB, `select count(*) from digest_deliveries where status::text = $1`, status)
}

func (f *digestFixture) address(t *testing.T, user uuid.UUID) string {
	t.Helper()
	return dbtest.Value[string](t, f.DB, `select email from auth.users where id = $1`, user)
}

// status returns the status and reason of a user's digest: "sent", "skipped unsubscribed". It is empty
// without a digest.
func (f *digestFixture) status(t *testing.T, user uuid.UUID) string {
	t.Helper()
	return dbtest.Value[string](t, f.DB, `select coalesce(string_agg(concat_ws(' ', status, reason), ', '), '')
		from digest_deliveries where user_id = $1`, user)
}

// periods returns the periods of the digests of one or more users.
func (f *digestFixture) periods(t *testing.T, users ...uuid.UUID) []string {
	t.Helper()
	return dbtest.Value[[]string](t, f.DB, `select array_agg(distinct period order by period)
		from digest_deliveries where user_id = any ($1)`, users)
}

func (f *digestFixture) preview(t *testing.T, user uuid.UUID) digest.Preview {
	t.Helper()
	preview, err := activities.PreviewDigest(
		t.Context(), f.Store, publicURL, user.String(), db.DigestFrequencyDaily, f.now)
	require.NoError(t, err)
	return preview
}
