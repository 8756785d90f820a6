package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// digests is nil; it names the activity methods.
var digests *activities.Digests

// maxRequestWaits is the number of times that a request to send digests at once polls for their completion,
// for a minute each. Deliveries continue afterwards. Without a limit, a later request could join a run that
// still waits for an earlier period.
const maxRequestWaits = 60

// PlanDigests plans the digests that are due, and DeliverDigests sends them. The schedules start it, and so
// does the endpoint, whose runs (Everyone) wait until the planned digests were sent. It is safe to run more
// than once, also concurrently, because each member has one delivery for a period. Planning does not wait for
// sending, so that every hour is planned in time. The history does not grow with the number of members.
func PlanDigests(ctx workflow.Context, in PlanDigestsInput) (PlanDigestsResult, error) {
	run := workflow.GetInfo(ctx).WorkflowExecution.RunID
	if in.At.IsZero() {
		in.At = tickTime(ctx)
	}
	begun, err := call(ctx, shortOptions("finish what earlier runs left"), digests.BeginDigests,
		activities.BeginDigestsInput{Frequency: in.Frequency, Seen: lastSeen(ctx, in)})
	if err != nil {
		return PlanDigestsResult{}, err
	}
	if begun.Held {
		workflow.SetCurrentDetails(ctx, "Held: the database was restored. Run `research restore-fence`.")
		return PlanDigestsResult{Held: true, Seen: begun.Seen}, nil
	}
	planned, err := planDigests(ctx, in, run)
	if err != nil {
		return PlanDigestsResult{}, err
	}
	_, err = call(ctx, shortOptions("start the delivery"), digests.StartDelivery,
		activities.StartDeliveryInput{Seen: begun.Seen})
	if err != nil {
		return PlanDigestsResult{}, err
	}
	result := PlanDigestsResult{Planned: planned, Seen: begun.Seen}
	if in.Everyone {
		if err := awaitDigests(ctx, run, &result); err != nil {
			return PlanDigestsResult{}, err
		}
	}
	return result, nil
}

// lastSeen returns the state of the database that the schedule's last run recorded. For a run that no
// schedule started, it is part of the input.
func lastSeen(ctx workflow.Context, in PlanDigestsInput) activities.DigestMark {
	var last PlanDigestsResult
	if !workflow.HasLastCompletionResult(ctx) || workflow.GetLastCompletionResult(ctx, &last) != nil {
		return in.Seen
	}
	return last.Seen
}

// tickTime returns the time of the tick that started the run, or the time of the workflow if no schedule did.
func tickTime(ctx workflow.Context) time.Time {
	if tick, scheduled := workflow.GetTypedSearchAttributes(ctx).GetTime(TickAttribute); scheduled {
		return tick
	}
	return workflow.Now(ctx)
}

// planDigests plans the digests that are due, and returns their number.
func planDigests(ctx workflow.Context, in PlanDigestsInput, run string) (planned int, err error) {
	page := activities.PlanDigestsInput{
		Frequency: in.Frequency, At: in.At, Everyone: in.Everyone, RunID: run,
	}
	for {
		page.Now = workflow.Now(ctx)
		result, err := call(ctx, databaseOptions("plan for some seconds"), digests.PlanDigests, page)
		if err != nil {
			return planned, err
		}
		planned, page.After = planned+result.Planned, result.Next
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d digests planned.", planned))
		if result.Done {
			return planned, nil
		}
	}
}

// awaitDigests waits for up to about an hour until the digests of a request were sent, and counts their
// outcomes.
func awaitDigests(ctx workflow.Context, run string, result *PlanDigestsResult) error {
	for range maxRequestWaits {
		counts, err := call(ctx, databaseOptions("wait until they are sent"), digests.AwaitDigests,
			activities.AwaitDigestsInput{RunID: run})
		if err != nil {
			return err
		}
		result.Sent, result.Skipped = counts.Sent, counts.Skipped
		result.Failed, result.Uncertain = counts.Failed, counts.Uncertain
		result.Open = counts.Open
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d sent, %d skipped, %d failed, %d uncertain, %d open.",
			result.Sent, result.Skipped, result.Failed, result.Uncertain, result.Open))
		if counts.Open == 0 {
			return nil
		}
	}
	return nil
}
