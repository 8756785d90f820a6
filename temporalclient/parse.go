package temporalclient

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"research/activities"
	"research/workflows"
)

// A ParseRequest is a claimed import.
type ParseRequest struct {
	ImportID, ClaimID, WorkspaceID, ProjectID uuid.UUID

	CheckSpeakers bool // a model is asked about speakers in doubt first
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
	return c.startRun(ctx, "start the parse of import "+r.ImportID.String(), options,
		workflows.ParseTranscript, input)
}

// DescribeParse returns the latest run of an import's workflow. Its errors are activities.ErrNoRun and
// ErrUnavailable.
func (c *Client) DescribeParse(ctx context.Context, importID uuid.UUID) (activities.ParseRun, error) {
	return c.describeRun(ctx, "describe the parse of import "+importID.String(),
		workflows.ParseWorkflowID(importID))
}

// TerminateParse terminates a run of an import. A run that has ended is no error. Its error is
// ErrUnavailable.
func (c *Client) TerminateParse(ctx context.Context, importID uuid.UUID, runID, reason string) error {
	return c.terminateRun(ctx, "terminate the parse of import "+importID.String(),
		Run{workflows.ParseWorkflowID(importID), runID}, reason)
}

// CancelParse requests the cancellation of an import's run. Its errors are ErrNotRunning and ErrUnavailable.
func (c *Client) CancelParse(ctx context.Context, importID uuid.UUID) error {
	return c.cancelRun(ctx, "cancel the parse of import "+importID.String(),
		Run{WorkflowID: workflows.ParseWorkflowID(importID)})
}
