package activities_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities"
	"research/db/dbtest"
)

// mark lets a run work on digests, and returns what Temporal would record.
func (f *digestFixture) mark(t *testing.T) activities.DigestMark {
	t.Helper()
	result := f.beginAfter(t, activities.DigestMark{})
	require.False(t, result.Held)
	return result.Seen
}

// beginAfter begins a run whose predecessor recorded the database.
func (f *digestFixture) beginAfter(t *testing.T, seen activities.DigestMark) activities.BeginDigestsResult {
	t.Helper()
	value, err := f.environment().ExecuteActivity(f.activities.BeginDigests,
		activities.BeginDigestsInput{Frequency: "daily", Seen: seen})
	require.NoError(t, err)
	var result activities.BeginDigestsResult
	require.NoError(t, value.Get(&result))
	return result
}

// restore makes the database older than Temporal has recorded, as a restored copy of its files is.
func (f *digestFixture) restore(t *testing.T) {
	t.Helper()
	f.Exec(t, `update private.digest_fence set seen_at = seen_at - interval '1 hour'`)
}

// fence does what `research restore-fence` does an hour after the backup.
func (f *digestFixture) fence(t *testing.T, unsubscribed []uuid.UUID) activities.RestoreResult {
	t.Helper()
	result, err := activities.FenceRestore(t.Context(), f.Store, activities.Restore{
		Since: f.now.Add(-time.Hour), Now: f.now, Unsubscribed: unsubscribed,
	})
	require.NoError(t, err)
	return result
}

func (f *digestFixture) pausedUntil(t *testing.T, user uuid.UUID) string {
	t.Helper()
	query := `select coalesce(paused_until::text, '') from digest_preferences where user_id = $1`
	return dbtest.Value[string](t, f.DB, query, user)
}

func TestARestoredDatabaseHoldsDigests(t *testing.T) {
	t.Parallel()

	t.Run("if it is older than Temporal has recorded", func(t *testing.T) {
		t.Parallel()
		f := newPlannedFixture(t)
		seen := f.mark(t)
		require.False(t, f.beginAfter(t, seen).Held, "time goes on")
		f.restore(t)
		held := f.beginAfter(t, seen)
		require.True(t, held.Held)
		require.Equal(t, seen, held.Seen, "what Temporal has recorded does not get older")
		require.True(t, f.beginAfter(t, activities.DigestMark{}).Held, "from now on it is held for everybody")
		shard, err := f.deliverShard(activities.DeliverDigestShardInput{RunID: "run"})
		require.NoError(t, err)
		require.True(t, shard.Held)
		require.Equal(t, 4, f.countStatus(t, "planned"), "nothing is sent")

		f.fence(t, nil)
		require.False(t, f.beginAfter(t, seen).Held)
	})

	t.Run("if a dump created its tables again", func(t *testing.T) {
		t.Parallel()
		f := newDigestFixture(t)
		f.mark(t)
		f.Exec(t, `update private.digest_fence set tables = array[1, 2, 3]`)
		require.True(t, f.beginAfter(t, activities.DigestMark{}).Held)
		f.fence(t, nil)
		require.False(t, f.beginAfter(t, activities.DigestMark{}).Held)
	})

	t.Run("but not if it belongs to another installation", func(t *testing.T) {
		t.Parallel()
		f := newDigestFixture(t)
		f.mark(t)
		later := activities.DigestMark{Installation: uuid.New(), SeenAt: f.now.Add(24 * time.Hour)}
		require.False(t, f.beginAfter(t, later).Held)
	})
}

