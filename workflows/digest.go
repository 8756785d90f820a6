package workflows

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// Frequencies of digests, as the API and the database spell them.
const (
	Daily  = "daily"
	Weekly = "weekly"
)

// digestLanes is how many workers can send at once: the planned deliveries are divided among so many lanes by their ids.
const digestLanes = 4

// digestHistory is how many events a run may have before it continues as new: a page of two thousand members takes six, and so do twenty seconds of sending.
const digestHistory = 1000

// SendDigestsInput says which digests, and of when.
type SendDigestsInput struct {
	Frequency string
	// Everyone: at once what is due for the last closed period, instead of what has become due at each member's hour.
	Everyone bool
	// At is the moment by which it is judged what is due; zero: the scheduled time of a tick, else the time of the start.
	At time.Time

	// Set by a run that continues as new.
	RunID   string    // of the first run
	Phase   int       // of the phases below
	After   uuid.UUID // the key of the next page of members
	Planned int
	Lanes   []laneState
}

// The phases of a run.
const (
	phasePlan = iota
	phaseSend
)

// A laneState is how far a lane has come.
type laneState struct {
	After uuid.UUID
	Done  bool
}

// SendDigestsResult says what a run did: deliveries, by what became of them.
type SendDigestsResult struct {
	Sent      int
	Skipped   int
	Failed    int
	Uncertain int
	Planned   int // by this run
}

// digests names activities without having one.
var digests *activities.Digests

// TickAttribute is Temporal's own search attribute of a run that a schedule started: the time for which it was meant, however late it starts.
var TickAttribute = temporal.NewSearchAttributeKeyTime("TemporalScheduledStartTime")

