package temporalclient

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"research/workflows"
)

// digestRequestTimeout is longer than requestTimeout: a scheduler can wait longer than a person.
const digestRequestTimeout = 15 * time.Second

// ErrDigests means that the run ended before all digests were sent. The next tick sends the rest.
var ErrDigests = errors.New("the run of the digests failed")

// A DigestRun is a run of SendDigests.
type DigestRun struct {
	Run
	run client.WorkflowRun
}

// SendDigests starts to send at once what is due for the last closed period, or joins the run that already
// does so. Its error is ErrUnavailable.
func (c *Client) SendDigests(ctx context.Context, frequency string) (DigestRun, error) {
	starting, cancel := context.WithTimeout(ctx, digestRequestTimeout)
	defer cancel()
	run, err := c.temporal.ExecuteWorkflow(starting, client.StartWorkflowOptions{
		ID:                       workflows.DigestWorkflowID(frequency),
		TaskQueue:                workflows.QueueControl,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowExecutionTimeout: digestExecutionTimeout,
		StaticSummary:            "Send the " + frequency + " digests that are due",
	}, workflows.SendDigests, workflows.SendDigestsInput{Frequency: frequency, Everyone: true})
	if err != nil {
		return DigestRun{}, unreachable("start the digests", err)
	}
	return DigestRun{Run: Run{run.GetID(), run.GetRunID()}, run: run}, nil
}

// RetryDigests starts the workflow that sends planned deliveries again, unless it is running; a running one
// looks at least every five minutes. Its error is ErrUnavailable.
func (c *Client) RetryDigests(ctx context.Context, frequency string) error {
	ctx, cancel := context.WithTimeout(ctx, digestRequestTimeout)
	defer cancel()
	_, err := c.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                       workflows.RetryDigestsWorkflowID(frequency),
		TaskQueue:                workflows.QueueControl,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary:            workflows.RetryDigestsSummary(frequency),
	}, workflows.RetryDigests, workflows.RetryDigestsInput{Frequency: frequency})
	if err != nil {
		return unreachable("start the retries of digests", err)
	}
	return nil
}

// Wait waits until the run is done or the context ends; then it returns the error of the context. Other
// errors are ErrDigests and ErrUnavailable.
func (r DigestRun) Wait(ctx context.Context) (workflows.SendDigestsResult, error) {
	var result workflows.SendDigestsResult
	err := r.run.Get(ctx, &result)
	var failed *temporal.WorkflowExecutionError
	var notFound *serviceerror.NotFound
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		return result, ctx.Err()
	case errors.As(err, &failed), errors.As(err, &notFound):
		return result, fmt.Errorf("%w: %s", ErrDigests, errorType(err))
	}
	return result, unreachable("wait for the digests", err)
}

// errorType returns the type of the application error that a run ended with.
func errorType(err error) string {
	var application *temporal.ApplicationError
	if errors.As(err, &application) {
		return application.Type()
	}
	return kindOf(err)
}
