package activities

import (
	"context"
	"errors"
	"fmt"
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
	// sendTimeout bounds the SMTP session of one mail.
	sendTimeout = 5 * time.Minute
	// finishTimeout bounds the attempts to record a result while the database is unavailable.
	finishTimeout = 30 * time.Second
	// toleratedRefusals is how many permanent refusals in a row, each of another period, suppress an address.
	toleratedRefusals = 3
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
	if errors.Is(err, db.ErrUnavailable) || err != nil && ctx.Err() != nil {
		return err
	}
	if err != nil {
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

// send claims a delivery, sends its mail and records the result.
func (d *Digests) send(ctx context.Context, run string, id uuid.UUID, message mail.Message) error {
	message.ID = "digest." + id.String()
	claim, err := db.AsService(ctx, d.store, func(q *db.Queries) (db.ClaimDigestRow, error) {
		return q.ClaimDigest(ctx, db.ClaimDigestParams{
			ID: id, RunID: run, MessageID: d.sender.MessageID(message.ID),
		})
	})
	if errors.Is(err, db.ErrNotFound) { // another run claimed it, or the recipient may no longer get it
		return d.skip(ctx, run, id, "")
	}
	if err != nil {
		return err
	}
	// From here on the end of the activity does not interrupt: the server's answer is worth more than a quick
	// stop.
	detached := context.WithoutCancel(ctx)
	sending, cancel := context.WithTimeout(detached, sendTimeout)
	defer cancel()
	message.To = claim.Email
	sent := d.sender.Send(sending, message)
	err = d.finish(detached, id, claim, sent)
	if errors.Is(sent, mail.ErrUnavailable) {
		err = errors.Join(err, sent)
	}
	return err
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

// skip ends a delivery without a mail. Without a reason it does so only if the recipient may no longer get
// the digest, which then is the reason.
func (d *Digests) skip(ctx context.Context, run string, id uuid.UUID, reason string) error {
	return d.end(ctx, db.DeliveryStatusSkipped, func(q *db.Queries) (int64, error) {
		return q.SkipDigest(ctx, db.SkipDigestParams{ID: id, RunID: run, Reason: reason})
	})
}

// end records that a delivery ended, and counts it. write returns the number of deliveries that it ended.
func (d *Digests) end(
	ctx context.Context, status db.DeliveryStatus, write func(*db.Queries) (int64, error),
) error {
	n, err := db.AsService(ctx, d.store, write)
	if err == nil {
		d.ended(ctx, status, n)
	}
	return err
}

// finish records the result of an attempt, and tries again while the database is unavailable. A result that
// it cannot record leaves the delivery in the status sending, which later becomes uncertain.
func (d *Digests) finish(ctx context.Context, id uuid.UUID, claim db.ClaimDigestRow, sent error) error {
	ctx, cancel := context.WithTimeout(ctx, finishTimeout)
	defer cancel()
	result := resultOf(id, claim.Attempts, sent)
	for wait := 100 * time.Millisecond; ; wait *= 2 {
		err := d.end(ctx, result.Status, func(q *db.Queries) (int64, error) {
			return record(ctx, q, claim, result, sent)
		})
		if err == nil || !errors.Is(err, db.ErrUnavailable) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

// resultOf returns what an attempt means for its delivery. The status is empty if the mail server could not
// be reached, so that there was no attempt at all.
func resultOf(id uuid.UUID, attempt int32, sent error) db.FinishDigestParams {
	result := db.FinishDigestParams{ID: id, Attempts: attempt}
	var reason string
	var permanent *mail.PermanentError
	var temporary *mail.TemporaryError
	switch {
	case sent == nil:
		result.Status = db.DeliveryStatusSent
		return result
	case errors.As(sent, &permanent):
		result.Status, reason = db.DeliveryStatusFailed, fmt.Sprintf("refused_%d", permanent.Code)
	case errors.As(sent, &temporary):
		result.Status, reason = db.DeliveryStatusPlanned, "connection_lost"
		if temporary.Code != 0 {
			reason = fmt.Sprintf("refused_%d", temporary.Code)
		}
		at := time.Now().Add(backoff(id, attempt))
		result.NextAttemptAt = &at
	case errors.Is(sent, mail.ErrUncertain):
		result.Status, reason = db.DeliveryStatusUncertain, "connection_lost"
	}
	result.Reason = &reason
	return result
}

// record writes the result of an attempt, and what it says about the address. It returns 1 if the delivery
// ended.
func record(
	ctx context.Context, q *db.Queries, claim db.ClaimDigestRow, result db.FinishDigestParams, sent error,
) (int64, error) {
	var permanent *mail.PermanentError
	switch {
	case result.Status == "":
		_, err := q.UndoDigestAttempt(ctx, db.UndoDigestAttemptParams{ID: result.ID, Attempts: result.Attempts})
		return 0, err
	case sent == nil:
		if _, err := q.ClearMailRefusals(ctx, claim.Email); err != nil {
			return 0, err
		}
	case errors.As(sent, &permanent):
		if _, err := q.RecordMailRefusal(ctx, db.RecordMailRefusalParams{
			Address: claim.Email, Code: int32(permanent.Code), Tolerated: toleratedRefusals,
		}); err != nil {
			return 0, err
		}
	}
	ended, err := q.FinishDigest(ctx, result)
	if result.Status == db.DeliveryStatusPlanned {
		ended = 0 // it is attempted again
	}
	return ended, err
}

// backoff returns how long to wait before the next attempt after a temporary refusal: five minutes, as
// greylisting requires, then three times as long each time up to four hours. A share of up to a fifth, taken
// from the id, is added so that many recipients are not attempted again at once.
func backoff(id uuid.UUID, attempts int32) time.Duration {
	wait := 5 * time.Minute
	for range min(attempts-1, 4) {
		wait *= 3
	}
	wait = min(wait, 4*time.Hour)
	return wait + wait/5*time.Duration(id[15])/255
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
