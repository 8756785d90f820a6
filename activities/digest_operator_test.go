package activities_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities"
	"research/activities/digest"
	"research/db"
	"research/db/dbtest"
)

func TestPreviewDigest(t *testing.T) {
	t.Parallel()
	f := newDigestFixture(t)
	preview := func(user string) (digest.Preview, error) {
		return activities.PreviewDigest(t.Context(), f.Store, publicURL, user, db.DigestFrequencyDaily, f.now)
	}

	t.Run("has no unsubscribe token, so that opening it unsubscribes no one", func(t *testing.T) {
		t.Parallel()
		text := f.preview(t, f.Viewer).Message.Text
		require.Contains(t, text, publicURL+"/api/notifications/unsubscribe?token=\n")
	})

	t.Run("finds the user by address", func(t *testing.T) {
		t.Parallel()
		address := f.address(t, f.Viewer)
		preview, err := preview(address)
		require.NoError(t, err)
		require.Equal(t, address, preview.Message.To)
		require.True(t, preview.Empty)
	})

	t.Run("reports an unknown user", func(t *testing.T) {
		t.Parallel()
		_, err := preview("nobody")
		require.ErrorIs(t, err, db.ErrNotFound)
	})
}

func TestSendDigestPreview(t *testing.T) {
	t.Parallel()
	f := newDigestFixture(t)
	f.Hypothesis(t, f.Tenant, "It matters")
	f.moveEventsToYesterday(t)
	f.Exec(t, `
		insert into activity_events (workspace_id, project_id, verb, entity_type, entity_id, occurred_at)
		select workspace_id, project_id, verb, entity_type, entity_id, occurred_at + interval '1 day'
		from activity_events where occurred_at > $1::timestamptz - interval '2 days'`, f.now) // midnight may pass
	f.setFrequency(t, "off", f.Viewer)
	send := func(user uuid.UUID) bool {
		value, err := f.environment().ExecuteActivity(f.activities.SendDigestPreview,
			activities.SendDigestPreviewInput{UserID: user, Frequency: "daily"})
		require.NoError(t, err)
		var result activities.SendDigestPreviewResult
		require.NoError(t, value.Get(&result))
		return result.Sent
	}

	require.True(t, send(f.Viewer), "whatever the preferences are")
	mails := f.sender.mailsTo(f.address(t, f.Viewer))
	require.Len(t, mails, 1)
	require.Regexp(t, `^Preview: `, mails[0].Subject)
	require.Contains(t, mails[0].Text, "It matters")
	require.Regexp(t, `unsubscribe\?token=\S+`, mails[0].Text, "its link works")
	require.Zero(t, dbtest.Value[int](t, f.DB, `select count(*) from digest_deliveries`))

	f.Exec(t, `update auth.users set email_confirmed_at = null where id = $1`, f.Owner)
	require.False(t, send(f.Owner), "the address is not confirmed")
	f.Exec(t, `update auth.users set banned_until = now() + interval '1 day' where id = $1`, f.Admin)
	require.False(t, send(f.Admin), "the user is banned")
	f.Exec(t, `insert into private.mail_refusals (address, code, suppressed_at) values (lower($1), 550, now())`,
		f.address(t, f.Editor))
	require.False(t, send(f.Editor), "the address is suppressed")
	require.False(t, send(uuid.New()), "nobody")
	require.Len(t, f.sender.mails, 1)
}

func TestReplanDigest(t *testing.T) {
	t.Parallel()
	f := newPlannedFixture(t)
	id := dbtest.Value[uuid.UUID](t, f.DB, `select id from digest_deliveries where user_id = $1`, f.Viewer)
	f.Exec(t, `insert into private.mail_refusals (address, code, refusals, suppressed_at)
		values ($1, 550, 3, now())`, f.address(t, f.Viewer))
	suppressed := func() int {
		return dbtest.Value[int](t, f.DB, `select count(*) from private.mail_refusals`)
	}

	err := activities.ReplanDigest(t.Context(), f.Store, uuid.New(), false)
	require.ErrorIs(t, err, db.ErrNotFound)

	f.Exec(t, `update digest_deliveries set status = 'sent'`)
	err = activities.ReplanDigest(t.Context(), f.Store, id, false)
	require.ErrorIs(t, err, activities.ErrDigestSent)
	f.Exec(t, `update digest_deliveries set status = 'sending'`)
	err = activities.ReplanDigest(t.Context(), f.Store, id, true)
	require.ErrorIs(t, err, activities.ErrDigestSending)
	require.Equal(t, 1, suppressed(), "an error changes nothing")

	f.Exec(t, `update digest_deliveries set status = 'sent'`)
	require.NoError(t, activities.ReplanDigest(t.Context(), f.Store, id, true))
	require.Equal(t, "planned", f.status(t, f.Viewer))
	require.Zero(t, suppressed())
	f.deliver(t)
	require.Len(t, f.sender.mailsTo(f.address(t, f.Viewer)), 1)
}
