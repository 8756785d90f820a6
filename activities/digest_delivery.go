package activities

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"research/activities/digest"
	"research/activities/mail"
	"research/db"
	"research/internal/unsubscribe"
)

const (
	// deliverPage is how many planned deliveries are read at once, beside those that are being sent.
	deliverPage = 100
	// deliverFor is how long one activity sends before it returns: short, so that the history shows progress.
	deliverFor = 20 * time.Second
)

// DeliverDigestShardInput names a shard of the planned deliveries.
type DeliverDigestShardInput struct {
	RunID string // of the workflow's first run; claims carry it
	Shard int
	Seen  DigestMark // the state of the database that the workflow recorded
}

// DeliverDigestShardResult describes the rest of the shard.
type DeliverDigestShardResult struct {
	Handled int
	Done    bool      // nothing is due
	NextAt  time.Time // when the next delivery of the shard may be attempted; zero if none is planned
	Held    bool      // the database was restored: nothing is sent
	Seen    DigestMark
}

// DeliverDigestShard sends the planned deliveries of a shard that are due, for about twenty seconds. Its
// idempotency key is the row, which is claimed before the mail is sent. If an attempt dies, the mails that it
// was sending may have been accepted; the next attempt marks them uncertain.
func (d *Digests) DeliverDigestShard(
	ctx context.Context, in DeliverDigestShardInput,
) (result DeliverDigestShardResult, err error) {
	defer heartbeat(ctx, nil)()
	if result.Seen, result.Held, err = d.passFence(ctx, in.Seen); err != nil || result.Held {
		return result, failed(ctx, d.log, "pass the fence of digests", err)
	}
	key, err := d.beginShard(ctx, in)
	if err != nil {
		return result, failed(ctx, d.log, "begin a shard", err)
	}
	s := &shardSender{Digests: d, shard: in.Shard, run: in.RunID, key: key, started: map[uuid.UUID]bool{}}
	result.Done, err = s.sendDue(ctx, time.Now().Add(deliverFor))
	result.Handled = len(s.started)
	switch {
	case errors.Is(err, mail.ErrUnavailable):
		d.log.WarnContext(ctx, "digests wait: the mail server is unavailable", "run_id", in.RunID, "error", err)
		return result, mailError(err)
	case err != nil:
		return result, failed(ctx, d.log, "deliver digests", err)
	case result.Done:
		result.NextAt, err = d.nextAttempt(ctx, in.Shard)
	}
	return result, failed(ctx, d.log, "find the next delivery", err)
}

// beginShard fails what has expired, marks the mails uncertain that an earlier attempt was sending when it
// died, and returns the key of unsubscribe links.
func (d *Digests) beginShard(ctx context.Context, in DeliverDigestShardInput) (unsubscribe.Key, error) {
	var lost, expired int64
	key, err := db.AsService(ctx, d.store, func(q *db.Queries) (_ []byte, err error) {
		lost, err = q.MarkInterruptedDigestsUncertain(ctx, db.MarkInterruptedDigestsUncertainParams{
			RunID: in.RunID, Shard: int32(in.Shard),
		})
		if err != nil {
			return nil, err
		}
		if expired, err = q.ExpireDigests(ctx); err != nil {
			return nil, err
		}
		return q.GetSecret(ctx, unsubscribe.SecretName)
	})
	if err != nil {
		return nil, err
	}
	if lost > 0 {
		d.log.WarnContext(ctx, "digests are uncertain: their worker was lost", "run_id", in.RunID, "digests", lost)
	}
	d.ended(ctx, db.DeliveryStatusUncertain, lost)
	d.ended(ctx, db.DeliveryStatusFailed, expired)
	return key, nil
}

// nextAttempt returns when the next delivery of a shard may be attempted, or zero if none is planned.
func (d *Digests) nextAttempt(ctx context.Context, shard int) (time.Time, error) {
	at, err := db.AsService(ctx, d.store, func(q *db.Queries) (time.Time, error) {
		if err := q.ReadByIndexOnly(ctx); err != nil {
			return time.Time{}, err
		}
		return q.GetNextDigestAttempt(ctx, int32(shard))
	})
	if err != nil || at.Unix() == 0 {
		return time.Time{}, err
	}
	return at, nil
}

