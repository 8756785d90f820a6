package activities

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"research/activities/mail"
	"research/db"
)

// claimLease is how old a claim may be before its worker is presumed lost. It is far above sendTimeout.
const claimLease = 15 * time.Minute

// digestSender sends mails; *mail.Sender is one.
type digestSender interface {
	// Send sends a mail. Its error is a *mail.PermanentError, a *mail.TemporaryError, mail.ErrUncertain or
	// mail.ErrUnavailable.
	Send(ctx context.Context, m mail.Message) error
	// MessageID returns the Message-ID of the mail with this ID.
	MessageID(id string) string
}

// deliveryStarter starts the workflow that sends digests; *temporalclient.Client is one.
type deliveryStarter interface {
	// DeliverDigests starts the workflow, or signals it if it is running.
	DeliverDigests(ctx context.Context, seen DigestMark) error
}

// DigestConfig configures how digests are sent.
type DigestConfig struct {
	PublicURL   string
	Concurrency int     // mails that this worker sends at once; as many more are composed meanwhile; 0 means 1
	Rate        float64 // mails per second over all workers; 0 means no limit
	// Ended is called with the number of deliveries that ended with a status; nil means no call.
	Ended func(ctx context.Context, status string, n int)
}

// Digests are the activities that plan and send digests. Their methods are registered with Temporal by name.
type Digests struct {
	store    *db.Store
	sender   digestSender
	delivery deliveryStarter
	cfg      DigestConfig
	log      *slog.Logger
	// sending has a slot for each mail that is being sent. A delivery is claimed only with a slot, so a worker
	// that dies leaves no more than these uncertain.
	sending chan struct{}
}

// NewDigests returns the activities. All dependencies are required; links begin with the public URL.
func NewDigests(
	store *db.Store, sender digestSender, delivery deliveryStarter, cfg DigestConfig, log *slog.Logger,
) (*Digests, error) {
	if store == nil || sender == nil || delivery == nil || cfg.PublicURL == "" || log == nil {
		return nil, errors.New("activities: a dependency of Digests is missing")
	}
	cfg.Concurrency = max(cfg.Concurrency, 1)
	if cfg.Ended == nil {
		cfg.Ended = func(context.Context, string, int) {}
	}
	return &Digests{
		store: store, sender: sender, delivery: delivery, cfg: cfg, log: log,
		sending: make(chan struct{}, cfg.Concurrency),
	}, nil
}

// BeginDigestsInput names the digests, daily or weekly.
type BeginDigestsInput struct {
	Frequency string
	Seen      DigestMark // Temporal's latest record of the database
}

// BeginDigestsResult counts the deliveries that earlier runs had left open.
type BeginDigestsResult struct {
	Lost, Expired int64

	Held bool // the database was restored: nothing must be planned or sent
	Seen DigestMark
}

// BeginDigests ends what earlier runs left open: mails that a lost worker was sending become uncertain, and
// planned deliveries whose next digest is due fail. It is idempotent: it depends on the state of the rows
// alone. While digests are held, it changes nothing.
func (d *Digests) BeginDigests(
	ctx context.Context, in BeginDigestsInput,
) (result BeginDigestsResult, err error) {
	if result.Seen, result.Held, err = d.passFence(ctx, in.Seen); err != nil || result.Held {
		return result, failed(ctx, d.log, "pass the fence of digests", err)
	}
	err = d.store.AsService(ctx, func(q *db.Queries) error {
		if result.Lost, err = q.MarkStaleDigestsUncertain(ctx, claimLease.Seconds()); err != nil {
			return err
		}
		result.Expired, err = q.ExpireDigests(ctx)
		return err
	})
	if err == nil {
		d.ended(ctx, db.DeliveryStatusUncertain, result.Lost)
		d.ended(ctx, db.DeliveryStatusFailed, result.Expired)
	}
	return result, failed(ctx, d.log, "end what earlier runs left open", err)
}

// ended counts deliveries that ended. One that was presumed lost, and whose worker then reports it as sent,
// is counted with both statuses.
func (d *Digests) ended(ctx context.Context, status db.DeliveryStatus, n int64) {
	if n > 0 {
		d.cfg.Ended(ctx, string(status), int(n))
	}
}

// StartDeliveryInput is the state of the database that the workflow recorded.
type StartDeliveryInput struct{ Seen DigestMark }

// StartDeliveryResult has no fields.
type StartDeliveryResult struct{}

// StartDelivery starts the workflow that sends planned digests, or signals it if it is running. Repeating it
// has no effect.
func (d *Digests) StartDelivery(ctx context.Context, in StartDeliveryInput) (StartDeliveryResult, error) {
	if err := d.delivery.DeliverDigests(ctx, in.Seen); err != nil {
		return StartDeliveryResult{}, fmt.Errorf("start the delivery of digests: %w", err)
	}
	return StartDeliveryResult{}, nil
}

const (
	// awaitFor is how long one call of AwaitDigests waits.
	awaitFor = time.Minute
	// awaitInterval is the time between two counts, at least. It grows with the time that a count takes, so that
	// counting many deliveries does not slow down their sending.
	awaitInterval = 100 * time.Millisecond
	awaitFactor   = 20
)

// AwaitDigestsInput names a request to send digests at once, by the id of its run.
type AwaitDigestsInput struct{ RunID string }

// AwaitDigestsResult counts the deliveries of the request.
type AwaitDigestsResult struct {
	Open int // being sent, or due and not sent yet

	Sent, Skipped, Failed, Uncertain int
}

// AwaitDigests waits for about a minute until no delivery of a request is open, and counts them. It changes
// nothing.
func (d *Digests) AwaitDigests(ctx context.Context, in AwaitDigestsInput) (AwaitDigestsResult, error) {
	defer heartbeat(ctx, nil)()
	for until := time.Now().Add(awaitFor); ; {
		began := time.Now()
		counts, err := db.AsService(ctx, d.store, func(q *db.Queries) (db.CountRequestedDigestsRow, error) {
			return q.CountRequestedDigests(ctx, in.RunID)
		})
		if err != nil {
			return AwaitDigestsResult{}, failed(ctx, d.log, "count digests", err)
		}
		if counts.Open == 0 || time.Now().After(until) || stopping(ctx) {
			return AwaitDigestsResult{
				Open:      int(counts.Open),
				Sent:      int(counts.Sent),
				Skipped:   int(counts.Skipped),
				Failed:    int(counts.Failed),
				Uncertain: int(counts.Uncertain),
			}, nil
		}
		select {
		case <-time.After(max(awaitInterval, awaitFactor*time.Since(began))):
		case <-ctx.Done():
			return AwaitDigestsResult{}, ctx.Err()
		}
	}
}
