package worker

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"research/db"
)

const (
	// mailInterval is how often a worker polls for mails that wait.
	mailInterval = 5 * time.Second

	// mailAgain is when the run of a mail that still waits is started again, which has no effect while it is
	// open. It retries for half an hour; so a mail server may be away for days.
	mailAgain = 5 * time.Minute

	// maxWaitingMails is the number of mails of each kind that one poll starts.
	maxWaitingMails = 200
)

// accountMails starts the workflows of mails about accounts. Starting one that is running has no effect.
// *temporalclient.Client implements it.
type accountMails interface {
	CheckNamespace(ctx context.Context) error
	SendAccountMail(ctx context.Context, request uuid.UUID) error
	SendAccountNotice(ctx context.Context, notice uuid.UUID) error
}

// A mailRelay starts the workflows of mails about accounts that wait: those that a transaction requested,
// those that could not be started because Temporal was unreachable, and those whose run ended without the
// mail. Every worker has one; the first to poll in an interval starts them. Temporal gets no requests while
// no mail waits.
type mailRelay struct {
	store *db.Store
	mails accountMails
}

// poll starts the mails that wait, the oldest first.
func (r *mailRelay) poll(ctx context.Context) error {
	requests, notices, err := r.waiting(ctx)
	if err != nil || len(requests)+len(notices) == 0 {
		return err
	}
	if err := r.mails.CheckNamespace(ctx); err != nil {
		return err
	}
	requests, err = startAll(ctx, requests, r.mails.SendAccountMail)
	if err == nil {
		notices, err = startAll(ctx, notices, r.mails.SendAccountNotice)
	} else {
		notices = nil
	}
	// What was started is recorded even if another one could not be.
	return errors.Join(err, r.store.AsService(ctx, func(q *db.Queries) error {
		if err := q.MarkMailsStarted(ctx, requests); err != nil {
			return err
		}
		return q.MarkNoticesStarted(ctx, notices)
	}))
}

// startAll starts one after the other, and returns those that it started before the first failure.
func startAll(
	ctx context.Context, ids []uuid.UUID, start func(context.Context, uuid.UUID) error,
) ([]uuid.UUID, error) {
	for i, id := range ids {
		if err := start(ctx, id); err != nil {
			return ids[:i], err
		}
	}
	return ids, nil
}

// waiting returns the ids of rows of auth.one_time_tokens and auth.notices whose mail waits. It returns none
// if another worker has already polled in this interval.
func (r *mailRelay) waiting(ctx context.Context) (requests, notices []uuid.UUID, err error) {
	err = r.store.AsService(ctx, func(q *db.Queries) error {
		// Less than the interval, because tickers are not exact.
		claimed, err := q.ClaimMailRelay(ctx, mailInterval.Seconds()/2)
		if err != nil || claimed == 0 {
			return err
		}
		requests, err = q.ListWaitingMails(ctx, db.ListWaitingMailsParams{
			AgainSeconds: mailAgain.Seconds(), Maximum: maxWaitingMails,
		})
		if err != nil {
			return err
		}
		notices, err = q.ListWaitingNotices(ctx, db.ListWaitingNoticesParams{
			AgainSeconds: mailAgain.Seconds(), Maximum: maxWaitingMails,
		})
		return err
	})
	return requests, notices, err
}
