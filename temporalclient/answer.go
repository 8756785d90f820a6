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
	"research/outcome"
	"research/workflows"
)

// An AnswerRequest is a claimed answer.
type AnswerRequest struct {
	AnswerID, ClaimID, WorkspaceID, ProjectID uuid.UUID

	Mode    outcome.AnswerMode
	Timeout time.Duration // ASK_TIMEOUT
}

// answerMargin is how much longer than ASK_TIMEOUT a run may take to end itself, before Temporal ends it.
const answerMargin = time.Hour

// Priorities of the tasks of answers in a queue. Those of parses are Temporal's default, 3: somebody waits
// for a quick answer, and a thorough one takes as many calls as several parses.
const (
	quickPriority    = 2
	thoroughPriority = 4
)

// StartAnswer starts the run of a claimed answer, as StartParse does for an import, and with the same errors.
func (c *Client) StartAnswer(ctx context.Context, r AnswerRequest) (Run, error) {
	return c.startAnswer(ctx, r, enumspb.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING)
}

// StartMissingAnswer is like StartAnswer, for the reconciler, but never ends a run. Its errors are those of
// StartMissing.
func (c *Client) StartMissingAnswer(
	ctx context.Context, missing activities.MissingAnswer,
) (activities.ParseRun, error) {
	run, err := c.startAnswer(ctx, AnswerRequest{
		AnswerID: missing.AnswerID, ClaimID: missing.ClaimID, WorkspaceID: missing.WorkspaceID,
		ProjectID: missing.ProjectID, Mode: missing.Mode, Timeout: missing.Timeout,
	}, enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL)
	if err != nil {
		return activities.ParseRun{}, err
	}
	return activities.ParseRun{
		WorkflowID: run.WorkflowID, RunID: run.RunID, Status: enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING,
	}, nil
}

func (c *Client) startAnswer(
	ctx context.Context, r AnswerRequest, conflict enumspb.WorkflowIdConflictPolicy,
) (Run, error) {
	if err := c.CheckNamespace(ctx); err != nil {
		return Run{}, err
	}
	priority := quickPriority
	if r.Mode == outcome.ModeThorough {
		priority = thoroughPriority
	}
	options := client.StartWorkflowOptions{
		ID:                       workflows.AnswerWorkflowID(r.AnswerID),
		TaskQueue:                workflows.QueueControl,
		WorkflowIDConflictPolicy: conflict,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		// By default the SDK returns the open run instead of an error.
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		WorkflowExecutionTimeout:                 r.Timeout + answerMargin,
		TypedSearchAttributes: temporal.NewSearchAttributes(
			workflows.WorkspaceAttribute.ValueSet(r.WorkspaceID.String()),
			workflows.ProjectAttribute.ValueSet(r.ProjectID.String()),
			workflows.ErrorCodeAttribute.ValueSet(""), // a run that has it sets it when it ends
		),
		StaticSummary: "Answer " + r.AnswerID.String(),
		StaticDetails: fmt.Sprintf("[Show the answer on the page](%s/projects/%s/ask?a=%s)",
			c.publicURL, r.ProjectID, r.AnswerID),
		// As those of a parse, the tasks are dispatched fairly among workspaces.
		Priority: temporal.Priority{PriorityKey: priority, FairnessKey: r.WorkspaceID.String()},
	}
	input := workflows.AnswerQuestionInput{
		AnswerRef: activities.AnswerRef{AnswerID: r.AnswerID, ClaimID: r.ClaimID}, Mode: r.Mode, Timeout: r.Timeout,
	}
	return c.startRun(ctx, "start answer "+r.AnswerID.String(), options, workflows.AnswerQuestion, input)
}

// DescribeAnswer returns the latest run of an answer's workflow. Its errors are those of DescribeParse.
func (c *Client) DescribeAnswer(ctx context.Context, answerID uuid.UUID) (activities.ParseRun, error) {
	return c.describeRun(ctx, "describe answer "+answerID.String(), workflows.AnswerWorkflowID(answerID))
}

// TerminateAnswer terminates a run of an answer. A run that has ended is no error. Its error is
// ErrUnavailable.
func (c *Client) TerminateAnswer(ctx context.Context, answerID uuid.UUID, runID, reason string) error {
	return c.terminateRun(ctx, "terminate answer "+answerID.String(),
		Run{workflows.AnswerWorkflowID(answerID), runID}, reason)
}

// CancelAnswer requests the cancellation of a run of an answer; an empty runID means the latest. Its errors
// are ErrNotRunning and ErrUnavailable.
func (c *Client) CancelAnswer(ctx context.Context, answerID uuid.UUID, runID string) error {
	return c.cancelRun(ctx, "cancel answer "+answerID.String(), Run{workflows.AnswerWorkflowID(answerID), runID})
}
