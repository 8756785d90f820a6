package worker

import (
	"context"
	"time"

	"github.com/google/uuid"

	"research/db"
)

const (
	// webhookInterval is how often a worker polls for due webhooks.
	webhookInterval = time.Second
	// maxDueWebhooks is the number of endpoints that one poll starts.
	maxDueWebhooks = 100
	// maxWebhookEvents is the number of events that one poll publishes.
	maxWebhookEvents = 1000
)

// webhookStarter starts the deliveries of an endpoint. Starting them while they run has no effect.
// *temporalclient.Client implements it.
type webhookStarter interface {
	CheckNamespace(ctx context.Context) error
	DeliverWebhooks(ctx context.Context, endpoint uuid.UUID) error
}

// A webhookRelay starts the workflows of endpoints with due deliveries. Every worker has one. Temporal gets
// no requests while nothing is due.
type webhookRelay struct {
	store *db.Store
	runs  webhookStarter
}

// poll publishes new events and starts the workflows of endpoints with due deliveries.
func (r *webhookRelay) poll(ctx context.Context) error {
	var due []uuid.UUID
	err := r.store.AsService(ctx, func(q *db.Queries) (err error) {
		// Usually a server has published them already; this covers the times when none is running.
		if _, err = q.PublishEvents(ctx, maxWebhookEvents); err != nil {
			return err
		}
		due, err = q.ListDueWebhooks(ctx, maxDueWebhooks)
		return err
	})
	if err != nil || len(due) == 0 {
		return err
	}
	if err := r.runs.CheckNamespace(ctx); err != nil {
		return err
	}
	for _, endpoint := range due {
		if err := r.runs.DeliverWebhooks(ctx, endpoint); err != nil {
			return err
		}
	}
	return nil
}
