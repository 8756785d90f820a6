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
	// webhookTimeout ends a statement of a poll: everybody's events wait for it.
	webhookTimeout = 10 * time.Second
	// maxDueWebhooks is the number of endpoints that one poll starts.
	maxDueWebhooks = 100
	// webhookAgain is when an endpoint that was started is due again, unless its run has finished by then.
	webhookAgain = 2 * time.Second
	// maxWebhookEvents is the number of events that one transaction publishes, and whose endpoints it makes due.
	maxWebhookEvents = 1000
	// maxWebhookRoutes bounds the transactions of one poll. A worker that was away has the events of a day.
	maxWebhookRoutes = 20
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
	if err := r.route(ctx); err != nil {
		return err
	}
	due, err := db.AsServiceWithin(ctx, r.store, webhookTimeout, func(q *db.Queries) ([]uuid.UUID, error) {
		return q.TakeDueWebhooks(ctx, db.TakeDueWebhooksParams{
			Most: maxDueWebhooks, AgainSeconds: webhookAgain.Seconds(),
		})
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

// route makes the endpoints due that want new events. Usually a server has published these already; that the
// worker does so too covers the times when none is running.
func (r *webhookRelay) route(ctx context.Context) error {
	for range maxWebhookRoutes {
		events, err := db.AsServiceWithin(ctx, r.store, webhookTimeout, func(q *db.Queries) (int64, error) {
			if _, err := q.PublishEvents(ctx, maxWebhookEvents); err != nil {
				return 0, err
			}
			return q.RouteWebhooks(ctx, maxWebhookEvents)
		})
		if err != nil || events < maxWebhookEvents {
			return err
		}
	}
	return nil
}
