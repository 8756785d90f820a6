package activities

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"research/activities/webhook"
	"research/db"
)

// webhookSender sends an event once; *webhook.Sender is one.
type webhookSender interface {
	// Send returns the response of the receiver. Its error is a *webhook.Error if there was none.
	Send(ctx context.Context, m webhook.Message) (webhook.Response, error)
}

// Webhooks are the activities that send events to the endpoints of workspaces.
type Webhooks struct {
	store  *db.Store
	sender webhookSender
	log    *slog.Logger
}

// NewWebhooks returns the activities. All dependencies are required.
func NewWebhooks(store *db.Store, sender webhookSender, log *slog.Logger) (*Webhooks, error) {
	if store == nil || sender == nil || log == nil {
		return nil, errors.New("activities: a dependency of Webhooks is missing")
	}
	return &Webhooks{store: store, sender: sender, log: log}, nil
}

const (
	// webhookLease is how long a delivery belongs to the sender that claimed it. It exceeds the time limit of an
	// attempt, so that two senders never send a delivery at the same time.
	webhookLease = 30 * time.Second
	// webhookSenders is how many deliveries of an endpoint are sent at a time, each from another queue, so that
	// a slow response for one import does not delay the others.
	webhookSenders = 4
	// webhookTime is how long one activity sends, so that endpoints with many events or slow receivers take
	// turns with all others.
	webhookTime = 10 * time.Second
	// webhookBatch is how many events are read at a time to make deliveries, and mostPending is how many
	// deliveries wait for an endpoint before no more are made. The others stay in private.events.
	webhookBatch = 500
	mostPending  = 1000
	// webhookRest is how long a sender that finds nothing waits at first, and maxWebhookRest at most, before it
	// looks again while others send.
	webhookRest    = 100 * time.Millisecond
	maxWebhookRest = 3 * time.Second
	// feedTimeout ends a statement that makes deliveries: to make an endpoint due, the poll waits for it.
	feedTimeout = 5 * time.Second
)

// webhookRetries are the delays after the attempts of a delivery: a day in all. An endpoint that accepts
// nothing for a day is paused.
var webhookRetries = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour,
	2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 8*time.Hour + 30*time.Minute,
}

// SendWebhooksInput names a row of webhook_endpoints. URLs and secrets never enter a history.
type SendWebhooksInput struct{ EndpointID uuid.UUID }

// SendWebhooksResult counts attempts.
type SendWebhooksResult struct {
	Delivered int
	Failed    int  // attempts, most of which are repeated
	More      bool // may be due
}

