package activities_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities"
	"research/activities/digest"
	"research/db"
	"research/db/dbtest"
)

// addNews records news at a time, as if somebody else had done it.
func (f *digestFixture) addNews(t *testing.T, at string) {
	t.Helper()
	f.Exec(t, `insert into activity_events (workspace_id, project_id, verb, entity_type, entity_id, occurred_at)
		values ($1, $2, 'created', 'persona', gen_random_uuid(), $3::timestamptz)`, f.Workspace, f.Project, at)
}

// tick plans the daily or weekly digests that are due at a time.
func (f *digestFixture) tick(t *testing.T, frequency, at string) int {
	t.Helper()
	tick, err := time.Parse(time.RFC3339, at)
	require.NoError(t, err)
	return f.plan(t, activities.PlanDigestsInput{Frequency: frequency, At: tick}).Planned
}

// end gives the planned deliveries another status.
func (f *digestFixture) end(t *testing.T, status, reason string) {
	t.Helper()
	f.Exec(t, `update digest_deliveries set status = $1::delivery_status, reason = nullif($2, '')
		where status = 'planned'`, status, reason)
}

// windows returns the windows of a user's deliveries in their order: "sent 11-16 00:00 to 11-17 00:00".
func (f *digestFixture) windows(t *testing.T, user uuid.UUID) []string {
	t.Helper()
	return dbtest.Value[[]string](t, f.DB, `
		select coalesce(array_agg(status || ' ' || to_char(window_start at time zone 'UTC', 'MM-DD HH24:MI')
			|| ' to ' || to_char(window_end at time zone 'UTC', 'MM-DD HH24:MI')
			order by window_end, created_at), '{}')
		from digest_deliveries where user_id = $1`, user)
}

// newWindowFixture has one member with digests, at eight o'clock (UTC) and on Mondays.
func newWindowFixture(t *testing.T, frequency string) *digestFixture {
	t.Helper()
	f := newDigestFixture(t)
	f.setFrequency(t, "off", f.Owner, f.Admin, f.Editor)
	f.setFrequency(t, frequency, f.Viewer)
	f.setCreatedAt(t, "2025-01-01")
	return f
}

