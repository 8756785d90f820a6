package worker

import (
	"context"
	"time"

	"github.com/google/uuid"

	"research/db"
)

const (
	// mailInterval is how often a worker polls for mails whose workflow was not started.
	mailInterval = 5 * time.Second

	// maxUnsentMails is the number of mails of each kind that one poll starts.
	maxUnsentMails = 200
)

// accountMails starts the workflows of mails about accounts. Starting a mail twice has no effect.
// *temporalclient.Client implements it.
type accountMails interface {
	CheckNamespace(ctx context.Context) error
	SendAccountMail(ctx context.Context, request uuid.UUID) error
	SendAccountNotice(ctx context.Context, notice uuid.UUID) error
}

// A mailRelay starts the workflows of unsent mails about accounts: those that a transaction requested, and
// those that could not be started because Temporal was unreachable. Every worker has one; the first to poll
// in an interval starts them. Temporal gets no requests while no mail is unsent.
type mailRelay struct {
	store *db.Store
	mails accountMails
}

// poll starts the unsent mails, the oldest first.
func (r *mailRelay) poll(ctx context.Context) error {
	requests, notices, err := r.unsent(ctx)
	if err != nil || len(requests)+len(notices) == 0 {
		return err
	}
	if err := r.mails.CheckNamespace(ctx); err != nil {
		return err
	}
	for _, request := range requests {
		if err := r.mails.SendAccountMail(ctx, request); err != nil {
			return err
		}
	}
	for _, notice := range notices {
		if err := r.mails.SendAccountNotice(ctx, notice); err != nil {
			return err
		}
	}
	return nil
}

// unsent returns the ids of unsent rows of auth.one_time_tokens and auth.notices. It returns none if another
// worker has already polled in this interval.
func (r *mailRelay) unsent(ctx context.Context) (requests, notices []uuid.UUID, err error) {
	err = r.store.AsService(ctx, func(q *db.Queries) error {
		// Less than the interval, because tickers are not exact.
		claimed, err := q.ClaimMailRelay(ctx, mailInterval.Seconds()/2)
		if err != nil || claimed == 0 {
			return err
		}
		if requests, err = q.ListUnsentMails(ctx, maxUnsentMails); err != nil {
			return err
		}
		notices, err = q.ListNotices(ctx, maxUnsentMails)
		return err
	})
	return requests, notices, err
}