// SendWebhooks sends the deliveries of an endpoint that are due, each import's in order, and makes those of
// the events that the endpoint has not been given yet. A delivery is claimed before it is sent, and recorded
// afterwards: if the process dies in between, it is sent again, with the same id, after the lease.
func (w *Webhooks) SendWebhooks(ctx context.Context, in SendWebhooksInput) (SendWebhooksResult, error) {
	defer heartbeat(ctx, nil)()
	until := time.Now().Add(webhookTime)
	results := make([]SendWebhooksResult, webhookSenders)
	crew := newSenders(webhookSenders)
	group, ctx := errgroup.WithContext(ctx)
	for i := range results {
		group.Go(func() (err error) {
			results[i], err = w.sendUntil(ctx, until, in.EndpointID, crew)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return SendWebhooksResult{}, err
	}
	var total SendWebhooksResult
	for _, r := range results {
		total.Delivered += r.Delivered
		total.Failed += r.Failed
		total.More = total.More || r.More
	}
	return total, nil
}

// sendUntil sends one delivery after the other, until none is due for any sender of the endpoint or the
// deadline has passed.
func (w *Webhooks) sendUntil(
	ctx context.Context, until time.Time, endpoint uuid.UUID, crew *senders,
) (result SendWebhooksResult, err error) {
	working, rests := true, 0
	defer func() {
		if working {
			crew.leave()
		}
	}()
	for time.Now().Before(until) {
		claimed, found, err := w.claim(ctx, endpoint)
		if err != nil {
			return result, failed(ctx, w.log, "claim a webhook", err, "endpoint_id", endpoint)
		}
		if !found {
			more, err := w.feed(ctx, endpoint)
			if err != nil {
				return result, failed(ctx, w.log, "make webhooks", err, "endpoint_id", endpoint)
			}
			if !more {
				if working = crew.rest(ctx, min(webhookRest<<rests, maxWebhookRest)); !working {
					return result, ctx.Err()
				}
				rests++
			}
			continue
		}
		rests = 0
		delivered, err := w.send(ctx, claimed)
		if err != nil {
			return result, failed(ctx, w.log, "send a webhook", err, "delivery_id", claimed.ID)
		}
		if delivered {
			result.Delivered++
		} else {
			result.Failed++
		}
	}
	result.More = true
	return result, nil
}

// senders are those of one endpoint. One that finds nothing may have been too early: another held the lock of
// the queue that it skipped, and took a different one. So it looks again while others are at work.
type senders struct {
	mu   sync.Mutex
	busy int
	done chan struct{} // closed when none is busy
}

func newSenders(n int) *senders { return &senders{busy: n, done: make(chan struct{})} }

// leave ends the work of a sender.
func (s *senders) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy--; s.busy == 0 {
		close(s.done)
	}
}

// rest ends the work of a sender for a while. If others are still at work then, it works again, which it
// reports.
func (s *senders) rest(ctx context.Context, wait time.Duration) (works bool) {
	s.leave()
	select {
	case <-s.done:
	case <-ctx.Done():
	case <-time.After(wait):
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy == 0 || ctx.Err() != nil {
		return false
	}
	s.busy++
	return true
}

// feed makes deliveries of the next events, and reports whether there may be something to send.
func (w *Webhooks) feed(ctx context.Context, endpoint uuid.UUID) (more bool, err error) {
	return db.AsServiceWithin(ctx, w.store, feedTimeout, func(q *db.Queries) (bool, error) {
		return q.FeedWebhook(ctx, db.FeedWebhookParams{
			EndpointID: endpoint, Most: webhookBatch, MostPending: mostPending,
		})
	})
}

// claim takes the next delivery that is due. The transaction is also committed if there is none: it has
// removed queues that are empty.
func (w *Webhooks) claim(
	ctx context.Context, endpoint uuid.UUID,
) (claimed db.ClaimWebhookRow, found bool, err error) {
	err = w.store.AsService(ctx, func(q *db.Queries) error {
		claimed, err = q.ClaimWebhook(ctx, db.ClaimWebhookParams{
			EndpointID: endpoint, LeaseSeconds: webhookLease.Seconds(),
		})
		found = err == nil
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		return err
	})
	return claimed, found, err
}

// send makes one attempt and records it.
func (w *Webhooks) send(ctx context.Context, claimed db.ClaimWebhookRow) (delivered bool, err error) {
	response, err := w.sender.Send(ctx, webhook.Message{
		URL: claimed.Url, Secrets: claimed.Secrets, ID: claimed.EventID.String(), Body: []byte(claimed.Body),
	})
	record := db.RecordWebhookParams{ID: claimed.ID, Accepted: err == nil && response.Accepted()}
	var unanswered *webhook.Error
	switch {
	case errors.As(err, &unanswered):
		record.Error = &unanswered.Reason
	case err != nil:
		return false, err
	default:
		status := int32(response.Status) //nolint:gosec // it has three digits
		record.ResponseStatus, record.ResponseExcerpt = &status, &response.Excerpt
		record.Gone = response.Gone()
	}
	if n := int(claimed.Attempts); !record.Accepted && !record.Gone && n <= len(webhookRetries) {
		delay := webhookRetries[n-1].Seconds()
		record.RetrySeconds = &delay
	}
	// An attempt that was made is recorded, also by a worker that stops.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err = w.store.AsService(ctx, func(q *db.Queries) error { return q.RecordWebhook(ctx, record) })
	return record.Accepted, err
}
