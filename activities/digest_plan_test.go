package activities_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/activities"
	"research/db/dbtest"
)

func TestPlanDigests(t *testing.T) {
	t.Parallel()

	t.Run("plans each member once, at the member's own hour", func(t *testing.T) {
		t.Parallel()
		f := newDigestFixture(t)
		h := f.Hypothesis(t, f.Tenant, "It matters")
		f.addEvidence(t, uuid.Nil, h, "supports", "A quote")
		f.moveEvents(t, "2026-03-28T12:00:00Z") // the day before Berlin's clocks go forward
		f.Exec(t, `update digest_preferences set timezone = 'Europe/Berlin', hour = 8`)
		f.setCreatedAt(t, "2026-01-01")
		f.Exec(t, `update digest_preferences set timezone = 'America/New_York' where user_id = $1`, f.Viewer)
		f.Exec(t, `update digest_preferences set timezone = 'Asia/Kolkata' where user_id = $1`, f.Admin)
		require.Equal(t, map[string]int{
			"2026-03-29 03:00": 1, // half past eight in Kolkata
			"2026-03-29 06:00": 2, // eight in Berlin, by the new clock
			"2026-03-29 12:00": 1, // eight in New York
		}, f.planHourly(t, "2026-03-28T00:00:00Z", "2026-03-31T00:00:00Z"))
		require.Equal(t, []string{"2026-03-28"}, f.periods(t, f.Owner, f.Admin, f.Editor, f.Viewer))
		require.True(t, dbtest.Value[bool](t, f.DB, `
			select window_start = '2026-03-28T00:00+01' and window_end = '2026-03-29T00:00+01'
			from digest_deliveries where user_id = $1`, f.Editor))
	})

	t.Run("makes up for a missed tick unless the next digest is due", func(t *testing.T) {
		t.Parallel()
		f := newDigestFixture(t)
		f.Hypothesis(t, f.Tenant, "It matters")
		f.moveEvents(t, "2026-03-28T12:00:00Z")
		f.Exec(t, `update digest_preferences set hour = 8`)
		f.setCreatedAt(t, "2026-01-01")
		late := time.Date(2026, 3, 30, 7, 0, 0, 0, time.UTC) // due since 29 March, 8:00
		expired := activities.PlanDigestsInput{At: late, Now: late.Add(2 * time.Hour)}
		require.Zero(t, f.plan(t, expired).Planned, "the next day's digest is due")
		f.setCreatedAt(t, "2026-01-01")
		require.Equal(t, 4, f.plan(t, activities.PlanDigestsInput{At: late}).Planned)
	})

	t.Run("reads a member once in a period, with news or without", func(t *testing.T) {
		t.Parallel()
		f := newDigestFixture(t)
		f.Exec(t, `update digest_preferences set hour = 8`)
		f.setCreatedAt(t, "2026-01-01")
		f.setFrequency(t, "weekly", f.Admin)
		f.setFrequency(t, "off", f.Viewer)
		members := func(at string) int {
			tick, err := time.Parse(time.RFC3339, at)
			require.NoError(t, err)
			return f.plan(t, activities.PlanDigestsInput{At: tick}).Members
		}
		require.Equal(t, 2, members("2026-03-28T07:00:00Z"), "the schedule is not known yet")
		require.Zero(t, members("2026-03-28T07:00:00Z"))
		require.Equal(t, 2, members("2026-03-28T08:00:00Z"))
		for _, hour := range []string{"09", "12", "18", "23"} {
			require.Zero(t, members("2026-03-28T"+hour+":00:00Z"))
		}
		require.Zero(t, members("2026-03-29T07:00:00Z"))
		require.Equal(t, 2, members("2026-03-29T08:00:00Z"))
	})

	t.Run("reads a member again after a change of the preferences", func(t *testing.T) {
		t.Parallel()
		for _, change := range []string{
			`hour = 9`, `timezone = 'Asia/Kathmandu'`, `weekday = 3`,
		} {
			f := newDigestFixture(t)
			require.Equal(t, 4, f.plan(t, activities.PlanDigestsInput{At: f.now}).Members)
			f.Exec(t, `update digest_preferences set `+change+` where user_id = $1`, f.Viewer)
			require.Equal(t, 1, f.plan(t, activities.PlanDigestsInput{At: f.now}).Members, change)
		}
		f := newDigestFixture(t)
		require.Equal(t, 4, f.plan(t, activities.PlanDigestsInput{At: f.now}).Members)
		f.Exec(t, `update digest_preferences set paused_until = now() + interval '1 day', hour = hour`)
		planned := f.plan(t, activities.PlanDigestsInput{At: f.now})
		require.Zero(t, planned.Members, "a pause is checked when it is due")
		f.setFrequency(t, "weekly", f.Viewer)
		require.Equal(t, 1, f.plan(t, activities.PlanDigestsInput{Frequency: "weekly", At: f.now}).Members)
	})

	t.Run("leaves a member whose preferences change now to the next tick", func(t *testing.T) {
		t.Parallel()
		f := newDigestFixture(t)
		f.AsOwner(t, func(c *pgx.Conn) {
			tx, err := c.Begin(t.Context())
			require.NoError(t, err)
			_, err = tx.Exec(t.Context(), `update digest_preferences set hour = 9 where user_id = $1`, f.Viewer)
			require.NoError(t, err)
			require.Equal(t, 3, f.plan(t, activities.PlanDigestsInput{At: f.now}).Members)
			require.NoError(t, tx.Commit(t.Context()))
		})
		require.Equal(t, 1, f.plan(t, activities.PlanDigestsInput{At: f.now}).Members)
	})

	t.Run("plans the next digest for a member who joined after the due time", func(t *testing.T) {
		t.Parallel()
		f := newDigestFixture(t)
		f.Hypothesis(t, f.Tenant, "It matters")
		f.moveEventsToYesterday(t)
		f.Exec(t, `update digest_preferences set hour = 0`)
		require.Zero(t, f.plan(t, activities.PlanDigestsInput{At: f.now}).Planned)
		f.setCreatedAt(t, "2026-01-01")
		require.Equal(t, 4, f.plan(t, activities.PlanDigestsInput{At: f.now}).Planned)
	})

	t.Run("begins after a pause with the digest of the day on which it ends", func(t *testing.T) {
		t.Parallel()
		f := newDigestFixture(t)
		f.Hypothesis(t, f.Tenant, "It matters")
		f.moveEvents(t, "2025-03-27T12:00:00Z")
		f.Exec(t, `
			insert into activity_events (workspace_id, project_id, verb, entity_type, entity_id, occurred_at)
			select workspace_id, project_id, verb, entity_type, entity_id, occurred_at + interval '1 day'
			from activity_events where occurred_at = '2025-03-27T12:00:00Z'`)
		f.Exec(t, `update digest_preferences
			set timezone = 'America/Vancouver', hour = 8, paused_until = '2025-03-29T00:00:00-07'`)
		f.setCreatedAt(t, "2025-01-01")
		f.Exec(t, `update digest_preferences set hour = 0 where user_id = $1`, f.Viewer)
		f.Exec(t, `update digest_preferences set paused_until = '-infinity' where user_id = $1`, f.Admin)
		f.Exec(t, `update digest_preferences set paused_until = 'infinity' where user_id = $1`, f.Owner)
		require.Equal(t, map[string]int{"2025-03-29 07:00": 2, "2025-03-29 15:00": 2},
			f.planHourly(t, "2025-03-29T07:00:00Z", "2025-03-30T00:00:00Z"),
			"what was due during the pause is not sent at midnight")
		require.Equal(t, []string{"2025-03-27", "2025-03-28"}, f.periods(t, f.Admin))
		require.Equal(t, []string{"2025-03-28"}, f.periods(t, f.Editor))
	})

	t.Run("plans weekly digests only for those who want them", func(t *testing.T) {
		t.Parallel()
		f := newDigestFixture(t)
		f.setFrequency(t, "weekly", f.Viewer)
		f.Hypothesis(t, f.Tenant, "It matters")
		f.Exec(t, `
			update activity_events set occurred_at = date_trunc('week', $1::timestamptz, 'UTC') - interval '1 hour'
			where occurred_at > now() - interval '1 day'`, f.now)
		weekly := activities.PlanDigestsInput{Frequency: "weekly", At: f.now, Everyone: true}
		require.Equal(t, 1, f.plan(t, weekly).Planned)
		require.Regexp(t, `^\d{4}-W\d\d$`,
			dbtest.Value[string](t, f.DB, `select period from digest_deliveries where user_id = $1`, f.Viewer))
	})

	t.Run("plans nothing without news from others", func(t *testing.T) {
		t.Parallel()
		f := newDigestFixture(t)
		require.Zero(t, f.plan(t, activities.PlanDigestsInput{}).Planned, "nothing happened")
		h := f.insert(t, f.Editor, `insert into hypotheses (project_id, statement) values ($1, 'Mine')`, f.Project)
		f.insert(t, f.Editor, `update hypotheses set statement = 'Mine, reworded' where id = $1`, h)
		f.moveEventsToYesterday(t)
		require.Equal(t, 3, f.plan(t, activities.PlanDigestsInput{}).Planned)
		require.Empty(t, f.status(t, f.Editor))
		f.Exec(t, `delete from digest_deliveries; delete from activity_events where verb = 'created'`)
		require.Zero(t, f.plan(t, activities.PlanDigestsInput{}).Planned, "rewording is not worth a mail")
	})

	for name, everyone := range map[string]bool{"those who are due": false, "everyone": true} {
		t.Run("plans "+name+" page by page", func(t *testing.T) {
			t.Parallel()
			f := newDigestFixture(t)
			f.Hypothesis(t, f.Tenant, "It matters")
			f.moveEventsToYesterday(t)
			f.Exec(t, `insert into auth.users (id, email, email_confirmed_at)
				select gen_random_uuid(), 'many-' || n || '@example.com', now() from generate_series(1, 2100) n`)
			f.Exec(t, `insert into workspace_members (workspace_id, user_id)
				select $1, id from auth.users where email like 'many-%'`, f.Workspace)
			f.Exec(t, `update digest_preferences set frequency = 'daily', hour = 0`)
			f.setCreatedAt(t, "2026-01-01")
			result := f.plan(t, activities.PlanDigestsInput{At: f.now, Everyone: everyone})
			require.Equal(t, 2104, result.Members)
			require.Equal(t, 2104, result.Planned)
			require.True(t, result.Done)
		})
	}

	t.Run("counts what was planned before as part of a request", func(t *testing.T) {
		t.Parallel()
		f := newDigestFixture(t)
		f.Hypothesis(t, f.Tenant, "It matters")
		f.moveEventsToYesterday(t)
		f.setHourToNow(t)
		f.setCreatedAt(t, "2026-01-01")
		f.setFrequency(t, "off", f.Viewer)
		require.Equal(t, 3, f.plan(t, activities.PlanDigestsInput{At: f.now}).Planned)
		f.Exec(t, `update digest_deliveries set status = 'sent' where user_id = $1`, f.Editor)
		f.Exec(t, `update digest_deliveries set next_attempt_at = now() + interval '1 hour'
			where user_id = $1`, f.Admin)
		f.setFrequency(t, "daily", f.Viewer)
		request := activities.PlanDigestsInput{At: f.now, Everyone: true, RunID: "request"}
		require.Equal(t, 1, f.plan(t, request).Planned)
		f.deliver(t)
		require.Equal(t, activities.AwaitDigestsResult{Sent: 2}, f.await(t, "request"),
			"the viewer's and the owner's; neither what was sent before nor what waits for its next attempt")
	})
}

