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

// A ThemesRequest is a claim to propose themes for a project.
type ThemesRequest struct {
	ThemeRunID, ClaimID, WorkspaceID, ProjectID uuid.UUID

	Timeout time.Duration // PARSE_TIMEOUT
}

// themesMargin is how much longer than PARSE_TIMEOUT a run may take to end itself, before Temporal ends it.
const themesMargin = time.Hour

// StartThemes starts the run of a claim, as StartParse does for an import, and with the same errors.
func (c *Client) StartThemes(ctx context.Context, r ThemesRequest) (Run, error) {
	return c.startThemes(ctx, r, enumspb.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING)
}

// StartMissingThemes is like StartThemes, for the reconciler, but never ends a run. Its errors are those of
// StartMissing.
func (c *Client) StartMissingThemes(
	ctx context.Context, missing activities.MissingThemes,
) (activities.ParseRun, error) {
	run, err := c.startThemes(ctx, ThemesRequest{
		ThemeRunID: missing.ThemeRunID, ClaimID: missing.ClaimID, WorkspaceID: missing.WorkspaceID,
		ProjectID: missing.ProjectID, Timeout: missing.Timeout,
	}, enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL)
	if err != nil {
		return activities.ParseRun{}, err
	}
	return activities.ParseRun{
		WorkflowID: run.WorkflowID, RunID: run.RunID, Status: enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING,
	}, nil
}

func (c *Client) startThemes(
	ctx context.Context, r ThemesRequest, conflict enumspb.WorkflowIdConflictPolicy,
) (Run, error) {
	if err := c.CheckNamespace(ctx); err != nil {
		return Run{}, err
	}
	options := client.StartWorkflowOptions{
		ID:                       workflows.ThemesWorkflowID(r.ProjectID),
		TaskQueue:                workflows.QueueControl,
		WorkflowIDConflictPolicy: conflict,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		// By default the SDK returns the open run instead of an error.
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		WorkflowExecutionTimeout:                 r.Timeout + themesMargin,
		TypedSearchAttributes: temporal.NewSearchAttributes(
			workflows.WorkspaceAttribute.ValueSet(r.WorkspaceID.String()),
			workflows.ProjectAttribute.ValueSet(r.ProjectID.String()),
			workflows.ErrorCodeAttribute.ValueSet(""), // a run that has it sets it when it ends
		),
		StaticSummary: "Themes of project " + r.ProjectID.String(),
		StaticDetails: fmt.Sprintf("[Show the themes on the page](%s/projects/%s/themes)",
			c.publicURL, r.ProjectID),
		// As those of a parse, the tasks are dispatched fairly among workspaces. It takes as many calls as a
		// thorough answer, and nobody waits for it.
		Priority: temporal.Priority{PriorityKey: thoroughPriority, FairnessKey: r.WorkspaceID.String()},
	}
	input := workflows.ProposeThemesInput{
		ThemeRunRef: activities.ThemeRunRef{ThemeRunID: r.ThemeRunID, ClaimID: r.ClaimID}, Timeout: r.Timeout,
	}
	return c.startRun(ctx, "start the themes of project "+r.ProjectID.String(), options,
		workflows.ProposeThemes, input)
}

// DescribeThemes returns the latest run of a project's workflow. Its errors are those of DescribeParse.
func (c *Client) DescribeThemes(ctx context.Context, projectID uuid.UUID) (activities.ParseRun, error) {
	return c.describeRun(ctx, "describe the themes of project "+projectID.String(),
		workflows.ThemesWorkflowID(projectID))
}

// TerminateThemes terminates a run of a project's workflow. A run that has ended is no error. Its error is
// ErrUnavailable.
func (c *Client) TerminateThemes(ctx context.Context, projectID uuid.UUID, runID, reason string) error {
	return c.terminateRun(ctx, "terminate the themes of project "+projectID.String(),
		Run{workflows.ThemesWorkflowID(projectID), runID}, reason)
}

// CancelThemes requests the cancellation of a run of a project's workflow. Its errors are ErrNotRunning and
// ErrUnavailable.
func (c *Client) CancelThemes(ctx context.Context, projectID uuid.UUID, runID string) error {
	return c.cancelRun(ctx, "cancel the themes of project "+projectID.String(),
		Run{workflows.ThemesWorkflowID(projectID), runID})
}
