package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// webhooks is nil; it names the activity methods.
var webhooks *activities.Webhooks

// maxWebhookBatches bounds a run of DeliverWebhooks: a batch takes ten seconds, or twenty if the receiver is
// slow.
const maxWebhookBatches = 20

// DeliverWebhooksTimeout ends a run of DeliverWebhooks whose workflow tasks fail or get no worker, so that
// the next run begins on the workers of that time. It exceeds the batches of a run and the attempts of its
// last one.
const DeliverWebhooksTimeout = 20 * time.Minute

// DeliverWebhooks sends the due deliveries of an endpoint, for some minutes. A worker starts the next run
// when the database has due deliveries again, so nothing runs in between.
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
