package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"research/activities/digest"
	"research/db"
	"research/internal/unsubscribe"
)

// PreviewDigest composes a user's next digest as of the given time, as the user would read it now, and sends
// nothing. If the digest about the period that closed last was sent, the next one is about the running
// period. The user is given by id or address. Its unsubscribe link does not work.
//
// Errors: db.ErrNotFound if there is no such user, and those of db.Store.
func PreviewDigest(
	ctx context.Context, store *db.Store, publicURL, user string, frequency db.DigestFrequency, at time.Time,
) (digest.Preview, error) {
	recipient, err := db.AsService(ctx, store, func(q *db.Queries) (db.GetDigestRecipientRow, error) {
		return findRecipient(ctx, q, user, frequency)
	})
	if err != nil {
		return digest.Preview{}, fmt.Errorf("find the recipient: %w", err)
	}
	return composePreview(ctx, store, publicURL, recipient, frequency, at, "")
}

func findRecipient(
	ctx context.Context, q *db.Queries, user string, frequency db.DigestFrequency,
) (db.GetDigestRecipientRow, error) {
	id, err := uuid.Parse(user)
	if err != nil {
		found, err := q.GetUserByEmail(ctx, user)
		if err != nil {
			return db.GetDigestRecipientRow{}, err
		}
		id = found.AuthUser.ID
	}
	return q.GetDigestRecipient(ctx, db.GetDigestRecipientParams{UserID: id, Wanted: frequency})
}

func composePreview(
	ctx context.Context, store *db.Store, publicURL string, recipient db.GetDigestRecipientRow,
	frequency db.DigestFrequency, at time.Time, unsubscribeToken string,
) (digest.Preview, error) {
	weekly := frequency == db.DigestFrequencyWeekly
	period, window, err := nextWindow(ctx, store, recipient, weekly, at)
	if err != nil {
		return digest.Preview{}, err
	}
	news, err := readNews(ctx, store, recipient.ID, window.Start, window.End)
	if err != nil {
		return digest.Preview{}, err
	}
	preview, err := digest.NewPreview(weekly, period, window, news, publicURL, unsubscribeToken)
	preview.Message.To = recipient.Email
	preview.Obstacle, preview.Mailable = recipient.Obstacle, recipient.Mailable
	return preview, err
}

// nextWindow returns the period of a user's next digest, and the window of its news up to the given time.
func nextWindow(
	ctx context.Context, store *db.Store, recipient db.GetDigestRecipientRow, weekly bool, at time.Time,
) (period digest.Period, window digest.Window, err error) {
	calendars := []*digest.Calendar{digest.ClosedBy(at, weekly), digest.RunningAt(at, weekly)}
	err = store.AsService(ctx, func(q *db.Queries) error {
		for _, calendar := range calendars {
			period = calendar.Period(recipient.Timezone, recipient.Hour, recipient.Weekday)
			windows, err := q.ListDigestWindows(ctx, db.ListDigestWindowsParams{
				UserIds:      []uuid.UUID{recipient.ID},
				PeriodStarts: []time.Time{period.Start},
				Earliest:     []time.Time{period.Earliest},
			})
			if err != nil || len(windows) == 0 {
				return err
			}
			window = digest.Window{Start: windows[0].WindowStart, End: period.End, Zone: recipient.Timezone}
			if window.Start.Before(window.End) {
				return nil
			}
		}
		return nil
	})
	if window.End.After(at) {
		window.End = at
	}
	return period, window, err
}

// SendDigestPreviewInput names a user and the digest.
type SendDigestPreviewInput struct {
	UserID    uuid.UUID
	Frequency string
}

// SendDigestPreviewResult reports whether a mail was sent. No mail is sent if there is no news, or if the
// user's address must not be mailed.
type SendDigestPreviewResult struct{ Sent bool }

// SendDigestPreview mails a user, on request, the digest that PreviewDigest composes. It records no delivery,
// so that the digest itself is sent when it is due. An attempt that dies may have sent the mail, and a retry
// sends it again.
func (d *Digests) SendDigestPreview(
	ctx context.Context, in SendDigestPreviewInput,
) (SendDigestPreviewResult, error) {
	preview, err := d.composeOwnPreview(ctx, in)
	if errors.Is(err, db.ErrNotFound) {
		return SendDigestPreviewResult{}, nil
	}
	if err != nil {
		return SendDigestPreviewResult{}, failed(ctx, d.log, "compose the preview", err, "user_id", in.UserID)
	}
	if preview.Empty || !preview.Mailable {
		return SendDigestPreviewResult{}, nil
	}
	if err := d.awaitMailSlot(ctx); err != nil {
		return SendDigestPreviewResult{}, failed(ctx, d.log, "wait to send the preview", err, "user_id", in.UserID)
	}
	message := preview.Message
	message.ID = "digest-preview." + uuid.NewString()
	message.Subject = "Preview: " + message.Subject
	if err := d.sender.Send(ctx, message); err != nil {
		d.log.WarnContext(ctx, "preview not sent", "user_id", in.UserID, "error", err)
		return SendDigestPreviewResult{}, mailError(err)
	}
	return SendDigestPreviewResult{Sent: true}, nil
}

// composeOwnPreview composes the preview with a link that unsubscribes, since it is mailed only to that user.
func (d *Digests) composeOwnPreview(ctx context.Context, in SendDigestPreviewInput) (digest.Preview, error) {
	frequency := db.DigestFrequency(in.Frequency)
	var key unsubscribe.Key
	recipient, err := db.AsService(ctx, d.store, func(q *db.Queries) (_ db.GetDigestRecipientRow, err error) {
		if key, err = q.GetSecret(ctx, unsubscribe.SecretName); err != nil {
			return db.GetDigestRecipientRow{}, err
		}
		return q.GetDigestRecipient(ctx, db.GetDigestRecipientParams{UserID: in.UserID, Wanted: frequency})
	})
	if err != nil {
		return digest.Preview{}, err
	}
	token := key.Token(unsubscribe.Digests, in.UserID)
	return composePreview(ctx, d.store, d.cfg.PublicURL, recipient, frequency, time.Now(), token)
}