func TestADigestBeginsWhereTheLastOneEnded(t *testing.T) {
	t.Parallel()

	t.Run("from weekly to daily in midweek, and back", func(t *testing.T) {
		t.Parallel()
		f := newWindowFixture(t, "weekly")
		f.addNews(t, "2025-11-14T12:00:00Z")
		require.Equal(t, 1, f.tick(t, "weekly", "2025-11-17T08:00:00Z"))
		f.end(t, "sent", "")
		f.addNews(t, "2025-11-17T12:00:00Z") // Monday
		f.setFrequency(t, "daily", f.Viewer)
		require.Equal(t, 1, f.tick(t, "daily", "2025-11-19T10:00:00Z"))
		f.end(t, "sent", "")
		f.addNews(t, "2025-11-19T12:00:00Z")
		f.setFrequency(t, "weekly", f.Viewer)
		require.Zero(t, f.tick(t, "weekly", "2025-11-19T15:00:00Z"), "the daily digest has told it")
		require.Equal(t, 1, f.tick(t, "weekly", "2025-11-24T08:00:00Z"))
		require.Equal(t, []string{
			"sent 11-10 00:00 to 11-17 00:00", "sent 11-17 00:00 to 11-19 00:00", "planned 11-19 00:00 to 11-24 00:00",
		}, f.windows(t, f.Viewer))
	})

	t.Run("after a move to the west", func(t *testing.T) {
		t.Parallel()
		f := newWindowFixture(t, "daily")
		f.Exec(t, `update digest_preferences set timezone = 'Pacific/Auckland' where user_id = $1`, f.Viewer)
		f.addNews(t, "2025-11-20T00:00:00Z")
		require.Equal(t, 1, f.tick(t, "daily", "2025-11-20T19:00:00Z")) // about 20 November
		f.end(t, "sent", "")
		f.Exec(t, `update digest_preferences set timezone = 'America/Los_Angeles' where user_id = $1`, f.Viewer)
		f.addNews(t, "2025-11-20T20:00:00Z")
		require.Zero(t, f.tick(t, "daily", "2025-11-21T16:00:00Z"), "about 20 November, too")
		require.Equal(t, 1, f.tick(t, "daily", "2025-11-22T16:00:00Z"))
		require.Equal(t, []string{"sent 11-19 11:00 to 11-20 11:00", "planned 11-20 11:00 to 11-22 08:00"},
			f.windows(t, f.Viewer))
	})

	t.Run("after days without a tick, up to two weeks", func(t *testing.T) {
		t.Parallel()
		f := newWindowFixture(t, "daily")
		f.addNews(t, "2025-11-01T12:00:00Z")
		require.Equal(t, 1, f.tick(t, "daily", "2025-11-02T08:00:00Z"))
		f.end(t, "sent", "")
		f.addNews(t, "2025-11-02T12:00:00Z")
		f.addNews(t, "2025-11-06T12:00:00Z")
		require.Equal(t, 1, f.tick(t, "daily", "2025-11-09T08:00:00Z"))
		f.end(t, "sent", "")
		f.addNews(t, "2025-11-09T12:00:00Z")
		f.addNews(t, "2025-11-28T12:00:00Z")
		require.Equal(t, 1, f.tick(t, "daily", "2025-11-30T08:00:00Z"))
		require.Equal(t, []string{
			"sent 11-01 00:00 to 11-02 00:00", "sent 11-02 00:00 to 11-09 00:00", "planned 11-28 00:00 to 11-30 00:00",
		}, f.windows(t, f.Viewer), "the last begins with the first day that has news")
	})

	for _, c := range []struct {
		status, reason string
		told           bool
	}{
		{"sent", "", true},
		{"uncertain", "worker_lost", true},
		{"skipped", "nothing_new", true},
		{"skipped", "paused", false},
		{"skipped", "suppressed", false},
		{"failed", "expired after refused_451", false},
		{"failed", "refused_550", false},
		{"failed", "bounced_5.2.2", false},
		{"failed", "unwritable", false},
	} {
		t.Run(strings.TrimSpace("after one that is "+c.status+" "+c.reason), func(t *testing.T) {
			t.Parallel()
			f := newWindowFixture(t, "daily")
			f.addNews(t, "2025-11-19T12:00:00Z")
			require.Equal(t, 1, f.tick(t, "daily", "2025-11-20T08:00:00Z"))
			f.end(t, c.status, c.reason)
			f.addNews(t, "2025-11-20T12:00:00Z")
			require.Equal(t, 1, f.tick(t, "daily", "2025-11-21T08:00:00Z"))
			want := "planned 11-19 00:00 to 11-21 00:00"
			if c.told {
				want = "planned 11-20 00:00 to 11-21 00:00"
			}
			require.Equal(t, want, f.windows(t, f.Viewer)[1])
		})
	}

	t.Run("and takes over what one that still waits would tell", func(t *testing.T) {
		t.Parallel()
		f := newWindowFixture(t, "daily")
		f.addNews(t, "2025-11-19T12:00:00Z")
		require.Equal(t, 1, f.tick(t, "daily", "2025-11-20T08:00:00Z"))
		require.Equal(t, 1, f.tick(t, "daily", "2025-11-21T08:00:00Z"))
		require.Equal(t, []string{"skipped 11-19 00:00 to 11-20 00:00", "planned 11-19 00:00 to 11-21 00:00"},
			f.windows(t, f.Viewer))
		require.Contains(t, f.status(t, f.Viewer), "skipped superseded")

		skipped := dbtest.Value[uuid.UUID](t, f.DB, `select id from digest_deliveries where status = 'skipped'`)
		require.ErrorIs(t, activities.ReplanDigest(t.Context(), f.Store, skipped, false), activities.ErrDigestTold)
	})

	t.Run("and waits while another is being sent", func(t *testing.T) {
		t.Parallel()
		f := newWindowFixture(t, "daily")
		f.addNews(t, "2025-11-19T12:00:00Z")
		require.Equal(t, 1, f.tick(t, "daily", "2025-11-20T08:00:00Z"))
		f.end(t, "sending", "")
		f.addNews(t, "2025-11-20T12:00:00Z")
		require.Zero(t, f.tick(t, "daily", "2025-11-21T08:00:00Z"))
		f.Exec(t, `update digest_deliveries set status = 'failed'`)
		require.Equal(t, 1, f.tick(t, "daily", "2025-11-21T09:00:00Z"), "the next tick reads the member again")
		require.Equal(t, "planned 11-19 00:00 to 11-21 00:00", f.windows(t, f.Viewer)[1])
	})

	t.Run("and so does the preview", func(t *testing.T) {
		t.Parallel()
		f := newWindowFixture(t, "weekly")
		f.addNews(t, "2025-11-14T12:00:00Z")
		preview := func(at string) digest.Preview {
			moment, err := time.Parse(time.RFC3339, at)
			require.NoError(t, err)
			p, err := activities.PreviewDigest(t.Context(), f.Store, publicURL, f.Viewer.String(),
				db.DigestFrequencyWeekly, moment)
			require.NoError(t, err)
			return p
		}
		require.Contains(t, preview("2025-11-17T09:00:00Z").Message.Text, "10 to 16 November 2025")
		require.Equal(t, 1, f.tick(t, "weekly", "2025-11-17T08:00:00Z"))
		f.end(t, "sent", "")
		p := preview("2025-11-19T09:00:00Z")
		require.Equal(t, "2025-W47", p.Period.Name, "the running week")
		require.Contains(t, p.Message.Text, "17 to 19 November 2025")
	})
}

