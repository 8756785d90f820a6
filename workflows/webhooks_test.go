package workflows_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"research/activities"
	"research/workflows"
)

// webhooks is nil; it names the activity methods.
var webhooks *activities.Webhooks

func TestDeliverWebhooks(t *testing.T) {
	t.Parallel()

	t.Run("sends batches until no delivery is due", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		env.OnActivity(webhooks.SendWebhooks, mock.Anything, mock.Anything).Return(
			activities.SendWebhooksResult{Delivered: 3, Failed: 1, More: true}, nil).Twice()
		env.OnActivity(webhooks.SendWebhooks, mock.Anything, mock.Anything).Return(
			activities.SendWebhooksResult{Delivered: 1}, nil).Once()
		env.ExecuteWorkflow(workflows.DeliverWebhooks, workflows.DeliverWebhooksInput{EndpointID: uuid.New()})
		require.NoError(t, env.GetWorkflowError())
		var result workflows.DeliverWebhooksResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.Equal(t, workflows.DeliverWebhooksResult{Delivered: 7, Failed: 2}, result)
	})

	t.Run("ends after some minutes, also if deliveries are due", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		env.OnActivity(webhooks.SendWebhooks, mock.Anything, mock.Anything).After(20*time.Second).Return(
			activities.SendWebhooksResult{Delivered: 1, More: true}, nil)
		began := env.Now()
		env.ExecuteWorkflow(workflows.DeliverWebhooks, workflows.DeliverWebhooksInput{EndpointID: uuid.New()})
		require.NoError(t, env.GetWorkflowError())
		require.Less(t, env.Now().Sub(began), workflows.DeliverWebhooksTimeout/2)
	})
}
