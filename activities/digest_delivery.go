package activities

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"golang.org/x/sync/errgroup"

	"research/activities/digest"
	"research/activities/mail"
	"research/db"
	"research/identity/unsubscribe"
)

const (
	// deliverPage is how many planned deliveries are read at once.
	deliverPage = 100
	// deliverFor is how long one activity sends before it returns: short, so that runs take turns and the
	// history shows progress.
	deliverFor = 20 * time.Second
)

// DeliverDigestsInput names the planned deliveries of a shard: those whose id is above From and at most
// Through.
type DeliverDigestsInput struct {
	Frequency string
	RunID     string // of the workflow's first run; claims carry it
	From      uuid.UUID
	Through   uuid.UUID
	After     uuid.UUID // the last delivery that the previous call handled
}

// DeliverDigestsResult is how far the call got.
type DeliverDigestsResult struct {
	Handled int
	After   uuid.UUID
	Done    bool
}

// DeliverDigests sends the planned deliveries of its shard that may be attempted now, for about twenty
// seconds. Its idempotency key is the row, which is claimed before the mail is sent. If an attempt dies, the
// mails that it was sending may have been accepted; the next attempt marks them uncertain.
func (d *Digests) DeliverDigests(ctx context.Context, in DeliverDigestsInput) (DeliverDigestsResult, error) {
	defer heartbeat(ctx)()
	result := DeliverDigestsResult{After: in.After}
	key, err := d.beginShard(ctx, in)
	if err != nil {
		return result, failed(ctx, d.log, "begin a shard", err)
	}
	until := time.Now().Add(deliverFor)
	for time.Now().Before(until) && !stopping(ctx) {
		page, err := db.AsService(ctx, d.store, func(q *db.Queries) ([]db.ListPlannedDigestsRow, error) {
			return q.ListPlannedDigests(ctx, db.ListPlannedDigestsParams{
				Frequency: db.DigestFrequency(in.Frequency), After: result.After, Through: in.Through, Size: deliverPage,
			})
		})
		if err != nil {
			return result, failed(ctx, d.log, "list planned digests", err)
		}
		handled, err := d.deliverPage(ctx, in.RunID, key, page, until)
		if err != nil {
			return result, err
		}
		result.Handled += handled
		if handled > 0 {
			result.After = page[handled-1].ID
		}
		if len(page) < deliverPage && handled == len(page) {
			result.Done = true
			break
		}
	}
	return result, nil
}

// beginShard marks the mails uncertain that an earlier attempt was sending when it died, and returns the key
// of unsubscribe links.
func (d *Digests) beginShard(ctx context.Context, in DeliverDigestsInput) (unsubscribe.Key, error) {
	var lost int64
	key, err := db.AsService(ctx, d.store, func(q *db.Queries) (_ []byte, err error) {
		lost, err = q.MarkInterruptedDigestsUncertain(ctx, db.MarkInterruptedDigestsUncertainParams{
			RunID: in.RunID, After: in.From, Through: in.Through,
		})
		if err != nil {
			return nil, err
		}
		return q.GetSecret(ctx, unsubscribe.SecretName)
	})
	if err == nil && lost > 0 {
		d.log.WarnContext(ctx, "digests are uncertain: their worker was lost", "run_id", in.RunID, "digests", lost)
		d.ended(ctx, db.DeliveryStatusUncertain, lost)
	}
	return key, err
}

// deliverPage delivers a page from its beginning, several deliveries at once, until the page ends or the time
// is up. It returns how many of the page it handled.
func (d *Digests) deliverPage(
	ctx context.Context, run string, key unsubscribe.Key, page []db.ListPlannedDigestsRow, until time.Time,
) (int, error) {
	var group errgroup.Group
	group.SetLimit(d.cfg.Concurrency)
	var broken atomic.Bool
	handled := 0
	for _, row := range page {
		if broken.Load() || ctx.Err() != nil || stopping(ctx) || !time.Now().Before(until) {
			break
		}
		handled++
		group.Go(func() error {
			err := d.deliver(ctx, run, key, row)
			if err != nil {
				broken.Store(true)
			}
			return err
		})
	}
	err := group.Wait()
	switch {
	case errors.Is(err, mail.ErrUnavailable):
		d.log.WarnContext(ctx, "digests wait: the mail server is unavailable", "run_id", run, "error", err)
		return handled, mailError(err)
	case err != nil:
		return handled, failed(ctx, d.log, "deliver digests", err)
	}
	return handled, nil
}

// deliver ends one delivery, or leaves it planned for a later attempt. It returns only errors that would
// affect the next delivery as well.
func (d *Digests) deliver(
	ctx context.Context, run string, key unsubscribe.Key, row db.ListPlannedDigestsRow,
) error {
	message, worthMail, err := d.compose(ctx, key, row)
	if err != nil {
		if errors.Is(err, db.ErrUnavailable) || ctx.Err() != nil {
			return err
		}
		d.log.ErrorContext(ctx, "digest cannot be composed", "delivery_id", row.ID, "error", err)
		return d.end(ctx, db.DeliveryStatusFailed, func(q *db.Queries) (int64, error) {
			return q.FailPlannedDigest(ctx, db.FailPlannedDigestParams{ID: row.ID, RunID: run, Reason: "unwritable"})
		})
	}
	if !worthMail {
		return d.skip(ctx, run, row.ID, "nothing_new")
	}
	if err := d.awaitMailSlot(ctx); err != nil {
		return err
	}
	select {
	case d.sending <- struct{}{}:
		defer func() { <-d.sending }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return d.send(ctx, run, row.ID, message)
}

// compose reads the news as the recipient and writes the mail, without its address. It reports whether the
// digest is worth a mail; if not, there is none.
func (d *Digests) compose(
	ctx context.Context, key unsubscribe.Key, row db.ListPlannedDigestsRow,
) (message mail.Message, worthMail bool, err error) {
	news, err := readNews(ctx, d.store, row.UserID, row.WindowStart, row.WindowEnd)
	if err != nil {
		return mail.Message{}, false, err
	}
	composed, worthMail := digest.Compose(digest.Input{
		Weekly:           row.Frequency == db.DigestFrequencyWeekly,
		Period:           row.Period,
		News:             news,
		PublicURL:        d.cfg.PublicURL,
		UnsubscribeToken: key.Token(unsubscribe.Digests, row.UserID),
	})
	if !worthMail {
		return mail.Message{}, false, nil
	}
	message, err = composed.Message()
	return message, true, err
}

// awaitMailSlot waits until the rate of all workers allows another mail.
func (d *Digests) awaitMailSlot(ctx context.Context) error {
	if d.cfg.Rate <= 0 {
		return nil
	}
	seconds, err := db.AsService(ctx, d.store, func(q *db.Queries) (float64, error) {
		return q.ReserveMailSlot(ctx, 1/d.cfg.Rate)
	})
	if err != nil || seconds <= 0 {
		return err
	}
	select {
	case <-time.After(time.Duration(seconds * float64(time.Second))):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stopping reports whether the worker is about to stop. Then nothing new is begun.
func stopping(ctx context.Context) bool {
	select {
	case <-activity.GetWorkerStopChannel(ctx):
		return true
	default:
		return false
	}
}
