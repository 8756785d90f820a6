package workflows

import (
	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// webhooks is nil; it names the activity methods.
var webhooks *activities.Webhooks

// maxWebhookBatches bounds the history of a run. A worker starts another run for the remaining deliveries.
const maxWebhookBatches = 200

// DeliverWebhooks sends the due deliveries of an endpoint. A worker starts the next run when the database has
// due deliveries again, so nothing runs in between.
func DeliverWebhooks(ctx workflow.Context, in DeliverWebhooksInput) (DeliverWebhooksResult, error) {
	var total DeliverWebhooksResult
	for range maxWebhookBatches {
		batch, err := call(ctx, webhookOptions(), webhooks.SendWebhooks, activities.SendWebhooksInput(in))
		if err != nil {
			return total, err
		}
		total.Delivered += batch.Delivered
		total.Failed += batch.Failed
		if !batch.More {
			break
		}
	}
	return total, nil
}
