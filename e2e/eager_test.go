package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"

	"research/workflows"
)

// A worker that begins an import reads its first chunks at once: the activity needs no task of Temporal's
// queue, which dispatches none here.
func TestFirstChunksNeedNoTask(t *testing.T) {
	t.Parallel()
	s := startService(t)
	editor := s.signIn(t, s.Editor)
	none := &workflowservice.UpdateTaskQueueConfigRequest{
		Namespace:     s.namespace,
		TaskQueue:     workflows.QueueParse,
		TaskQueueType: enumspb.TASK_QUEUE_TYPE_ACTIVITY,
		UpdateQueueRateLimit: &workflowservice.UpdateTaskQueueConfigRequest_RateLimitUpdate{
			RateLimit: &taskqueuepb.RateLimit{RequestsPerSecond: 0},
		},
	}
	_, err := s.temporal.WorkflowService().UpdateTaskQueueConfig(t.Context(), none)
	require.NoError(t, err)
	i := queueMember{s, editor}.requireQueued(t)
	s.waitForStatus(t, editor, i.id, "parsed")
}
