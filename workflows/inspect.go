package workflows

import (
	"context"
	"errors"
	"fmt"
	"slices"

	commonpb "go.temporal.io/api/common/v1"
	deploymentpb "go.temporal.io/api/deployment/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
)

// What Inspect may fail with, beside ErrUnavailable.
var (
	// ErrRefused: Temporal does not let us in.
	ErrRefused = errors.New("temporal refuses")
	// ErrNoNamespace: there is no such namespace.
	ErrNoNamespace = errors.New("no such namespace")
)

// An Inspection is what an operator should know of Temporal.
type Inspection struct {
	MissingAttributes []string       // search attributes
	MissingSchedules  []string       // of those asked for
	PausedSchedules   []string       // by an operator
	Pollers           map[string]int // workers, by task queue
	Current           string         // the version of workers that new runs go to, as deployment:build; empty: workers without a version
	CurrentPolls      bool           // there is such a worker for workflows
	Undecodable       error          // why what Temporal stores cannot be read with the keys at hand; nil: it can, or there is nothing yet
}

// Inspect looks at the namespace, and changes nothing. Its error is ErrUnavailable, ErrRefused or ErrNoNamespace.
func (c *Client) Inspect(ctx context.Context, namespace string, keys *Keyring, schedules ...Schedule) (Inspection, error) {
	i := Inspection{Pollers: map[string]int{}}
	service := c.temporal.WorkflowService()
	if _, err := service.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: namespace}); err != nil {
		return i, inspectError(err)
	}
	there, err := c.temporal.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return i, inspectError(err)
	}
	for _, key := range attributes {
		if _, known := there.GetCustomAttributes()[key.GetName()]; !known {
			i.MissingAttributes = append(i.MissingAttributes, key.GetName())
		}
	}
	for _, s := range schedules {
		// The SDK's own call decodes what is in it, which takes the keys.
		is, err := service.DescribeSchedule(ctx, &workflowservice.DescribeScheduleRequest{Namespace: namespace, ScheduleId: s.ID})
		var missing *serviceerror.NotFound
		switch {
		case errors.As(err, &missing):
			i.MissingSchedules = append(i.MissingSchedules, s.ID)
		case err != nil:
			return i, inspectError(err)
		case is.GetSchedule().GetState().GetPaused():
			i.PausedSchedules = append(i.PausedSchedules, s.ID)
		}
	}
	for _, queue := range Queues {
		kind := enumspb.TASK_QUEUE_TYPE_ACTIVITY
		if queue == QueueControl {
			kind = enumspb.TASK_QUEUE_TYPE_WORKFLOW
		}
		described, err := service.DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
			Namespace: namespace, TaskQueue: &taskqueuepb.TaskQueue{Name: queue, Kind: enumspb.TASK_QUEUE_KIND_NORMAL}, TaskQueueType: kind,
		})
		if err != nil {
			return i, inspectError(err)
		}
		i.Pollers[queue] = len(described.GetPollers())
		if queue == QueueControl {
			i.Current = versionName(described.GetVersioningInfo().GetCurrentDeploymentVersion())
			i.CurrentPolls = slices.ContainsFunc(described.GetPollers(), func(p *taskqueuepb.PollerInfo) bool { return pollerVersion(p) == i.Current })
		}
	}
	i.Undecodable, err = c.undecodable(ctx, namespace, keys)
	return i, err
}

// pollerVersion is that of a worker, or empty where it has none.
func pollerVersion(p *taskqueuepb.PollerInfo) string {
	options := p.GetDeploymentOptions()
	if options.GetWorkerVersioningMode() != enumspb.WORKER_VERSIONING_MODE_VERSIONED {
		return ""
	}
	return versionName(&deploymentpb.WorkerDeploymentVersion{DeploymentName: options.GetDeploymentName(), BuildId: options.GetBuildId()})
}

func versionName(v *deploymentpb.WorkerDeploymentVersion) string {
	if v == nil {
		return ""
	}
	return v.GetDeploymentName() + ":" + v.GetBuildId()
}

// undecodable reads what the latest runs were started with.
func (c *Client) undecodable(ctx context.Context, namespace string, keys *Keyring) (why, err error) {
	const enough = 5
	found, err := c.temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Namespace: namespace, PageSize: enough})
	if err != nil {
		return nil, inspectError(err)
	}
	for _, run := range found.GetExecutions() {
		events := c.temporal.GetWorkflowHistory(ctx, run.GetExecution().GetWorkflowId(), run.GetExecution().GetRunId(), false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		if !events.HasNext() {
			continue
		}
		first, err := events.Next()
		if err != nil {
			continue // its history went just now
		}
		for _, p := range first.GetWorkflowExecutionStartedEventAttributes().GetInput().GetPayloads() {
			if string(p.GetMetadata()[converter.MetadataEncoding]) != encryptedEncoding {
				continue
			}
			if keys == nil {
				return errors.New("the payloads are encrypted, and PAYLOAD_KEYS is not set"), nil
			}
			if _, err := keys.Decode([]*commonpb.Payload{p}); err != nil {
				return err, nil
			}
		}
	}
	return nil, nil
}

func inspectError(err error) error {
	var missing *serviceerror.NamespaceNotFound
	var denied *serviceerror.PermissionDenied
	switch {
	case errors.As(err, &missing):
		return ErrNoNamespace
	case errors.As(err, &denied):
		return fmt.Errorf("%w: %s", ErrRefused, serviceErrorName(err))
	}
	return fmt.Errorf("%w: %s", ErrUnavailable, serviceErrorName(err))
}
