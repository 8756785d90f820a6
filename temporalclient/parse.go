package temporalclient

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/grpc/codes"

	"research/activities"
	"research/workflows"
)

// A ParseRequest is a claimed import.
type ParseRequest struct {
	ImportID, ClaimID, WorkspaceID, ProjectID uuid.UUID

	CheckSpeakers bool // a model is asked about speakers in doubt first
}

// A Run is one execution of a workflow.
type Run struct {
	WorkflowID string
	RunID      string
}

// parseExecutionTimeout ends a run if no worker is left to time it out. It exceeds the time that the steps of
// a parse may take, and PARSE_TIMEOUT, which is at most a week.
const parseExecutionTimeout = 31 * 24 * time.Hour

// StartParse starts the parse of a claimed import. The claim in the database decides which request may start
// the parse. Therefore a run of an earlier claim that is still closing is terminated, and a closed run does
// not prevent another one. Its errors are ErrUnavailable, a *RefusedError and ErrWrongNamespace.
func (c *Client) StartParse(ctx context.Context, r ParseRequest) (Run, error) {
	return c.startParse(ctx, r, enumspb.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING)
}

// StartMissing is like StartParse, for the reconciler, but never ends a run. Its errors are
// activities.ErrRunOpen, ErrUnavailable and ErrWrongNamespace.
func (c *Client) StartMissing(
	ctx context.Context, missing activities.MissingRun,
) (activities.ParseRun, error) {
	run, err := c.startParse(ctx, ParseRequest{
		ImportID: missing.ImportID, ClaimID: missing.ClaimID, WorkspaceID: missing.WorkspaceID,
		ProjectID: missing.ProjectID, CheckSpeakers: missing.CheckSpeakers,
	}, enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL)
	if err != nil {
		return activities.ParseRun{}, err
	}
	return activities.ParseRun{
		WorkflowID: run.WorkflowID, RunID: run.RunID, Status: enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING,
	}, nil
}

func (c *Client) startParse(
	ctx context.Context, r ParseRequest, conflict enumspb.WorkflowIdConflictPolicy,
) (Run, error) {
	if err := c.CheckNamespace(ctx); err != nil {
		return Run{}, err
	}
	options := client.StartWorkflowOptions{
		ID:                       workflows.ParseWorkflowID(r.ImportID),
		TaskQueue:                workflows.QueueControl,
		WorkflowIDConflictPolicy: conflict,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		// By default the SDK returns the open run instead of an error.
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		WorkflowExecutionTimeout:                 parseExecutionTimeout,
		TypedSearchAttributes: temporal.NewSearchAttributes(
			workflows.WorkspaceAttribute.ValueSet(r.WorkspaceID.String()),
			workflows.ProjectAttribute.ValueSet(r.ProjectID.String()),
			workflows.ImportAttribute.ValueSet(r.ImportID.String()),
			// A run that has these sets them when it ends.
			workflows.UnreadRangesAttribute.ValueSet(0),
			workflows.ErrorCodeAttribute.ValueSet(""),
		),
		StaticSummary: "Parse import " + r.ImportID.String(),
		StaticDetails: fmt.Sprintf("[Show the import on the page](%s/imports/%s)", c.publicURL, r.ImportID),
		// Tasks of this workflow and of its activities are dispatched fairly among workspaces. A server without
		// fairness ignores the key.
		Priority: temporal.Priority{FairnessKey: r.WorkspaceID.String()},
	}
	input := workflows.ParseTranscriptInput{
		ParseRef: activities.ParseRef{ImportID: r.ImportID, ClaimID: r.ClaimID}, CheckSpeakers: r.CheckSpeakers,
	}
	run, err := c.execute(ctx, requestTimeout, options, workflows.ParseTranscript, input)
	if codeOf(err) == codes.InvalidArgument {
		// A namespace without the search attributes refuses them. They only serve operators.
		options.TypedSearchAttributes = temporal.SearchAttributes{}
		run, err = c.execute(ctx, requestTimeout, options, workflows.ParseTranscript, input)
	}
	var open *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &open) {
		return Run{}, activities.ErrRunOpen
	}
	if err != nil {
		return Run{}, Failure(fmt.Sprintf("start the parse of import %s", r.ImportID), err)
	}
	return Run{run.GetID(), run.GetRunID()}, nil
}

// DescribeParse returns the latest run of an import's workflow. Its errors are activities.ErrNoRun and
// ErrUnavailable.
func (c *Client) DescribeParse(ctx context.Context, importID uuid.UUID) (activities.ParseRun, error) {
	var described *workflowservice.DescribeWorkflowExecutionResponse
	err := c.request(ctx, requestTimeout, func(ctx context.Context) (err error) {
		described, err = c.temporal.DescribeWorkflowExecution(ctx, workflows.ParseWorkflowID(importID), "")
		return err
	})
	var notFound *serviceerror.NotFound
	if errors.As(err, &notFound) {
		return activities.ParseRun{}, activities.ErrNoRun
	}
	if err != nil {
		return activities.ParseRun{}, Failure(fmt.Sprintf("describe the parse of import %s", importID), err)
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

// TerminateParse terminates a run of an import. A run that has ended is no error. Its error is
// ErrUnavailable.
func (c *Client) TerminateParse(ctx context.Context, importID uuid.UUID, runID, reason string) error {
	err := c.request(ctx, requestTimeout, func(ctx context.Context) error {
		return c.temporal.TerminateWorkflow(ctx, workflows.ParseWorkflowID(importID), runID, reason)
	})
	var notFound *serviceerror.NotFound
	if err != nil && !errors.As(err, &notFound) {
		return Failure(fmt.Sprintf("terminate the parse of import %s", importID), err)
	}
	return nil
}

// CancelParse requests the cancellation of an import's run. Its errors are ErrNotRunning and ErrUnavailable.
func (c *Client) CancelParse(ctx context.Context, importID uuid.UUID) error {
	err := c.request(ctx, requestTimeout, func(ctx context.Context) error {
		return c.temporal.CancelWorkflow(ctx, workflows.ParseWorkflowID(importID), "")
	})
	var notFound *serviceerror.NotFound
	switch {
	case errors.As(err, &notFound):
		return ErrNotRunning
	case err != nil:
		return Failure(fmt.Sprintf("cancel the parse of import %s", importID), err)
	}
	return nil
}