// SendDigests plans what is due, page by page of members, and sends what is planned, in several lanes. It is safe to run twice, at once or in a row: a member and a
// period have one delivery, which is claimed before its mail goes out. Its history does not grow with the number of members.
func SendDigests(ctx workflow.Context, in SendDigestsInput) (SendDigestsResult, error) {
	if in.RunID == "" {
		in.RunID = workflow.GetInfo(ctx).WorkflowExecution.RunID
		if in.At.IsZero() {
			in.At = workflow.Now(ctx)
			if tick, scheduled := workflow.GetTypedSearchAttributes(ctx).GetTime(TickAttribute); scheduled {
				in.At = tick
			}
		}
		if _, err := call(ctx, beginOptions("settle what earlier runs left"), digests.BeginDigests, activities.BeginDigestsInput{Frequency: in.Frequency}); err != nil {
			return SendDigestsResult{}, err
		}
	}
	for in.Phase == phasePlan {
		if tooLong(ctx) {
			return SendDigestsResult{}, workflow.NewContinueAsNewError(ctx, SendDigests, in)
		}
		page, err := call(ctx, beginOptions("plan a page of members"), digests.PlanDigests, activities.PlanDigestsInput{
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
	left, err := count(ctx, in.Frequency, in.RunID)
	if err != nil {
		return SendDigestsResult{}, err
	}
	if left.Due > 0 {
		if in.Lanes, err = sendLanes(ctx, in.Frequency, in.RunID, in.Lanes); err != nil {
			return SendDigestsResult{}, err
		}
		if !finishedLanes(in.Lanes) {
			return SendDigestsResult{}, workflow.NewContinueAsNewError(ctx, SendDigests, in)
		}
		if left, err = count(ctx, in.Frequency, in.RunID); err != nil {
			return SendDigestsResult{}, err
		}
	}
	if !left.RetryAt.IsZero() {
		if err := startRetries(ctx, in.Frequency); err != nil {
			return SendDigestsResult{}, err
		}
	}
	result := SendDigestsResult{Sent: left.Sent, Skipped: left.Skipped, Failed: left.Failed, Uncertain: left.Uncertain, Planned: in.Planned}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d sent, %d skipped, %d failed, %d uncertain.", result.Sent, result.Skipped, result.Failed, result.Uncertain))
	return result, nil
}

// RetryDigestsInput names the digests, daily or weekly.
type RetryDigestsInput struct {
	Frequency string
	RunID     string // of the first run; set by a run that continues as new
	Lanes     []laneState
}

// RetryDigests sends again what a recipient's server refused for now, each when its time has come, until nothing is left or its period is over.
func RetryDigests(ctx workflow.Context, in RetryDigestsInput) error {
	if in.RunID == "" {
		in.RunID = workflow.GetInfo(ctx).WorkflowExecution.RunID
	}
	for {
		if tooLong(ctx) {
			return workflow.NewContinueAsNewError(ctx, RetryDigests, in)
		}
		left, err := count(ctx, in.Frequency, in.RunID)
		if err != nil {
			return err
		}
		switch {
		case left.Due > 0:
			if in.Lanes, err = sendLanes(ctx, in.Frequency, in.RunID, in.Lanes); err != nil {
				return err
			}
			if finishedLanes(in.Lanes) {
				in.Lanes = nil
			}
		case left.RetryAt.IsZero():
			return nil
		default:
			// Another run may meanwhile have been refused what is tried again earlier.
			wait := min(left.RetryAt.Sub(workflow.Now(ctx)), 5*time.Minute)
			workflow.SetCurrentDetails(ctx, "Waiting for recipients' servers that refuse for now.")
			if err := workflow.Sleep(ctx, max(wait, time.Second)); err != nil {
				return err
			}
		}
	}
}

func retryWorkflowID(frequency string) string { return "digest-retry-" + frequency }

func retrySummary(frequency string) string {
	return "Send again " + frequency + " digests that were refused for now"
}

// startRetries starts the workflow that tries again, unless it runs: one serves all runs of a frequency, and outlives them.
func startRetries(ctx workflow.Context, name string) error {
	child := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID:            retryWorkflowID(name),
		TaskQueue:             QueueControl,
		ParentClosePolicy:     enumspb.PARENT_CLOSE_POLICY_ABANDON,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary:         retrySummary(name),
	})
	err := workflow.ExecuteChildWorkflow(child, RetryDigests, RetryDigestsInput{Frequency: name}).GetChildWorkflowExecution().Get(ctx, nil)
	var running *temporal.ChildWorkflowExecutionAlreadyStartedError
	if errors.As(err, &running) {
		return nil
	}
	return err
}

// sendLanes sends what is planned and due until every lane has come to its end, or the history is long.
func sendLanes(ctx workflow.Context, name, run string, lanes []laneState) ([]laneState, error) {
	if lanes == nil {
		lanes = make([]laneState, digestLanes)
		for i := range lanes {
			lanes[i].After = laneStart(i)
		}
	}
	all := workflow.NewWaitGroup(ctx)
	var failure error
	for i := range lanes {
		all.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer all.Done()
			for lane := &lanes[i]; !lane.Done && failure == nil && !tooLong(ctx); {
				result, err := call(ctx, deliverOptions(fmt.Sprintf("lane %d of %d", i+1, len(lanes))), digests.DeliverDigests, activities.DeliverDigestsInput{
					Frequency: name, RunID: run, From: laneStart(i), Through: laneStart(i + 1), After: lane.After,
				})
				if err != nil {
					failure = err
					return
				}
				lane.After, lane.Done = result.After, result.Done
			}
		})
	}
	all.Wait(ctx)
	return lanes, failure
}

func finishedLanes(lanes []laneState) bool {
	for _, lane := range lanes {
		if !lane.Done {
			return false
		}
	}
	return true
}

// laneStart divides the ids, which are random, among the lanes: each holds those above its start and up to the next one's.
func laneStart(i int) uuid.UUID {
	if i == 0 {
		return uuid.Nil
	}
	if i == digestLanes {
		return uuid.Max
	}
	return uuid.UUID{byte(i * 256 / digestLanes)}
}

func count(ctx workflow.Context, name, run string) (activities.CountDigestsResult, error) {
	return call(ctx, beginOptions("count"), digests.CountDigests, activities.CountDigestsInput{Frequency: name, RunID: run})
}

