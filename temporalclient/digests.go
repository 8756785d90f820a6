package temporalclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/grpc/codes"

	"research/activities"
	"research/workflows"
)

// digestRequestTimeout is longer than requestTimeout: a scheduler can wait longer than a person.
const digestRequestTimeout = 15 * time.Second

var (
	// ErrDigests means that the run ended before all digests were planned. The next tick plans the rest.
	ErrDigests = errors.New("the run of the digests failed")
	// ErrDigestsHeld means that the database was restored. No digest is sent until an operator runs `research
	// restore-fence`.
	ErrDigestsHeld = errors.New("digests are held because the database was restored")
)

// A DigestRun is a run of PlanDigests.
type DigestRun struct {
	Run
	run client.WorkflowRun
}

// SendDigests starts a run that sends the digests of the last closed period at once, or joins the one in
// progress. Its error is ErrUnavailable.
func (c *Client) SendDigests(ctx context.Context, frequency string) (DigestRun, error) {
	seen, err := c.requestLastSeen(ctx)
	if err != nil {
		return DigestRun{}, err
	}
	run, err := c.execute(ctx, digestRequestTimeout, client.StartWorkflowOptions{
		ID:                       workflows.DigestWorkflowID(frequency),
		TaskQueue:                workflows.QueueControl,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowExecutionTimeout: digestExecutionTimeout,
		StaticSummary:            "Send the " + frequency + " digests that are due",
	}, workflows.PlanDigests, workflows.PlanDigestsInput{Frequency: frequency, Everyone: true, Seen: seen})
	if err != nil {
		return DigestRun{}, Failure("start the digests", err)
	}
	return DigestRun{Run: Run{run.GetID(), run.GetRunID()}, run: run}, nil
}

// DeliverDigests starts the workflow that sends planned digests, or signals it if it is running, also if it
// is about to end. If seen is zero, the state that the schedules' last runs recorded is used. Its error is
// ErrUnavailable.
func (c *Client) DeliverDigests(ctx context.Context, seen activities.DigestMark) (err error) {
	if seen == (activities.DigestMark{}) {
		if seen, err = c.requestLastSeen(ctx); err != nil {
			return err
		}
	}
	err = c.request(ctx, digestRequestTimeout, func(ctx context.Context) error {
		_, err := c.temporal.SignalWithStartWorkflow(ctx,
			workflows.DeliverDigestsWorkflowID, workflows.PlannedSignal, nil,
			client.StartWorkflowOptions{
				ID:                    workflows.DeliverDigestsWorkflowID,
				TaskQueue:             workflows.QueueControl,
				WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
				WorkflowRunTimeout:    workflows.DeliverDigestsRunTimeout,
				StaticSummary:         workflows.DeliverDigestsSummary,
			}, workflows.DeliverDigests, workflows.DeliverDigestsInput{Seen: seen})
		return err
	})
	if err != nil {
		return Failure("start the delivery of digests", err)
	}
	return nil
}

// requestLastSeen is lastSeen as a request. Its error is ErrUnavailable.
func (c *Client) requestLastSeen(ctx context.Context) (seen activities.DigestMark, err error) {
	err = c.request(ctx, digestRequestTimeout, func(ctx context.Context) (err error) {
		seen, err = c.lastSeen(ctx)
		return err
	})
	if err != nil {
		return seen, Failure("find the last run of the schedules", err)
	}
	return seen, nil
}

// lastSeen returns the state of the database that the last runs of the schedules recorded. It is zero if
// there are none.
func (c *Client) lastSeen(ctx context.Context) (latest activities.DigestMark, err error) {
	for _, schedule := range DigestSchedules() {
		seen, err := c.lastSeenBy(ctx, schedule.ID)
		if err != nil {
			return activities.DigestMark{}, err
		}
		if seen.SeenAt.After(latest.SeenAt) {
			latest = seen
		}
	}
	return latest, nil
}

// lastSeenBy returns the result of a schedule's last completed run that Temporal still retains.
func (c *Client) lastSeenBy(ctx context.Context, scheduleID string) (activities.DigestMark, error) {
	var notFound *serviceerror.NotFound
	described, err := c.temporal.ScheduleClient().GetHandle(ctx, scheduleID).Describe(ctx)
	if errors.As(err, &notFound) {
		return activities.DigestMark{}, nil
	}
	if err != nil {
		return activities.DigestMark{}, err
	}
	for _, action := range slices.Backward(described.Info.RecentActions) {
		started := action.StartWorkflowResult
		if started == nil {
			continue
		}
		run, err := c.temporal.DescribeWorkflowExecution(ctx, started.WorkflowID, started.FirstExecutionRunID)
		if errors.As(err, &notFound) {
			continue
		}
		if err != nil {
			return activities.DigestMark{}, err
		}
		if run.GetWorkflowExecutionInfo().GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED {
			continue
		}
		var result workflows.PlanDigestsResult
		err = c.temporal.GetWorkflow(ctx, started.WorkflowID, started.FirstExecutionRunID).Get(ctx, &result)
		return result.Seen, err
	}
	return activities.DigestMark{}, nil
}

// Wait waits until the run is done. If the context ends first, it returns the error of the context. Other
// errors are ErrDigests, ErrDigestsHeld and ErrUnavailable, with which the run goes on.
func (r DigestRun) Wait(ctx context.Context) (workflows.PlanDigestsResult, error) {
	var result workflows.PlanDigestsResult
	err := r.run.Get(ctx, &result)
	var failed *temporal.WorkflowExecutionError
	var notFound *serviceerror.NotFound
	switch {
	case err == nil && result.Held:
		return result, ErrDigestsHeld
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		return result, ctx.Err()
	case errors.As(err, &failed), errors.As(err, &notFound):
		return result, fmt.Errorf("%w: %s", ErrDigests, errorType(err))
	case isDeadline(err): // gRPC's may come a moment before that of the context
		return result, context.DeadlineExceeded
	}
	return result, Failure("wait for the digests", err)
}

// isDeadline reports whether a wait was too long, in the words of a context or of gRPC.
func isDeadline(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || codeOf(err) == codes.DeadlineExceeded
}

// errorType returns the type of the application error that a run ended with.
func errorType(err error) string {
	var application *temporal.ApplicationError
	if errors.As(err, &application) {
		return application.Type()
	}
	return kindOf(err)
}
