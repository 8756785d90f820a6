package temporalclient

import (
	"context"
	"errors"

	commonpb "go.temporal.io/api/common/v1"
	deploymentpb "go.temporal.io/api/deployment/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/temporal"

	"research/workflows"
)

// An Inspection is the state of a namespace, for operators. What Temporal refuses to say is not in it; Rights
// says which.
type Inspection struct {
	MissingAttributes []temporal.SearchAttributeKey // that are not registered
	MissingSchedules  []string                      // ids
	PausedSchedules   []string                      // ids; an operator paused them
	// Current is the worker version that receives new runs, as deployment:build. Empty means unversioned.
	Current string
	// Undecodable is the error of decoding the payloads of recent runs. It is nil if there are none.
	Undecodable error

	// Knows says which of the above Temporal told.
	Knows struct{ Attributes, Schedules, Current, Payloads bool }
}

// Inspect describes the namespace and changes nothing. Its error is ErrUnavailable.
//
// It does not use Client.request, because a command calls it once and must see the error of the server, not
// that of the breaker.
func (c *Client) Inspect(
	ctx context.Context, namespace string, keys *Keyring, schedules ...Schedule,
) (i Inspection, err error) {
	// known reports whether a part is known, and keeps the first error but those of rights.
	known := func(partErr error) bool {
		if partErr != nil && !isRefusal(codeOf(partErr)) && err == nil {
			err = Failure("inspect the namespace", partErr)
		}
		return partErr == nil
	}
	var partErr error
	i.MissingAttributes, partErr = c.missingSearchAttributes(ctx, namespace)
	i.Knows.Attributes = known(partErr)
	i.Knows.Schedules = known(c.inspectSchedules(ctx, namespace, schedules, &i))
	i.Current, partErr = c.currentVersion(ctx, namespace)
	i.Knows.Current = known(partErr)
	i.Undecodable, partErr = c.decodeRecentRuns(ctx, namespace, keys)
	i.Knows.Payloads = known(partErr)
	return i, err
}

func (c *Client) inspectSchedules(
	ctx context.Context, namespace string, schedules []Schedule, i *Inspection,
) error {
	for _, s := range schedules {
		// The SDK's DescribeSchedule decodes the input, which requires the keys.
		described, err := c.temporal.WorkflowService().DescribeSchedule(ctx,
			&workflowservice.DescribeScheduleRequest{Namespace: namespace, ScheduleId: s.ID})
		var notFound *serviceerror.NotFound
		switch {
		case errors.As(err, &notFound):
			i.MissingSchedules = append(i.MissingSchedules, s.ID)
		case err != nil:
			return err
		case described.GetSchedule().GetState().GetPaused():
			i.PausedSchedules = append(i.PausedSchedules, s.ID)
		}
	}
	return nil
}

// currentVersion returns the worker version that receives new runs.
func (c *Client) currentVersion(ctx context.Context, namespace string) (string, error) {
	described, err := c.temporal.WorkflowService().DescribeTaskQueue(ctx,
		&workflowservice.DescribeTaskQueueRequest{
			Namespace:     namespace,
			TaskQueue:     &taskqueuepb.TaskQueue{Name: workflows.QueueControl, Kind: enumspb.TASK_QUEUE_KIND_NORMAL},
			TaskQueueType: enumspb.TASK_QUEUE_TYPE_WORKFLOW,
		})
	if err != nil {
		return "", err
	}
	return versionName(described.GetVersioningInfo().GetCurrentDeploymentVersion()), nil
}

func versionName(v *deploymentpb.WorkerDeploymentVersion) string {
	if v == nil {
		return ""
	}
	return v.GetDeploymentName() + ":" + v.GetBuildId()
}

// recentRuns is the number of runs that decodeRecentRuns reads.
const recentRuns = 5

// decodeRecentRuns decodes the inputs of the latest runs, and returns the first error of decoding.
func (c *Client) decodeRecentRuns(
	ctx context.Context, namespace string, keys *Keyring,
) (undecodable, err error) {
	found, err := c.temporal.ListWorkflow(ctx,
		&workflowservice.ListWorkflowExecutionsRequest{Namespace: namespace, PageSize: recentRuns})
	if err != nil {
		return nil, err
	}
	for _, info := range found.GetExecutions() {
		run := info.GetExecution()
		events := c.temporal.GetWorkflowHistory(ctx, run.GetWorkflowId(), run.GetRunId(), false,
			enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		if !events.HasNext() {
			continue
		}
		first, err := events.Next()
		if err != nil {
			continue // the history was deleted meanwhile
		}
		for _, p := range first.GetWorkflowExecutionStartedEventAttributes().GetInput().GetPayloads() {
			if err := tryDecode(p, keys); err != nil {
				return err, nil
			}
		}
	}
	return nil, nil
}

func tryDecode(p *commonpb.Payload, keys *Keyring) error {
	switch {
	case !isEncrypted(p):
		return nil
	case keys == nil:
		return errors.New("the payloads are encrypted, and PAYLOAD_KEYS is not set")
	}
	_, err := keys.Decode([]*commonpb.Payload{p})
	return err
}
