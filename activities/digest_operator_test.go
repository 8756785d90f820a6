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

	t.Run("has no unsubscribe token, so that nobody is unsubscribed by looking at it", func(t *testing.T) {
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

func TestReplanDigest(t *testing.T) {
	t.Parallel()
	f := newPlannedFixture(t)
	id := dbtest.Value[uuid.UUID](t, f.DB, `select id from digest_deliveries where user_id = $1`, f.Viewer)
	f.Exec(t, `insert into private.mail_refusals (address, code, refusals, suppressed_at)
		values ($1, 550, 3, now())`, f.address(t, f.Viewer))
	suppressed := func() int {
		return dbtest.Value[int](t, f.DB, `select count(*) from private.mail_refusals`)
	}

	_, err := activities.ReplanDigest(t.Context(), f.Store, uuid.New(), false)
	require.ErrorIs(t, err, db.ErrNotFound)

	f.Exec(t, `update digest_deliveries set status = 'sent'`)
	_, err = activities.ReplanDigest(t.Context(), f.Store, id, false)
	require.ErrorIs(t, err, activities.ErrDigestSent)
	f.Exec(t, `update digest_deliveries set status = 'sending'`)
	_, err = activities.ReplanDigest(t.Context(), f.Store, id, true)
	require.ErrorIs(t, err, activities.ErrDigestSending)
	require.Equal(t, 1, suppressed(), "an error changes nothing")

	f.Exec(t, `update digest_deliveries set status = 'sent'`)
	frequency, err := activities.ReplanDigest(t.Context(), f.Store, id, true)
	require.NoError(t, err)
	require.Equal(t, db.DigestFrequencyDaily, frequency)
	require.Equal(t, "planned", f.status(t, f.Viewer))
	require.Zero(t, suppressed())
	f.deliver(t)
	require.Len(t, f.sender.mailsTo(f.address(t, f.Viewer)), 1)
}