// A shardSender sends the due deliveries of one shard, several at once.
type shardSender struct {
	*Digests
	shard   int
	run     string
	key     unsubscribe.Key
	group   *errgroup.Group    // of the deliveries that are being sent; nil if there are none
	broken  atomic.Bool        // an error occurred that would affect the next delivery as well
	started map[uuid.UUID]bool // deliveries that this activity began to send
}

// sendDue sends until nothing is due, which it reports, or until the time is up. It reads the queue again
// whenever all that it read is being sent, so that the mail server always has work.
func (s *shardSender) sendDue(ctx context.Context, until time.Time) (done bool, err error) {
	proceed := func() bool {
		return !s.broken.Load() && ctx.Err() == nil && !stopping(ctx) && time.Now().Before(until)
	}
	for proceed() {
		page, err := s.listDue(ctx)
		if err != nil {
			return false, errors.Join(err, s.wait())
		}
		fresh := slices.DeleteFunc(page, func(row db.ListDueDigestsRow) bool { return s.started[row.ID] })
		if len(fresh) == 0 {
			if s.group == nil {
				return true, nil
			}
			// The page held only deliveries in progress. Later ones appear when these are done.
			if err := s.wait(); err != nil {
				return false, err
			}
		}
		for _, row := range fresh {
			if proceed() {
				s.start(ctx, row)
			}
		}
	}
	return false, s.wait()
}

// wait waits until nothing is being sent.
func (s *shardSender) wait() error {
	if s.group == nil {
		return nil
	}
	group := s.group
	s.group = nil
	return group.Wait()
}

func (s *shardSender) listDue(ctx context.Context) ([]db.ListDueDigestsRow, error) {
	return db.AsService(ctx, s.store, func(q *db.Queries) ([]db.ListDueDigestsRow, error) {
		if err := q.ReadByIndexOnly(ctx); err != nil {
			return nil, err
		}
		return q.ListDueDigests(ctx, db.ListDueDigestsParams{
			Shard: int32(s.shard), Size: int32(deliverPage + s.cfg.Concurrency),
		})
	})
}

// start sends a delivery in the background. It waits while cfg.Concurrency deliveries are being sent.
func (s *shardSender) start(ctx context.Context, row db.ListDueDigestsRow) {
	if s.group == nil {
		s.group = new(errgroup.Group)
		s.group.SetLimit(s.cfg.Concurrency)
	}
	s.started[row.ID] = true
	s.group.Go(func() error {
		err := s.deliver(ctx, row)
		if err != nil {
			s.broken.Store(true)
		}
		return err
	})
}

// deliver ends one delivery, or leaves it planned for a later attempt. It returns only errors that would
// affect the next delivery as well.
func (s *shardSender) deliver(ctx context.Context, row db.ListDueDigestsRow) error {
	message, worthMail, err := s.compose(ctx, row)
	if err != nil {
		if errors.Is(err, db.ErrUnavailable) || ctx.Err() != nil {
			return err
		}
		s.log.ErrorContext(ctx, "digest cannot be composed", "delivery_id", row.ID, "error", err)
		return s.end(ctx, db.DeliveryStatusFailed, func(q *db.Queries) (int64, error) {
			return q.FailPlannedDigest(ctx, db.FailPlannedDigestParams{ID: row.ID, RunID: s.run, Reason: "unwritable"})
		})
	}
	if !worthMail {
		return s.skip(ctx, s.run, row.ID, "nothing_new")
	}
	if err := s.awaitMailSlot(ctx); err != nil {
		return err
	}
	select {
	case s.sending <- struct{}{}:
		defer func() { <-s.sending }()
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.send(ctx, s.run, row.ID, message)
}

// compose reads the news as the recipient and writes the mail, without its address. It reports whether the
// digest is worth a mail; if not, there is none.
func (s *shardSender) compose(
	ctx context.Context, row db.ListDueDigestsRow,
) (message mail.Message, worthMail bool, err error) {
	news, err := readNews(ctx, s.store, row.UserID, row.WindowStart, row.WindowEnd)
	if err != nil {
		return mail.Message{}, false, err
	}
	composed, worthMail := digest.Compose(digest.Input{
		Weekly:           row.Frequency == db.DigestFrequencyWeekly,
		Window:           digest.Window{Start: row.WindowStart, End: row.WindowEnd, Zone: row.Timezone},
		News:             news,
		PublicURL:        s.cfg.PublicURL,
		UnsubscribeToken: s.key.Token(unsubscribe.Digests, row.UserID),
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
