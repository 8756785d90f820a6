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
	// ErrDigestTold means that another digest has the news of a digest that was not sent.
	ErrDigestTold = errors.New("the news of the digest is part of a later one")
)

// ReplanDigest plans a delivery again and lifts the suppression of its recipient's address. A digest that was
// sent, or whose news another one has, is planned again only with force. The caller must start the delivery
// of digests.
//
// Errors: ErrDigestSent, ErrDigestSending, ErrDigestTold, db.ErrNotFound, and those of db.Store.
func ReplanDigest(ctx context.Context, store *db.Store, delivery uuid.UUID, force bool) error {
	return store.AsService(ctx, func(q *db.Queries) error {
		found, err := q.GetDigestStatus(ctx, delivery)
		if err != nil {
			return err
		}
		switch {
		case force:
		case found.Status == db.DeliveryStatusSent:
			return ErrDigestSent
		case found.Told:
			return ErrDigestTold
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
