package workflows

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// This file replays runs that began before DeliverDigests existed. Their activities now hand the deliveries
// over to DeliverDigests, so that each of these runs ends with its next activity. Delete the file when the
// last of them has ended.

// digestShards is how many shards such a run has.
const digestShards = 4

// maxDigestHistory is how many events such a run may have before it continues as new.
const maxDigestHistory = 1000

// The phases of such a run of SendDigests.
const (
	phasePlan = iota
	phaseSend
)

// planAndDeliver is SendDigests as it was.
func planAndDeliver(ctx workflow.Context, in SendDigestsInput) (SendDigestsResult, error) {
	if in.RunID == "" {
		in.RunID = workflow.GetInfo(ctx).WorkflowExecution.RunID
		if in.At.IsZero() {
			in.At = tickTime(ctx)
		}
		_, err := call(ctx, shortOptions("finish what earlier runs left"), digests.BeginDigests,
			activities.BeginDigestsInput{Frequency: in.Frequency})
		if err != nil {
			return SendDigestsResult{}, err
		}
	}
	for in.Phase == phasePlan {
		if historyIsLong(ctx) {
			return SendDigestsResult{}, workflow.NewContinueAsNewError(ctx, SendDigests, in)
		}
		page, err := call(ctx, shortOptions("plan a page of members"), digests.PlanDigests,
			activities.PlanDigestsInput{
				Frequency: in.Frequency, At: in.At, Now: workflow.Now(ctx), Everyone: in.Everyone, After: in.After,
			})
		if err != nil {
			return SendDigestsResult{}, err
		}
		in.After, in.Planned = page.Next, in.Planned+page.Planned
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d digests planned.", in.Planned))
		if page.Done {
			in.Phase = phaseSend
		}
	}
	counts, err := countDigests(ctx, in.Frequency, in.RunID)
	if err != nil {
		return SendDigestsResult{}, err
	}
	if counts.Due > 0 {
		if in.Shards, err = sendShards(ctx, in.Frequency, in.RunID, in.Shards); err != nil {
			return SendDigestsResult{}, err
		}
		if !allDone(in.Shards) {
			return SendDigestsResult{}, workflow.NewContinueAsNewError(ctx, SendDigests, in)
		}
		if counts, err = countDigests(ctx, in.Frequency, in.RunID); err != nil {
			return SendDigestsResult{}, err
		}
	}
	if !counts.RetryAt.IsZero() {
		if err := startRetries(ctx, in.Frequency); err != nil {
			return SendDigestsResult{}, err
		}
	}
	result := SendDigestsResult{
		Sent: counts.Sent, Skipped: counts.Skipped, Failed: counts.Failed, Uncertain: counts.Uncertain,
		Planned: in.Planned,
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d sent, %d skipped, %d failed, %d uncertain.",
		result.Sent, result.Skipped, result.Failed, result.Uncertain))
	return result, nil
}

// maxRetryWait bounds a wait of RetryDigests, because another run may plan a retry that is due earlier.
const maxRetryWait = 5 * time.Minute

// RetryDigests retried the deliveries that a recipient's server had temporarily rejected.
func RetryDigests(ctx workflow.Context, in RetryDigestsInput) error {
	if in.RunID == "" {
		in.RunID = workflow.GetInfo(ctx).WorkflowExecution.RunID
	}
	for {
		if historyIsLong(ctx) {
			return workflow.NewContinueAsNewError(ctx, RetryDigests, in)
		}
		counts, err := countDigests(ctx, in.Frequency, in.RunID)
		if err != nil {
			return err
		}
		switch {
		case counts.Due > 0:
			if in.Shards, err = sendShards(ctx, in.Frequency, in.RunID, in.Shards); err != nil {
				return err
			}
			if allDone(in.Shards) {
				in.Shards = nil
			}
		case counts.RetryAt.IsZero():
			return nil
		default:
			wait := min(counts.RetryAt.Sub(workflow.Now(ctx)), maxRetryWait)
			workflow.SetCurrentDetails(ctx, "Waiting for servers that temporarily rejected a digest.")
			if err := workflow.Sleep(ctx, max(wait, time.Second)); err != nil {
				return err
			}
		}
	}
}

// startRetries starts RetryDigests unless it is running. One run serves all runs of a frequency and outlives
// them.
func startRetries(ctx workflow.Context, frequency string) error {
	child := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID:            RetryDigestsWorkflowID(frequency),
		TaskQueue:             QueueControl,
		ParentClosePolicy:     enumspb.PARENT_CLOSE_POLICY_ABANDON,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary:         RetryDigestsSummary(frequency),
	})
	started := workflow.ExecuteChildWorkflow(child, RetryDigests, RetryDigestsInput{Frequency: frequency})
	err := started.GetChildWorkflowExecution().Get(ctx, nil)
	var running *temporal.ChildWorkflowExecutionAlreadyStartedError
	if errors.As(err, &running) {
		return nil
	}
	return err
}

// sendShards sends what is planned and due until every shard is done or the history is long. Nil starts all
// shards from their beginning.
func sendShards(ctx workflow.Context, frequency, run string, shards []shardState) ([]shardState, error) {
	if shards == nil {
		shards = make([]shardState, digestShards)
		for i := range shards {
			shards[i].After = shardStart(i)
		}
	}
	all := workflow.NewWaitGroup(ctx)
	var failure error
	for i := range shards {
		all.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer all.Done()
			options := deliverOptions(fmt.Sprintf("shard %d of %d", i+1, len(shards)))
			for shard := &shards[i]; !shard.Done && failure == nil && !historyIsLong(ctx); {
				result, err := call(ctx, options, digests.DeliverDigests, activities.DeliverDigestsInput{
					Frequency: frequency, RunID: run,
					From: shardStart(i), Through: shardStart(i + 1), After: shard.After,
				})
				if err != nil {
					failure = err
					return
				}
				shard.After, shard.Done = result.After, result.Done
			}
		})
	}
	all.Wait(ctx)
	return shards, failure
}

func allDone(shards []shardState) bool {
	for _, shard := range shards {
		if !shard.Done {
			return false
		}
	}
	return true
}

// shardStart divides the ids, which are random, into shards: shard i holds the ids above shardStart(i), up to
// and including shardStart(i+1).
func shardStart(i int) uuid.UUID {
	switch i {
	case 0:
		return uuid.Nil
	case digestShards:
		return uuid.Max
	}
	return uuid.UUID{byte(i * 256 / digestShards)}
}

func countDigests(ctx workflow.Context, frequency, run string) (activities.CountDigestsResult, error) {
	return call(ctx, shortOptions("count"), digests.CountDigests,
		activities.CountDigestsInput{Frequency: frequency, RunID: run})
}

func historyIsLong(ctx workflow.Context) bool {
	info := workflow.GetInfo(ctx)
	return info.GetContinueAsNewSuggested() || info.GetCurrentHistoryLength() > maxDigestHistory
}
