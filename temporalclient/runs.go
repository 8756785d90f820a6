package temporalclient

import (
	"context"
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/grpc/codes"

	"research/activities"
)

// A Run is one execution of a workflow.
type Run struct {
	WorkflowID string
	RunID      string
}

// startRun starts a run. doing is for its error, which is activities.ErrRunOpen or that of Failure.
func (c *Client) startRun(
	ctx context.Context, doing string, options client.StartWorkflowOptions, workflow, input any,
) (Run, error) {
	run, err := c.execute(ctx, requestTimeout, options, workflow, input)
	if codeOf(err) == codes.InvalidArgument {
		// A namespace without the search attributes refuses them. They only serve operators.
		options.TypedSearchAttributes = temporal.SearchAttributes{}
		run, err = c.execute(ctx, requestTimeout, options, workflow, input)
	}
	var open *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &open) {
		return Run{}, activities.ErrRunOpen
	}
	if err != nil {
		return Run{}, Failure(doing, err)
	}
	return Run{run.GetID(), run.GetRunID()}, nil
}

// describeRun returns the latest run of a workflow. Its errors are activities.ErrNoRun and that of Failure.
func (c *Client) describeRun(ctx context.Context, doing, workflowID string) (activities.ParseRun, error) {
	var described *workflowservice.DescribeWorkflowExecutionResponse
	err := c.request(ctx, requestTimeout, func(ctx context.Context) (err error) {
		described, err = c.temporal.DescribeWorkflowExecution(ctx, workflowID, "")
		return err
	})
	var notFound *serviceerror.NotFound
	if errors.As(err, &notFound) {
		return activities.ParseRun{}, activities.ErrNoRun
	}
	if err != nil {
		return activities.ParseRun{}, Failure(doing, err)
	}
	return describedRun(described), nil
}

// describedRun returns what Temporal says about a run.
func describedRun(described *workflowservice.DescribeWorkflowExecutionResponse) activities.ParseRun {
	info := described.GetWorkflowExecutionInfo()
	run := activities.ParseRun{
		WorkflowID:   info.GetExecution().GetWorkflowId(),
		RunID:        info.GetExecution().GetRunId(),
		Status:       info.GetStatus(),
		TaskAttempts: int(described.GetPendingWorkflowTask().GetAttempt()),

		CancelRequested: described.GetWorkflowExtendedInfo().GetCancelRequested(),
	}
	if described.GetWorkflowExtendedInfo().GetPauseInfo() != nil { // of the whole run, by a newer Temporal
		run.Paused++
	}
	if versioning := info.GetVersioningInfo(); versioning.GetBehavior() == enumspb.VERSIONING_BEHAVIOR_PINNED {
		run.Version = versionName(versioning.GetDeploymentVersion())
	}
	now := time.Now()
	for _, pending := range described.GetPendingActivities() {
		switch {
		case isPaused(pending):
			run.Paused++
		case pending.GetState() == enumspb.PENDING_ACTIVITY_STATE_STARTED:
			run.Running++
		case pending.GetNextAttemptScheduleTime().AsTime().After(now): // unset is 1970
			run.BackingOff++
		default:
			run.Waiting++
		}
	}
	return run
}

// isPaused reports whether an operator paused an activity, which may still be running.
func isPaused(pending *workflowpb.PendingActivityInfo) bool {
	return pending.GetPaused() || pending.GetState() == enumspb.PENDING_ACTIVITY_STATE_PAUSED ||
		pending.GetState() == enumspb.PENDING_ACTIVITY_STATE_PAUSE_REQUESTED
}

// terminateRun terminates a run. One that has ended is no error.
func (c *Client) terminateRun(ctx context.Context, doing string, run Run, reason string) error {
	err := c.request(ctx, requestTimeout, func(ctx context.Context) error {
		return c.temporal.TerminateWorkflow(ctx, run.WorkflowID, run.RunID, reason)
	})
	var notFound *serviceerror.NotFound
	if err != nil && !errors.As(err, &notFound) {
		return Failure(doing, err)
	}
	return nil
}

// cancelRun requests the cancellation of a run, or of the latest one of a workflow without a RunID. Its
// errors are ErrNotRunning and that of Failure.
func (c *Client) cancelRun(ctx context.Context, doing string, run Run) error {
	err := c.request(ctx, requestTimeout, func(ctx context.Context) error {
		return c.temporal.CancelWorkflow(ctx, run.WorkflowID, run.RunID)
	})
	var notFound *serviceerror.NotFound
	switch {
	case errors.As(err, &notFound):
		return ErrNotRunning
	case err != nil:
		return Failure(doing, err)
	}
	return nil
}
