package activities_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities"
	"research/activities/mail"
	"research/db/dbtest"
)

// newPlannedFixture returns a fixture in which a digest is planned for each of the four members.
func newPlannedFixture(t *testing.T, change ...func(*activities.DigestConfig)) *digestFixture {
	t.Helper()
	f := newDigestFixture(t, change...)
	f.Hypothesis(t, f.Tenant, "It matters")
	f.moveEventsToYesterday(t)
	require.Equal(t, 4, f.plan(t, activities.PlanDigestsInput{}).Planned)
	return f
}

// refuse makes the mail server answer mails to an address with an error.
func (f *digestFixture) refuse(address string, err error) {
	f.sender.refuse = func(m mail.Message) error {
		if m.To == address {
			return err
		}
		return nil
	}
}

func (f *digestFixture) acceptAll() { f.sender.refuse = nil }

func (f *digestFixture) attempts(t *testing.T, user uuid.UUID) int {
	t.Helper()
	return dbtest.Value[int](t, f.DB, `select attempts from digest_deliveries where user_id = $1`, user)
}

func TestDeliverDigests(t *testing.T) {
	t.Parallel()

	t.Run("sends each digest once, however many runs deliver", func(t *testing.T) {
		t.Parallel()
		f := newPlannedFixture(t)
		var runs sync.WaitGroup
		for i := range 4 {
			runs.Go(func() {
				if err := f.deliverInRun(fmt.Sprintf("run-%d", i)); err != nil {
					t.Error(err)
				}
			})
		}
		runs.Wait()
		for _, user := range []uuid.UUID{f.Owner, f.Admin, f.Editor, f.Viewer} {
			require.Len(t, f.sender.mailsTo(f.address(t, user)), 1)
			require.Equal(t, "sent", f.status(t, user))
		}
		id := dbtest.Value[string](t, f.DB, `
			select id::text from digest_deliveries
			where user_id = $1 and message_id = 'digest.' || id || '@test' and attempts = 1
				and sent_at is not null`, f.Viewer)
		require.Equal(t, "digest."+id, f.sender.mailsTo(f.address(t, f.Viewer))[0].ID)
		require.Zero(t, f.plan(t, activities.PlanDigestsInput{}).Planned)
		require.Equal(t, map[string]int{"sent": 4}, f.ended.counts)
	})

	t.Run("tries a temporary refusal again later, for that recipient only", func(t *testing.T) {
		t.Parallel()
		f := newPlannedFixture(t)
		f.refuse(f.address(t, f.Viewer), &mail.TemporaryError{Code: 451})
		f.deliver(t)
		require.Equal(t, "planned refused_451", f.status(t, f.Viewer))
		require.Equal(t, "sent", f.status(t, f.Editor))
		f.deliver(t)
		require.Equal(t, 1, f.attempts(t, f.Viewer), "it is too early for the next attempt")
		require.True(t, dbtest.Value[bool](t, f.DB, `
			select next_attempt_at >= claimed_at + interval '5 minutes'
			from digest_deliveries where user_id = $1`, f.Viewer))
		require.Equal(t, 3, f.countStatus(t, "sent"))
		nextAttempt := dbtest.Value[time.Time](t, f.DB,
			`select next_attempt_at from digest_deliveries where user_id = $1`, f.Viewer)
		shard := dbtest.Value[int](t, f.DB,
			`select private.digest_shard(id) from digest_deliveries where user_id = $1`, f.Viewer)
		for i := range 4 {
			result, err := f.deliverShard(activities.DeliverDigestShardInput{RunID: "run", Shard: i})
			require.NoError(t, err)
			require.True(t, result.Done)
			if i == shard {
				require.True(t, nextAttempt.Equal(result.NextAt), "%s", result.NextAt)
			} else {
				require.Zero(t, result.NextAt)
			}
		}

		f.Exec(t, `update digest_deliveries set next_attempt_at = now()`)
		f.acceptAll()
		f.deliver(t)
		require.Equal(t, "sent", f.status(t, f.Viewer))
		require.Equal(t, 2, f.attempts(t, f.Viewer))
		require.Equal(t, map[string]int{"sent": 4}, f.ended.counts, "a delivery that is tried again has not ended")
	})

	t.Run("stops trying when the next digest is due", func(t *testing.T) {
		t.Parallel()
		f := newPlannedFixture(t)
		f.refuse(f.address(t, f.Viewer), &mail.TemporaryError{Code: 451, Reply: "4.7.1 greylisted"})
		f.deliver(t)
		f.Exec(t, `update digest_deliveries set next_attempt_at = now(), expires_at = now()
			where user_id = $1`, f.Viewer)
		f.acceptAll()
		f.deliver(t)
		f.begin(t)
		require.Equal(t, "failed expired after refused_451: 4.7.1 greylisted", f.status(t, f.Viewer))
		require.Empty(t, f.sender.mailsTo(f.address(t, f.Viewer)))
		require.Equal(t, map[string]int{"sent": 3, "failed": 1}, f.ended.counts)
	})

	t.Run("quotes the server in the reason", func(t *testing.T) {
		t.Parallel()
		f := newPlannedFixture(t)
		f.refuse(f.address(t, f.Viewer), &mail.PermanentError{Code: 550, Reply: "5.1.1 <[address]>: no such user"})
		f.deliver(t)
		require.Equal(t, "failed refused_550: 5.1.1 <[address]>: no such user", f.status(t, f.Viewer))
	})

	t.Run("keeps what a relay reported when the relay accepts another mail", func(t *testing.T) {
		t.Parallel()
		f := newPlannedFixture(t)
		f.Exec(t, `insert into private.mail_refusals (address, code, refusals, bounces, bounced_at)
			values (lower($1), 550, 1, 2, now())`, f.address(t, f.Viewer))
		f.deliver(t)
		require.Equal(t, "sent", f.status(t, f.Viewer))
		counts := `select concat_ws(' ', refusals, bounces) from private.mail_refusals`
		require.Equal(t, "0 2", dbtest.Value[string](t, f.DB, counts))
	})

	t.Run("suppresses an address after three permanent refusals in a row", func(t *testing.T) {
		t.Parallel()
		f := newPlannedFixture(t)
		address := f.address(t, f.Viewer)
		f.refuse(address, &mail.PermanentError{Code: 550})
		for i := range 3 {
			f.deliver(t)
			require.Equal(t, "failed refused_550", f.status(t, f.Viewer), "it is not tried again")
			suppressed := dbtest.Value[bool](t, f.DB,
				`select suppressed_at is not null from private.mail_refusals where address = $1`, address)
			require.Equal(t, i == 2, suppressed)
			// As if the next period had come.
			f.Exec(t, `update digest_deliveries set status = 'planned', reason = null where user_id = $1`, f.Viewer)
		}
		f.acceptAll()
		f.deliver(t)
		require.Equal(t, "skipped suppressed", f.status(t, f.Viewer))
	})

	t.Run("clears the refusals of an address that accepts a mail", func(t *testing.T) {
		t.Parallel()
		f := newPlannedFixture(t)
		f.Exec(t, `insert into private.mail_refusals (address, code, refusals)
			select lower(email), 550, 2 from auth.users`)
		f.deliver(t)
		require.Zero(t, dbtest.Value[int](t, f.DB, `
			select count(*) from private.mail_refusals
			where address in (select lower(u.email) from auth.users u join digest_deliveries d on d.user_id = u.id)`))
	})

	t.Run("does not send again what may have been accepted", func(t *testing.T) {
		t.Parallel()
		f := newPlannedFixture(t)
		f.refuse(f.address(t, f.Viewer), mail.ErrUncertain)
		f.deliver(t)
		f.acceptAll()
		f.deliver(t)
		require.Equal(t, "uncertain connection_lost", f.status(t, f.Viewer))
		require.Zero(t, f.plan(t, activities.PlanDigestsInput{}).Planned)
		require.Empty(t, f.sender.mailsTo(f.address(t, f.Viewer)))
	})

	t.Run("counts no attempt while the mail server is unavailable", func(t *testing.T) {
		t.Parallel()
		f := newPlannedFixture(t)
		f.sender.refuse = func(mail.Message) error { return mail.ErrUnavailable }
		require.ErrorContains(t, f.deliverInRun("run"), "the mail server did not accept the mail")
		for _, user := range []uuid.UUID{f.Owner, f.Admin, f.Editor, f.Viewer} {
			require.Equal(t, "planned", f.status(t, user))
			require.Zero(t, f.attempts(t, user))
		}
		f.acceptAll()
		f.deliver(t)
		require.Equal(t, "sent", f.status(t, f.Viewer))
	})

	t.Run("marks the mails of a lost worker uncertain, until it reports their result", func(t *testing.T) {
		t.Parallel()
		f := newPlannedFixture(t)
		sending, release := make(chan struct{}), make(chan struct{})
		address := f.address(t, f.Viewer)
		f.sender.refuse = func(m mail.Message) error {
			if m.To == address {
				close(sending)
				<-release
			}
			return nil
		}
		var lostWorker sync.WaitGroup
		lostWorker.Go(func() {
			if err := f.deliverInRun("run"); err != nil {
				t.Error(err)
			}
		})
		<-sending
		shard := dbtest.Value[int](t, f.DB,
			`select private.digest_shard(id) from digest_deliveries where user_id = $1`, f.Viewer)
		require.Eventually(t, func() bool {
			return dbtest.Value[int](t, f.DB, `select count(*) from digest_deliveries
				where private.digest_shard(id) = $1 and status <> 'sent'`, shard) == 1
		}, time.Minute, 10*time.Millisecond, "the other mails, which the next attempt would mark uncertain as well")
		require.Equal(t, "sending", f.status(t, f.Viewer))
		f.deliver(t) // the next attempt of the same run
		require.Equal(t, "uncertain worker_lost", f.status(t, f.Viewer))
		close(release)
		lostWorker.Wait()
		require.Equal(t, "sent", f.status(t, f.Viewer))
		require.Len(t, f.sender.mailsTo(address), 1)
		require.Equal(t, map[string]int{"sent": 4, "uncertain": 1}, f.ended.counts)
	})

	t.Run("marks the mails of a vanished run uncertain after a quarter of an hour", func(t *testing.T) {
		t.Parallel()
		f := newPlannedFixture(t)
		f.Exec(t, `update digest_deliveries
			set status = 'sending', run_id = 'gone', claimed_at = now() - interval '5 minutes'`)
		f.begin(t)
		require.Equal(t, "sending", f.status(t, f.Viewer))
		f.Exec(t, `update digest_deliveries set claimed_at = now() - interval '20 minutes'`)
		f.begin(t)
		require.Equal(t, "uncertain worker_lost", f.status(t, f.Viewer))
	})

	t.Run("skips a digest whose news no longer exists", func(t *testing.T) {
		t.Parallel()
		f := newPlannedFixture(t)
		f.Exec(t, `delete from hypotheses`)
		f.deliver(t)
		require.Equal(t, "skipped nothing_new", f.status(t, f.Viewer))
		require.Empty(t, f.sender.mails)
	})

	t.Run("reserves a slot for each mail if there is a rate", func(t *testing.T) {
		t.Parallel()
		f := newPlannedFixture(t, func(c *activities.DigestConfig) { c.Rate = 20 })
		f.Exec(t, `update private.mail_pace set next_at = '2000-01-01'`)
		began := dbtest.Value[time.Time](t, f.DB, `select clock_timestamp()`)
		f.deliver(t)
		require.Len(t, f.sender.mails, 4)
		next := dbtest.Value[time.Time](t, f.DB, `select next_at from private.mail_pace`)
		require.False(t, next.Before(began.Add(200*time.Millisecond)),
			"four mails take a twentieth of a second each: %s, %s", began, next)
	})
}