// Whether a member may get a digest is checked when it is planned, and again when its mail is sent.
func TestDigestObstacles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		obstacle, name   string
		prevent, restore string // statements with the user as $1
	}{
		{
			obstacle: "unsubscribed", name: "a member who wants no digests",
			prevent: `update digest_preferences set frequency = 'off' where user_id = $1`,
			restore: `update digest_preferences set frequency = 'daily' where user_id = $1`,
		},
		{
			obstacle: "paused", name: "a member who paused digests",
			prevent: `update digest_preferences set paused_until = now() + interval '1 hour' where user_id = $1`,
			restore: `update digest_preferences set paused_until = now() - interval '1 hour' where user_id = $1`,
		},
		{
			obstacle: "unconfirmed", name: "an address that is not confirmed",
			prevent: `update auth.users set email_confirmed_at = null where id = $1`,
			restore: `update auth.users set email_confirmed_at = now() where id = $1`,
		},
		{
			obstacle: "banned", name: "a banned account",
			prevent: `update auth.users set banned_until = now() + interval '1 hour' where id = $1`,
			restore: `update auth.users set banned_until = now() - interval '1 hour' where id = $1`,
		},
		{
			obstacle: "no_address", name: "a deleted account",
			prevent: `update auth.users set deleted_at = now() where id = $1`,
			restore: `update auth.users set deleted_at = null where id = $1`,
		},
		{
			obstacle: "no_address", name: "an anonymous account",
			prevent: `update auth.users set is_anonymous = true where id = $1`,
			restore: `update auth.users set is_anonymous = false where id = $1`,
		},
		{
			obstacle: "suppressed", name: "a suppressed address",
			prevent: `insert into private.mail_refusals (address, code, suppressed_at)
				select lower(email), 550, now() from auth.users where id = $1`,
			restore: `delete from private.mail_refusals where $1::uuid is not null`,
		},
		{
			obstacle: "no_workspace", name: "a user without a workspace",
			prevent: `delete from workspace_members where user_id = $1`,
			restore: `insert into workspace_members (workspace_id, user_id)
				select workspace_id, $1 from projects limit 1`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newDigestFixture(t)
			f.Hypothesis(t, f.Tenant, "It matters")
			f.moveEventsToYesterday(t)

			f.Exec(t, c.prevent, f.Viewer)
			require.Equal(t, c.obstacle, f.preview(t, f.Viewer).Obstacle)
			require.Equal(t, 3, f.plan(t, activities.PlanDigestsInput{}).Planned, "not the viewer's")
			f.Exec(t, c.restore, f.Viewer)
			require.Empty(t, f.preview(t, f.Viewer).Obstacle)
			require.Equal(t, 1, f.plan(t, activities.PlanDigestsInput{}).Planned)

			f.Exec(t, c.prevent, f.Viewer) // after planning
			f.deliver(t)
			require.Empty(t, f.sender.mailsTo(f.address(t, f.Viewer)))
			require.Equal(t, "skipped "+c.obstacle, f.status(t, f.Viewer))
		})
	}
}
