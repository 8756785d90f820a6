package activities

import (
	"context"
	"errors"
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
	store  *db.Store
	sender digestSender
	cfg    DigestConfig
	log    *slog.Logger
	// sending has a slot for each mail that is being sent. A delivery is claimed only with a slot, so a worker
	// that dies leaves no more than these uncertain.
	sending chan struct{}
}

// NewDigests returns the activities. All dependencies are required; links begin with the public URL.
func NewDigests(store *db.Store, sender digestSender, cfg DigestConfig, log *slog.Logger) (*Digests, error) {
	if store == nil || sender == nil || cfg.PublicURL == "" || log == nil {
		return nil, errors.New("activities: a dependency of Digests is missing")
	}
	cfg.Concurrency = max(cfg.Concurrency, 1)
	if cfg.Ended == nil {
		cfg.Ended = func(context.Context, string, int) {}
	}
	return &Digests{
		store: store, sender: sender, cfg: cfg, log: log, sending: make(chan struct{}, cfg.Concurrency),
	}, nil
}

// BeginDigestsInput names the digests, daily or weekly.
type BeginDigestsInput struct{ Frequency string }

// BeginDigestsResult counts the deliveries that earlier runs had left open.
type BeginDigestsResult struct{ Lost, Expired int64 }

// BeginDigests ends what earlier runs left open: mails that a lost worker was sending become uncertain, and
// planned deliveries whose next digest is due fail. It is idempotent: it depends on the state of the rows
// alone.
func (d *Digests) BeginDigests(ctx context.Context, in BeginDigestsInput) (BeginDigestsResult, error) {
	result, err := db.AsService(ctx, d.store, func(q *db.Queries) (BeginDigestsResult, error) {
		lost, err := q.MarkStaleDigestsUncertain(ctx, claimLease.Seconds())
		if err != nil {
			return BeginDigestsResult{}, err
		}
		expired, err := q.ExpireDigests(ctx, db.DigestFrequency(in.Frequency))
		return BeginDigestsResult{Lost: lost, Expired: expired}, err
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

// CountDigestsInput names a run.
type CountDigestsInput struct {
	Frequency string
	RunID     string
}

// CountDigestsResult is what a run has done, and what is left to do.
type CountDigestsResult struct {
	Due     int       // planned deliveries that may be attempted now
	RetryAt time.Time // when the next later attempt may be made; zero if there is none

	Sent, Skipped, Failed, Uncertain int
}

// CountDigests counts what a run has done. It changes nothing.
func (d *Digests) CountDigests(ctx context.Context, in CountDigestsInput) (CountDigestsResult, error) {
	result, err := db.AsService(ctx, d.store, func(q *db.Queries) (CountDigestsResult, error) {
		planned, err := q.CountPlannedDigests(ctx, db.DigestFrequency(in.Frequency))
		if err != nil {
			return CountDigestsResult{}, err
		}
		ended, err := q.CountDigestRun(ctx, in.RunID)
		result := CountDigestsResult{
			Due:       int(planned.Due),
			Sent:      int(ended.Sent),
			Skipped:   int(ended.Skipped),
			Failed:    int(ended.Failed),
			Uncertain: int(ended.Uncertain),
		}
		if planned.NextAt.Unix() > 0 {
			result.RetryAt = planned.NextAt
		}
		return result, err
	})
	return result, failed(ctx, d.log, "count digests", err)
}
