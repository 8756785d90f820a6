package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"research/activities/mail"
	"research/db"
)

const (
	// sendTimeout bounds the SMTP session of one mail.
	sendTimeout = 5 * time.Minute
	// finishTimeout bounds the attempts to record a result while the database is unavailable.
	finishTimeout = 30 * time.Second
	// toleratedRefusals is how many permanent refusals in a row, each of another period, suppress an address.
	toleratedRefusals = 3
)

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
	// The end of the activity no longer interrupts: the server's answer is worth more than a quick stop.
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

// skip ends a delivery without a mail. If reason is empty, it skips the delivery only if the recipient may no
// longer get the digest, and records why.
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
	result := attemptResult(id, claim.Attempts, sent)
	for wait := 100 * time.Millisecond; ; wait *= 2 {
		err := d.end(ctx, result.Status, func(q *db.Queries) (int64, error) {
			return recordAttempt(ctx, q, claim, result, sent)
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

// attemptResult returns the effect of an attempt on its delivery. The status is empty if the mail server
// could not be reached, so that there was no attempt at all.
func attemptResult(id uuid.UUID, attempt int32, sent error) db.FinishDigestParams {
	result := db.FinishDigestParams{ID: id, Attempts: attempt}
	var reason string
	var permanent *mail.PermanentError
	var temporary *mail.TemporaryError
	switch {
	case sent == nil:
		result.Status = db.DeliveryStatusSent
		return result
	case errors.As(sent, &permanent):
		result.Status, reason = db.DeliveryStatusFailed, refusal(permanent.Code, permanent.Reply)
	case errors.As(sent, &temporary):
		result.Status, reason = db.DeliveryStatusPlanned, "connection_lost"
		if temporary.Code != 0 {
			reason = refusal(temporary.Code, temporary.Reply)
		}
		at := time.Now().Add(backoff(id, attempt))
		result.NextAttemptAt = &at
	case errors.Is(sent, mail.ErrUncertain):
		result.Status, reason = db.DeliveryStatusUncertain, "connection_lost"
	}
	result.Reason = &reason
	return result
}

// refusal returns the reason of a delivery that the mail server rejected: a code for programs, and the
// server's words.
func refusal(code int, reply string) string {
	if reply == "" {
		return fmt.Sprintf("refused_%d", code)
	}
	return fmt.Sprintf("refused_%d: %s", code, reply)
}

// recordAttempt writes the result of an attempt, and its consequence for the address. It returns 1 if the
// delivery ended.
func recordAttempt(
	ctx context.Context, q *db.Queries, claim db.ClaimDigestRow, result db.FinishDigestParams, sent error,
) (int64, error) {
	var permanent *mail.PermanentError
	switch {
	case result.Status == "":
		_, err := q.UndoDigestAttempt(ctx, db.UndoDigestAttemptParams{ID: result.ID, Attempts: result.Attempts})
		return 0, err
	case sent == nil:
		if err := q.ClearMailRefusals(ctx, claim.Email); err != nil {
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
