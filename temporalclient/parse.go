package temporalclient

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"research/activities"
	"research/workflows"
)

// A ParseRequest is a claimed import.
type ParseRequest struct {
	ImportID, ClaimID, WorkspaceID, ProjectID uuid.UUID
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
// not prevent another one. Its errors are ErrUnavailable and ErrWrongNamespace.
func (c *Client) StartParse(ctx context.Context, r ParseRequest) (Run, error) {
	return c.startParse(ctx, r, enumspb.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING)
}

// StartMissing is like StartParse, for the reconciler, but never ends a run. Its errors are
// activities.ErrRunOpen, ErrUnavailable and ErrWrongNamespace.
func (c *Client) StartMissing(
	ctx context.Context, ref activities.ParseRef, workspaceID, projectID uuid.UUID,
) (activities.ParseRun, error) {
	run, err := c.startParse(ctx, ParseRequest{
		ImportID: ref.ImportID, ClaimID: ref.ClaimID, WorkspaceID: workspaceID, ProjectID: projectID,
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
	run, err := c.execute(ctx, requestTimeout, client.StartWorkflowOptions{
		ID:                       workflows.ParseWorkflowID(r.ImportID),
		TaskQueue:                workflows.QueueParse,
		WorkflowIDConflictPolicy: conflict,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		// By default the SDK returns the open run instead of an error.
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		WorkflowExecutionTimeout:                 parseExecutionTimeout,
		TypedSearchAttributes: temporal.NewSearchAttributes(
			WorkspaceAttribute.ValueSet(r.WorkspaceID.String()),
			ProjectAttribute.ValueSet(r.ProjectID.String()),
			ImportAttribute.ValueSet(r.ImportID.String()),
		),
		StaticSummary: "Parse import " + r.ImportID.String(),
		// Tasks of this workflow and of its activities are dispatched fairly among workspaces. A server without
		// fairness ignores the key.
		Priority: temporal.Priority{FairnessKey: r.WorkspaceID.String()},
	}, workflows.ParseTranscript, workflows.ParseTranscriptInput{
		ParseRef: activities.ParseRef{ImportID: r.ImportID, ClaimID: r.ClaimID},
	})
	var open *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &open) {
		return Run{}, activities.ErrRunOpen
	}
	if err != nil {
		return Run{}, unreachable(fmt.Sprintf("start the parse of import %s", r.ImportID), err)
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
		return activities.ParseRun{}, unreachable(fmt.Sprintf("describe the parse of import %s", importID), err)
	}
	info := described.GetWorkflowExecutionInfo()
	return activities.ParseRun{
		WorkflowID: info.GetExecution().GetWorkflowId(),
		RunID:      info.GetExecution().GetRunId(),
		Status:     info.GetStatus(),
	}, nil
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
		return unreachable(fmt.Sprintf("cancel the parse of import %s", importID), err)
	}
	return nil
}
