package dev_test

import (
	"flag"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/activities/mail/smtptest"
)

var (
	chaosRecipients = flag.Int("chaos-recipients", 40, "how many members TestChaosDigests mails")
	chaosMailKills  = flag.Int("chaos-mail-kills", 1, "how often TestChaosDigests kills something; the worker, and with every third time another")
)

const (
	chaosPerMail  = 20 * time.Millisecond // of the mail server
	chaosInFlight = 4                     // mails that a worker hands over at once: SMTP_CONNECTIONS
)

// Any process can be killed while digests go out: nobody gets one twice, and whoever gets none is reported as uncertain.
func TestChaosDigests(t *testing.T) {
	t.Parallel()
	kills := *chaosMailKills
	part := func(kill int) int { return (kill + 1) * *chaosRecipients / (kills + 1) }
	held := newGate(part(0))
	office := smtptest.New(t, smtptest.Config{PerMail: chaosPerMail, Behave: held.pass})
	t.Cleanup(func() { held.open(0) })
	s := startServers(t, "SMTP_URL=smtp://"+office.Addr, "SMTP_CONNECTIONS="+strconv.Itoa(chaosInFlight), "MAIL_RATE=0")
	t.Logf("seed %d", *chaosSeed)
	random := rand.New(rand.NewPCG(*chaosSeed, 0))

	tenant := s.db.Tenant(t)
	s.db.Exec(t, `insert into auth.users (id, email, email_confirmed_at) select gen_random_uuid(), 'recipient-' || n || '@example.com', now() from generate_series(1, $1::int) n`, *chaosRecipients)
	s.db.Exec(t, `insert into workspace_members (workspace_id, user_id) select $1, id from auth.users where email like 'recipient-%'`, tenant.Workspace)
	s.db.Exec(t, `update digest_preferences p set frequency = 'daily' from auth.users u where u.id = p.user_id and u.email like 'recipient-%'`)
	s.db.Hypothesis(t, tenant, "Closing the books takes days because receipts are missing")
	s.db.Exec(t, `update activity_events set occurred_at = date_trunc('day', now(), 'UTC') - interval '12 hours'`)

	began := time.Now()
	var requests sync.WaitGroup
	requests.Go(func() { s.post(t, "/api/notifications/digest?frequency=daily", "cron-secret-cron-secret", "", nil) })
	for kill := range kills {
		select {
		case <-held.closed():
		case <-time.After(2 * time.Minute):
			require.Fail(t, "digests hang", s.ends(t))
		}
		victims := []string{"worker"}
		if kill%3 == 2 {
			victims = [][]string{{"postgres"}, {"temporal"}, {"worker", "postgres"}}[random.IntN(3)]
		}
		t.Logf("%s: kill %d, %v, after %d mails", time.Since(began).Round(time.Second), kill+1, victims, office.Taken())
		s.kill(t, victims, random)
		if kill+1 < kills {
			held.open(part(kill + 1))
		} else {
			held.open(0)
		}
	}
	requests.Wait()
	for deadline := time.Now().Add(5 * time.Minute); s.text(t, `select count(*)::text from digest_deliveries where status in ('planned', 'sending')`) != "0"; {
		require.True(t, time.Now().Before(deadline), "digests hang: %s", s.ends(t))
		time.Sleep(100 * time.Millisecond)
	}

	mails := map[string]int{}
	for _, m := range office.Mails() {
		mails[m.To]++
	}
	sent, uncertain := 0, 0
	rows := s.deliveries(t)
	require.Len(t, rows, *chaosRecipients)
	for _, row := range rows {
		switch row.Status {
		case "sent":
			sent++
			require.Equal(t, 1, mails[row.Email], "mails to %s", row.Email)
		case "uncertain":
			uncertain++
			require.LessOrEqual(t, mails[row.Email], 1, "mails to %s", row.Email)
		default:
			require.Failf(t, "an end that nobody expects", "%s: %s", row.Email, row.Status)
		}
		delete(mails, row.Email)
	}
	require.Empty(t, mails, "nobody else got one")
	require.LessOrEqual(t, uncertain, kills*chaosInFlight, "only what was being handed over at a kill is uncertain")
	t.Logf("%d recipients, %d kills of %s in %s: %d sent once, %d uncertain, %d mails taken", *chaosRecipients, kills, s.victims(), time.Since(began).Round(time.Second), sent, uncertain, office.Taken())
}

// A gate lets so many mails pass and then holds back those that come, at the moment when the server has read them and not answered yet: then something is killed.
type gate struct {
	mu       sync.Mutex
	mails    int
	closesAt int // 0: never
	reached  chan struct{}
	opened   chan struct{}
}

func newGate(closesAt int) *gate {
	return &gate{closesAt: closesAt, reached: make(chan struct{}), opened: make(chan struct{})}
}

// pass is the mail server's behavior. Of the mails that were held half are taken, and half are lost with their connections.
func (g *gate) pass(stage smtptest.Stage, _ string) string {
	if stage != smtptest.Body {
		return ""
	}
	g.mu.Lock()
	g.mails++
	n, opened := g.mails, g.opened
	closed := g.closesAt > 0 && n >= g.closesAt
	if n == g.closesAt {
		close(g.reached)
	}
	g.mu.Unlock()
	if !closed {
		return ""
	}
	<-opened
	if n%2 == 0 {
		return smtptest.Drop
	}
	return ""
}

func (g *gate) closed() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.reached
}

// open lets pass what was held, and all up to the next number.
func (g *gate) open(closesAt int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.opened)
	g.closesAt, g.reached, g.opened = closesAt, make(chan struct{}), make(chan struct{})
}

func (s *servers) ends(t *testing.T) string {
	t.Helper()
	return s.text(t, `select coalesce(string_agg(concat_ws(' ', status, reason, n), ', '), '') from (select status, reason, count(*) as n from digest_deliveries group by 1, 2) x`)
}

// A deliveryRow is what became of one recipient's digest.
type deliveryRow struct{ Email, Status string }

func (s *servers) deliveries(t *testing.T) (all []deliveryRow) {
	t.Helper()
	s.db.AsOwner(t, func(c *pgx.Conn) {
		rows, err := c.Query(t.Context(), `select u.email, d.status::text as status from digest_deliveries d join auth.users u on u.id = d.user_id`)
		require.NoError(t, err)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByName[deliveryRow])
		require.NoError(t, err)
	})
	return all
}
