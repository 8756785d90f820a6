package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"research/activities/digest"
	"research/db"
)

// PreviewDigest composes a user's digest about the period that closed last at the given time, as the user
// would read it now, and sends nothing. The user is given by id or address.
//
// Errors: db.ErrNotFound if there is no such user, and those of db.Store.
func PreviewDigest(
	ctx context.Context, store *db.Store, publicURL, user string, frequency db.DigestFrequency, at time.Time,
) (digest.Preview, error) {
	recipient, err := db.AsService(ctx, store, func(q *db.Queries) (db.GetDigestRecipientRow, error) {
		return q.GetDigestRecipient(ctx, db.GetDigestRecipientParams{IDOrEmail: user, Wanted: frequency})
	})
	if err != nil {
		return digest.Preview{}, fmt.Errorf("find the recipient: %w", err)
	}
	weekly := frequency == db.DigestFrequencyWeekly
	period := digest.ClosedBy(at, weekly).Period(recipient.Timezone, recipient.Hour, recipient.Weekday)
	news, err := readNews(ctx, store, recipient.ID, period.Start, period.End)
	if err != nil {
		return digest.Preview{}, err
	}
	preview, err := digest.NewPreview(weekly, period, news, publicURL)
	preview.Message.To, preview.Obstacle = recipient.Email, recipient.Obstacle
	return preview, err
}

var (
	// ErrDigestSent means that a digest was sent already.
	ErrDigestSent = errors.New("the digest was sent")
	// ErrDigestSending means that a digest is being sent.
	ErrDigestSending = errors.New("the digest is being sent")
)

// ReplanDigest plans a delivery again and lifts the suppression of its recipient's address. With force it
// does so even if the digest was sent. It returns the delivery's frequency, for which a run must be started.
//
// Errors: ErrDigestSent, ErrDigestSending, db.ErrNotFound, and those of db.Store.
func ReplanDigest(
	ctx context.Context, store *db.Store, delivery uuid.UUID, force bool,
) (db.DigestFrequency, error) {
	return db.AsService(ctx, store, func(q *db.Queries) (db.DigestFrequency, error) {
		row, err := q.GetDigestDelivery(ctx, delivery)
		if err != nil {
			return "", err
		}
		if row.Status == db.DeliveryStatusSent && !force {
			return "", ErrDigestSent
		}
		if _, err := q.LiftRecipientSuppression(ctx, delivery); err != nil {
			return "", err
		}
		replanned, err := q.ReplanDigest(ctx, delivery)
		if err == nil && replanned == 0 {
			err = ErrDigestSending
		}
		return row.Frequency, err
	})
}
