package e2e

import (
	"flag"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/activities/mail/smtptest"
)

// `make chaos` sets these higher.
var (
	chaosRecipients = flag.Int("chaos-recipients", 40, "how many members TestChaosDigests mails")
	chaosMailKills  = flag.Int("chaos-mail-kills", 1,
		"how often TestChaosDigests kills the worker; every third time it kills another part, or one more")
)

const (
	chaosMailTime     = 20 * time.Millisecond // that the mail server takes for a mail
	chaosMailInFlight = 4                     // SMTP_CONNECTIONS: mails that are handed over at the same time
)

// Any process may be killed while digests are sent. Nobody gets a digest twice, and a member who may have got
// none is reported as uncertain.
func TestChaosDigests(t *testing.T) {
	t.Parallel()
	recipients, kills := *chaosRecipients, *chaosMailKills
	mailsAtKill := func(kill int) int { return (kill + 1) * recipients / (kills + 1) }
	gate := newMailGate(mailsAtKill(0))
	server := smtptest.New(t, smtptest.Config{PerMail: chaosMailTime, Behave: gate.behave})
	t.Cleanup(func() { gate.openUntil(never) })
	in := startInstallation(t, "SMTP_URL=smtp://"+server.Addr,
		"SMTP_CONNECTIONS="+strconv.Itoa(chaosMailInFlight), "MAIL_RATE=0")
	chaos := newChaos(t, in)
	in.addRecipients(t, recipients)

	began := time.Now()
	var requests sync.WaitGroup
	requests.Go(func() { in.post(t, "/api/notifications/digest?frequency=daily", cronSecret, "", nil) })
	for kill := range kills {
		select {
		case <-gate.reached():
		case <-time.After(2 * time.Minute):
			require.Fail(t, "digests hang", in.deliveryCounts(t))
		}
		parts := []string{"worker"}
		if kill%3 == 2 {
			parts = [][]string{{"postgres"}, {"temporal"}, {"worker", "postgres"}}[chaos.random.IntN(3)]
		}
		t.Logf("%s: kill %d, %v, after %d mails",
			time.Since(began).Round(time.Second), kill+1, parts, server.Taken())
		chaos.kill(t, parts)
		if kill+1 < kills {
			gate.openUntil(mailsAtKill(kill + 1))
		} else {
			gate.openUntil(never)
		}
	}
	requests.Wait()
	open := `select count(*)::text from digest_deliveries where status in ('planned', 'sending')`
	require.Eventually(t, func() bool { return in.query(t, open) == "0" }, 5*time.Minute, 100*time.Millisecond,
		"digests hang")

	mails := map[string]int{}
	for _, m := range server.Mails() {
		mails[m.To]++
	}
	sent, uncertain := 0, 0
	deliveries := in.deliveries(t)
	require.Len(t, deliveries, recipients)
	for _, d := range deliveries {
		switch d.Status {
		case "sent":
			sent++
			require.Equal(t, 1, mails[d.Email], "mails to %s", d.Email)
		case "uncertain":
			uncertain++
			require.LessOrEqual(t, mails[d.Email], 1, "mails to %s", d.Email)
		default:
			require.Failf(t, "an unexpected end", "%s: %s", d.Email, d.Status)
		}
		delete(mails, d.Email)
	}
	require.Empty(t, mails, "mails to others")
	require.LessOrEqual(t, uncertain, kills*chaosMailInFlight,
		"only mails that were handed over at a kill are uncertain")
	t.Logf("%d recipients, %d kills of %s in %s: %d sent once, %d uncertain, %d mails taken", recipients, kills,
		chaos.summary(), time.Since(began).Round(time.Second), sent, uncertain, server.Taken())
}

// addRecipients adds members of a workspace whose digest of yesterday is due.
func (in *installation) addRecipients(t *testing.T, n int) {
	t.Helper()
	tenant := in.db.Tenant(t)
	in.db.Exec(t, `insert into auth.users (id, email, email_confirmed_at)
		select gen_random_uuid(), 'recipient-' || n || '@example.com', now() from generate_series(1, $1::int) n`, n)
	in.db.Exec(t, `insert into workspace_members (workspace_id, user_id)
		select $1, id from auth.users where email like 'recipient-%'`, tenant.Workspace)
	zone := noonZone(time.Now())
	in.db.Exec(t, `update digest_preferences p set frequency = 'daily', timezone = $1
		from auth.users u where u.id = p.user_id and u.email like 'recipient-%'`, zone)
	in.db.Hypothesis(t, tenant, "Closing the books takes days because receipts are missing")
	in.db.Exec(t, `update activity_events
		set occurred_at = date_trunc('day', now(), $1) - interval '12 hours'`, zone)
}

// never is the number of a mail at which a mailGate does not close.
const never = 0

// A mailGate passes mails until it closes. From then on it holds each mail at the moment when the server has
// read it and has not answered yet: that is when a test kills a part.
type mailGate struct {
	mu       sync.Mutex
	mails    int
	closesAt int
	closed   chan struct{} // closed when the gate closes
	opened   chan struct{} // closed when the gate opens again
}

func newMailGate(closesAt int) *mailGate {
	return &mailGate{closesAt: closesAt, closed: make(chan struct{}), opened: make(chan struct{})}
}

// behave is the mail server's behavior. Half of the mails that were held are taken, the other half are lost
// with their connections.
func (g *mailGate) behave(stage smtptest.Stage, _ string) string {
	if stage != smtptest.Body {
		return ""
	}
	g.mu.Lock()
	g.mails++
	n, opened := g.mails, g.opened
	held := g.closesAt != never && n >= g.closesAt
	if n == g.closesAt {
		close(g.closed)
	}
	g.mu.Unlock()
	if !held {
		return ""
	}
	<-opened
	if n%2 == 0 {
		return smtptest.Drop
	}
	return ""
}

// reached returns a channel that is closed when the gate closes.
func (g *mailGate) reached() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// openUntil opens the gate. It closes again at the mail of this number.
func (g *mailGate) openUntil(closesAt int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.opened)
	g.closesAt, g.closed, g.opened = closesAt, make(chan struct{}), make(chan struct{})
}

// deliveryCounts counts the deliveries by status and reason.
func (in *installation) deliveryCounts(t *testing.T) string {
	t.Helper()
	return in.query(t, `select coalesce(string_agg(concat_ws(' ', status, reason, n), ', '), '')
		from (select status, reason, count(*) as n from digest_deliveries group by 1, 2) x`)
}

// A delivery is a recipient's digest and its outcome.
type delivery struct{ Email, Status string }

func (in *installation) deliveries(t *testing.T) (all []delivery) {
	t.Helper()
	in.db.AsOwner(t, func(c *pgx.Conn) {
		rows, err := c.Query(t.Context(), `select u.email, d.status::text as status
			from digest_deliveries d join auth.users u on u.id = d.user_id`)
		require.NoError(t, err)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByName[delivery])
		require.NoError(t, err)
	})
	return all
}