// Each seed is another random history of one member: ticks that come or not, changes of the preferences,
// pauses, all ends of deliveries, requests, and restored backups.
func TestEachNewsIsToldOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			h := &history{
				digestFixture: newWindowFixture(t, "daily"),
				random:        rand.New(rand.NewPCG(seed, 37)), //nolint:gosec // repeatable
				frequency:     "daily",
				now:           time.Date(2025, 10, 1, 0, 0, 0, 0, time.UTC),
				told:          map[uuid.UUID]toldWindow{},
			}
			h.news = append(h.news, h.now)
			for range 90 {
				h.step(t)
			}
			require.NotEmpty(t, h.told)
			h.requireToldOnce(t)
		})
	}
}

// A history is what happened to a member so far.
type history struct {
	*digestFixture
	random    *rand.Rand
	frequency string
	now       time.Time
	news      []time.Time
	told      map[uuid.UUID]toldWindow // the deliveries that were, or may have been, sent
	backup    time.Time
}

type toldWindow struct {
	Start, End time.Time
	sent       bool
}

func (h *history) step(t *testing.T) {
	t.Helper()
	h.now = h.now.Add(time.Duration(1+h.random.IntN(20)) * time.Hour)
	if h.random.IntN(25) == 0 {
		h.now = h.now.Add(time.Duration(h.random.IntN(10)) * 24 * time.Hour) // an outage
	}
	for range h.random.IntN(3) {
		at := h.now.Add(-time.Duration(h.random.IntN(3600)) * time.Second)
		h.news = append(h.news, at)
		h.addNews(t, at.Format(time.RFC3339))
	}
	zones := []string{"UTC", "Pacific/Auckland", "America/Los_Angeles", "Europe/Berlin", "Asia/Kolkata"}
	change := h.random.IntN(12)
	if change < 3 {
		h.backup = time.Time{} // a restore does not know what was sent by other preferences
	}
	switch change {
	case 0:
		h.frequency = []string{"daily", "weekly", "off"}[h.random.IntN(3)]
		h.setFrequency(t, h.frequency, h.Viewer)
	case 1:
		h.Exec(t, `update digest_preferences set timezone = $2 where user_id = $1`,
			h.Viewer, zones[h.random.IntN(len(zones))])
	case 2:
		h.Exec(t, `update digest_preferences set hour = $2, weekday = $3 where user_id = $1`,
			h.Viewer, h.random.IntN(24), 1+h.random.IntN(7))
	case 3:
		h.Exec(t, `update digest_preferences set paused_until = $2 where user_id = $1`,
			h.Viewer, h.now.Add(time.Duration(h.random.IntN(120))*time.Hour))
	case 4:
		h.backUp(t)
	case 5:
		h.restoreBackup(t)
	}
	h.Exec(t, `update digest_deliveries set status = 'failed', reason = 'expired'
		where status = 'planned' and expires_at <= $1`, h.now)
	if h.frequency != "off" {
		h.plan(t, activities.PlanDigestsInput{
			Frequency: h.frequency, At: h.now, Everyone: h.random.IntN(6) == 0, RunID: "request",
		})
	}
	h.deliverSome(t)
}

