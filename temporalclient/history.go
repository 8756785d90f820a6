package temporalclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"

	"research/activities"
	"research/workflows"
)

// A ParseHistory describes the latest run of an import, for operators. It contains names, numbers and error
// types, and no payload.
type ParseHistory struct {
	activities.ParseRun
	Events  []HistoryEvent // the oldest first
	Pending []PendingActivity
	// Untaken is when the workflow task that no worker has taken was scheduled. Zero means that there is none.
	Untaken time.Time
}

// A HistoryEvent is an event of a run that explains where its time went.
type HistoryEvent struct {
	At   time.Time
	What string
}

// A PendingActivity is an activity that has not ended.
type PendingActivity struct {
	Name        string
	ID          string // for Temporal's CLI
	Running     bool   // a worker has taken it
	Paused      bool   // an operator paused it; it may still be running
	PausedAt    time.Time
	PausedBy    string // the operator's identity, or ""
	Attempt     int
	LastFailure string    // the error type of the previous attempt, or ""
	NextAttempt time.Time // zero if it is running, or if a worker can take it at once
	Heartbeat   time.Time // the last one; zero for none
	Worker      string    // the last worker that took it, or ""
}

// ReadParse returns the latest run of an import. Its errors are activities.ErrNoRun and ErrUnavailable.
//
// It does not use Client.request, whose breaker spares a serving process repeated waits for an unreachable
// server. A command asks once, and an operator prefers a slow answer to none.
func (c *Client) ReadParse(ctx context.Context, importID uuid.UUID) (ParseHistory, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*requestTimeout) // a long history has several pages
	defer cancel()
	var h ParseHistory
	described, err := c.temporal.DescribeWorkflowExecution(ctx, workflows.ParseWorkflowID(importID), "")
	var notFound *serviceerror.NotFound
	if errors.As(err, &notFound) {
		return h, activities.ErrNoRun
	}
	if err != nil {
		return h, Failure(fmt.Sprintf("describe the parse of import %s", importID), err)
	}
	h.ParseRun = describedRun(described)
	task := described.GetPendingWorkflowTask()
	if task.GetState() == enumspb.PENDING_WORKFLOW_TASK_STATE_SCHEDULED {
		h.Untaken = task.GetScheduledTime().AsTime()
	}
	for _, pending := range described.GetPendingActivities() {
		h.Pending = append(h.Pending, pendingActivity(pending))
	}
	names := map[int64]string{} // of activities and timers, by the event that scheduled them
	events := c.temporal.GetWorkflowHistory(ctx, h.WorkflowID, h.RunID, false,
		enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return h, Failure(fmt.Sprintf("read the history of import %s", importID), err)
		}
		if what := describeEvent(event, names); what != "" {
			h.Events = append(h.Events, HistoryEvent{event.GetEventTime().AsTime(), what})
		}
	}
	return h, nil
}

func pendingActivity(p *workflowpb.PendingActivityInfo) PendingActivity {
	a := PendingActivity{
		Name:    p.GetActivityType().GetName(),
		Running: p.GetState() == enumspb.PENDING_ACTIVITY_STATE_STARTED,
		Attempt: int(p.GetAttempt()),
		Worker:  p.GetLastWorkerIdentity(),

		ID:       p.GetActivityId(),
		Paused:   isPaused(p),
		PausedBy: p.GetPauseInfo().GetManual().GetIdentity(),
	}
	if at := p.GetPauseInfo().GetPauseTime(); at != nil {
		a.PausedAt = at.AsTime()
	}
	if p.GetLastFailure() != nil {
		a.LastFailure = failureType(p.GetLastFailure())
	}
	if at := p.GetNextAttemptScheduleTime(); at != nil {
		a.NextAttempt = at.AsTime()
	}
	if at := p.GetLastHeartbeatTime(); at != nil {
		a.Heartbeat = at.AsTime()
	}
	return a
}

// describeEvent describes an event to an operator, or returns "" for one of no interest. It adds to names.
func describeEvent(e *historypb.HistoryEvent, names map[int64]string) string {
	switch e.GetEventType() {
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED:
		return "the run begins"
	case enumspb.EVENT_TYPE_WORKFLOW_TASK_FAILED:
		return "a task of the workflow fails: " + e.GetWorkflowTaskFailedEventAttributes().GetCause().String()
	case enumspb.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT:
		return "a task of the workflow times out"
	case enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
		scheduled := e.GetActivityTaskScheduledEventAttributes()
		names[e.GetEventId()] = scheduled.GetActivityType().GetName()
		return fmt.Sprintf("%s waits in the queue %s", names[e.GetEventId()], scheduled.GetTaskQueue().GetName())
	case enumspb.EVENT_TYPE_ACTIVITY_TASK_STARTED:
		started := e.GetActivityTaskStartedEventAttributes()
		what := names[started.GetScheduledEventId()] + " begins"
		if started.GetAttempt() > 1 {
			what += fmt.Sprintf(", attempt %d, after %s", started.GetAttempt(), failureType(started.GetLastFailure()))
		}
		return what
	case enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
		return names[e.GetActivityTaskCompletedEventAttributes().GetScheduledEventId()] + " has ended"
	case enumspb.EVENT_TYPE_ACTIVITY_TASK_FAILED:
		failed := e.GetActivityTaskFailedEventAttributes()
		return names[failed.GetScheduledEventId()] + " has failed: " + failureType(failed.GetFailure())
	case enumspb.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT:
		timedOut := e.GetActivityTaskTimedOutEventAttributes()
		return names[timedOut.GetScheduledEventId()] + " has timed out: " + failureType(timedOut.GetFailure())
	case enumspb.EVENT_TYPE_ACTIVITY_TASK_CANCELED:
		return names[e.GetActivityTaskCanceledEventAttributes().GetScheduledEventId()] + " is cancelled"
	case enumspb.EVENT_TYPE_TIMER_STARTED:
		return "waits for " + e.GetTimerStartedEventAttributes().GetStartToFireTimeout().AsDuration().String()
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED:
		return "cancellation is requested"
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED:
		return "the run has completed"
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED:
		return "the run is cancelled"
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED:
		return "the run has failed: " + failureType(e.GetWorkflowExecutionFailedEventAttributes().GetFailure())
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_TIMED_OUT:
		return "the run has timed out at the server"
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED:
		return "the run is terminated by " + e.GetWorkflowExecutionTerminatedEventAttributes().GetIdentity()
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW:
		return "the run continues as new"
	}
	return ""
}

// failureType returns the type of an error, and never its message, which may quote a transcript.
func failureType(f *failurepb.Failure) string {
	for cause := f; cause != nil; cause = cause.GetCause() {
		switch {
		case cause.GetApplicationFailureInfo() != nil:
			return cmp.Or(cause.GetApplicationFailureInfo().GetType(), "an error without a type")
		case cause.GetTimeoutFailureInfo() != nil:
			return cause.GetTimeoutFailureInfo().GetTimeoutType().String() + " timeout"
		case cause.GetCanceledFailureInfo() != nil:
			return "cancellation"
		case cause.GetTerminatedFailureInfo() != nil:
			return "termination"
		}
	}
	return "an unknown error"
}