func TestFenceRestore(t *testing.T) {
	t.Parallel()

	t.Run("sends nothing again that was planned in the backup", func(t *testing.T) {
		t.Parallel()
		f := newPlannedFixture(t)
		f.Exec(t, `update digest_deliveries set status = 'sent' where user_id = $1`, f.Owner)
		f.Exec(t, `update digest_deliveries set status = 'sending' where user_id = $1`, f.Admin)
		result := f.fence(t, []uuid.UUID{})
		require.Equal(t, activities.RestoreResult{Uncertain: 3}, result)
		require.Equal(t, "sent", f.status(t, f.Owner))
		require.Equal(t, "uncertain restored", f.status(t, f.Admin))
		require.Equal(t, "uncertain restored", f.status(t, f.Viewer))
		f.deliver(t)
		require.Empty(t, f.sender.mails)
	})

	t.Run("sends nothing again that the backup does not have", func(t *testing.T) {
		t.Parallel()
		f := newPlannedFixture(t)
		f.setHourToNow(t)
		f.setCreatedAt(t, "2026-01-01")
		f.deliver(t)
		require.Len(t, f.sender.mails, 4)
		f.Exec(t, `delete from digest_deliveries`)
		f.Exec(t, `update digest_preferences set paused_until = now() + interval '1 day'
			where user_id = $1`, f.Viewer)

		require.Equal(t, int64(4), f.fence(t, []uuid.UUID{}).Uncertain, "the pause may have begun later")
		require.Zero(t, f.plan(t, activities.PlanDigestsInput{}).Planned)
		require.Zero(t, f.plan(t, activities.PlanDigestsInput{At: f.now}).Planned)
		f.deliver(t)
		require.Len(t, f.sender.mails, 4)
		require.Zero(t, f.fence(t, []uuid.UUID{}).Uncertain, "it can be repeated")
	})

	t.Run("leaves alone what was planned since, when it is repeated", func(t *testing.T) {
		t.Parallel()
		f := newDigestFixture(t)
		f.fence(t, nil)
		f.fence(t, []uuid.UUID{f.Viewer})
		f.Hypothesis(t, f.Tenant, "It matters")
		f.moveEventsToYesterday(t)
		require.Equal(t, 3, f.plan(t, activities.PlanDigestsInput{}).Planned)
		require.Zero(t, f.fence(t, []uuid.UUID{f.Viewer}).Uncertain)
		require.Equal(t, 3, f.countStatus(t, "planned"))

		f.Exec(t, `update private.digest_fence set held_at = now()`)
		require.Equal(t, int64(3), f.fence(t, []uuid.UUID{}).Uncertain, "but not after another restore")
	})

	t.Run("does not take what will be due for sent", func(t *testing.T) {
		t.Parallel()
		f := newPlannedFixture(t)
		f.Exec(t, `delete from digest_deliveries`)
		f.fence(t, []uuid.UUID{})
		f.Exec(t, `update activity_events set occurred_at = $1
			where occurred_at > $1::timestamptz - interval '2 days'`,
			f.now)
		tomorrow := activities.PlanDigestsInput{At: f.now.Add(24 * time.Hour), Everyone: true}
		require.Equal(t, 4, f.plan(t, tomorrow).Planned)
	})

	t.Run("pauses everybody who may have unsubscribed, until they resume", func(t *testing.T) {
		t.Parallel()
		f := newDigestFixture(t)
		f.setFrequency(t, "off", f.Owner)
		require.Equal(t, int64(3), f.fence(t, nil).Paused)
		require.Empty(t, f.pausedUntil(t, f.Owner), "nothing is sent to them anyway")
		require.Equal(t, "infinity", f.pausedUntil(t, f.Viewer))
		f.Exec(t, `update digest_preferences set paused_until = null where user_id = $1`, f.Viewer)
		require.Zero(t, f.fence(t, nil).Paused, "a member who resumed is not paused again")
		require.Empty(t, f.pausedUntil(t, f.Viewer))
	})

	t.Run("turns off those who are known to have unsubscribed, and resumes the others", func(t *testing.T) {
		t.Parallel()
		f := newDigestFixture(t)
		f.Exec(t, `update digest_preferences set paused_until = '2031-05-06' where user_id = $1`, f.Admin)
		f.Exec(t, `update digest_preferences set paused_until = 'infinity' where user_id = $1`, f.Owner)
		require.Equal(t, int64(3), f.fence(t, nil).Paused)
		f.Exec(t, `update digest_preferences set paused_until = '2032-05-06' where user_id = $1`, f.Editor)

		result := f.fence(t, []uuid.UUID{f.Viewer, uuid.New()})
		require.Equal(t, activities.RestoreResult{Unsubscribed: 1, Resumed: 2}, result)
		frequency := `select frequency::text from digest_preferences where user_id = $1`
		require.Equal(t, "off", dbtest.Value[string](t, f.DB, frequency, f.Viewer))
		require.Contains(t, f.pausedUntil(t, f.Admin), "2031-05-06", "as the member had chosen")
		require.Contains(t, f.pausedUntil(t, f.Editor), "2032-05-06", "as the member has chosen since")
		require.Equal(t, "infinity", f.pausedUntil(t, f.Owner))
	})
}