// deliverSome ends some of the open deliveries, as workers and relays do.
func (h *history) deliverSome(t *testing.T) {
	t.Helper()
	ends := []string{"sent", "sent", "sent", "sent", "uncertain", "failed", "skipped", "sending", "planned"}
	h.Exec(t, `update digest_deliveries set status = $1::delivery_status, reason = 'paused'
		where status in ('planned', 'sending')`, ends[h.random.IntN(len(ends))])
	h.keepTold(t)
}

func (h *history) keepTold(t *testing.T) {
	t.Helper()
	type row struct {
		ID           uuid.UUID
		Start, Until time.Time
		Sent         bool
	}
	for _, r := range dbtest.Value[[]row](t, h.DB, `
		select coalesce(json_agg(json_build_object(
			'ID', id, 'Start', window_start, 'Until', window_end, 'Sent', status = 'sent')), '[]')
		from digest_deliveries where status in ('sent', 'uncertain')`) {
		h.told[r.ID] = toldWindow{r.Start, r.Until, r.Sent || h.told[r.ID].sent}
	}
}

func (h *history) backUp(t *testing.T) {
	t.Helper()
	h.backup = h.now
	h.Exec(t, `drop table if exists private.backup_deliveries`)
	h.Exec(t, `create table private.backup_deliveries as select * from digest_deliveries`)
}

// restoreBackup forgets what happened since the last backup, but not what was sent.
func (h *history) restoreBackup(t *testing.T) {
	t.Helper()
	if h.backup.IsZero() {
		return
	}
	h.Exec(t, `delete from digest_deliveries`)
	h.Exec(t, `insert into digest_deliveries select * from private.backup_deliveries`)
	h.Exec(t, `delete from activity_events where occurred_at > $1`, h.backup)
	kept := h.news[:0]
	for _, at := range h.news {
		if !at.After(h.backup) {
			kept = append(kept, at)
		}
	}
	h.news = kept
	h.digestFixture.restore(t)
	_, err := activities.FenceRestore(t.Context(), h.Store, activities.Restore{
		Since: h.backup, Now: h.now, Unsubscribed: []uuid.UUID{},
	})
	require.NoError(t, err)
	h.keepTold(t)
}

// requireToldOnce checks that no news is in two digests, and that none is missing which is not older than the
// bound of the digest after it.
func (h *history) requireToldOnce(t *testing.T) {
	t.Helper()
	const bound = (digest.WindowDays*24 - 1) * time.Hour
	for _, at := range h.news[1:] {
		sent, possible, next := 0, 0, time.Time{}
		for _, w := range h.told {
			if !at.Before(w.Start) && at.Before(w.End) {
				possible++
				if w.sent {
					sent++
				}
			}
			if w.End.After(at) && (next.IsZero() || w.End.Before(next)) {
				next = w.End
			}
		}
		require.LessOrEqual(t, sent, 1, "news of %s was told twice: %v", at, h.told)
		if possible == 0 && !next.IsZero() {
			require.Greater(t, next.Sub(at), bound, "news of %s was told by none: %v", at, h.told)
		}
	}
}