func tooLong(ctx workflow.Context) bool {
	info := workflow.GetInfo(ctx)
	return info.GetContinueAsNewSuggested() || info.GetCurrentHistoryLength() > digestHistory
}

// digestStartTimeout: a scheduler can wait longer than a person, and what it asks for is worth it.
const digestStartTimeout = 15 * time.Second

// DigestWorkflowID is that of the runs that somebody asks for: of two calls at once the second shares the first one's run.
func DigestWorkflowID(frequency string) string { return "digest-" + frequency + "-now" }

// SendDigests starts sending at once what is due for the last closed period, or joins the run that does so already. Its error is ErrUnavailable.
func (c *Client) SendDigests(ctx context.Context, frequency string) (DigestRun, error) {
	starting, cancel := context.WithTimeout(ctx, digestStartTimeout)
	defer cancel()
	run, err := c.temporal.ExecuteWorkflow(starting, client.StartWorkflowOptions{
		ID:                       DigestWorkflowID(frequency),
		TaskQueue:                QueueControl,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowExecutionTimeout: 24 * time.Hour, // by then the next period's digests are due
		StaticSummary:            "Send the " + frequency + " digests that are due",
	}, SendDigests, SendDigestsInput{Frequency: frequency, Everyone: true})
	if err != nil {
		return DigestRun{}, fmt.Errorf("start the digests: %w: %s", ErrUnavailable, serviceErrorName(err))
	}
	return DigestRun{Run: Run{run.GetID(), run.GetRunID()}, run: run}, nil
}

// RetryDigests has what is planned sent by the workflow that tries again, which is started unless it runs; it looks every five minutes at the latest. Its error is
// ErrUnavailable.
func (c *Client) RetryDigests(ctx context.Context, frequency string) error {
	ctx, cancel := context.WithTimeout(ctx, digestStartTimeout)
	defer cancel()
	_, err := c.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                       retryWorkflowID(frequency),
		TaskQueue:                QueueControl,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary:            retrySummary(frequency),
	}, RetryDigests, RetryDigestsInput{Frequency: frequency})
	if err != nil {
		return fmt.Errorf("start the retries of digests: %w: %s", ErrUnavailable, serviceErrorName(err))
	}
	return nil
}

// A DigestRun is a run under way.
type DigestRun struct {
	Run
	run client.WorkflowRun
}

// ErrDigests: the run ended without having sent everything; the next tick goes on.
var ErrDigests = errors.New("the run of the digests failed")

// Wait waits until the run is done or the context ends, whose error is then returned. Other errors are ErrDigests and ErrUnavailable.
func (r DigestRun) Wait(ctx context.Context) (SendDigestsResult, error) {
	var result SendDigestsResult
	err := r.run.Get(ctx, &result)
	var failed *temporal.WorkflowExecutionError
	var gone *serviceerror.NotFound
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		return result, ctx.Err()
	case errors.As(err, &failed), errors.As(err, &gone):
		return result, fmt.Errorf("%w: %s", ErrDigests, errorCode(err))
	}
	return result, fmt.Errorf("%w: %s", ErrUnavailable, serviceErrorName(err))
}

// DigestSchedules tick every hour, in UTC; what is due by each member's clock is computed in code, since calendars of schedules know no daylight saving. A tick that
// comes while the one before is at work waits, one at most: what it would have planned is planned by the next as well. After an outage of Temporal six hours of
// ticks are made up for.
func DigestSchedules() []Schedule {
	var all []Schedule
	for _, frequency := range []string{Daily, Weekly} {
		all = append(all, Schedule{
			ID: "digest-" + frequency, Every: time.Hour, Workflow: SendDigests, Input: SendDigestsInput{Frequency: frequency}, Timeout: 24 * time.Hour,
			Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE, CatchUp: 6 * time.Hour, Summary: "Send the " + frequency + " digests that have become due",
		})
	}
	return all
}
