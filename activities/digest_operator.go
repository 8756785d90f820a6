package activities

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"research/db"
)

var (
	// ErrDigestSent means that a digest was sent already.
	ErrDigestSent = errors.New("the digest was sent")
	// ErrDigestSending means that a digest is being sent.
	ErrDigestSending = errors.New("the digest is being sent")
)

// ReplanDigest plans a delivery again and lifts the suppression of its recipient's address. A digest that was
// sent is planned again only with force. The caller must start the delivery of digests.
//
// Errors: ErrDigestSent, ErrDigestSending, db.ErrNotFound, and those of db.Store.
func ReplanDigest(ctx context.Context, store *db.Store, delivery uuid.UUID, force bool) error {
	return store.AsService(ctx, func(q *db.Queries) error {
		status, err := q.GetDigestStatus(ctx, delivery)
		if err != nil {
			return err
		}
		if status == db.DeliveryStatusSent && !force {
			return ErrDigestSent
		}
		if _, err := q.LiftRecipientSuppression(ctx, delivery); err != nil {
			return err
		}
		replanned, err := q.ReplanDigest(ctx, delivery)
		if err == nil && replanned == 0 {
			err = ErrDigestSending
		}
		return err
	})
}
