package temporalclient

import (
	"context"
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	schedulepb "go.temporal.io/api/schedule/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"

	"research/workflows"
)

// A ScheduleState is the state of a schedule.
type ScheduleState struct {
	ID     string
	Paused bool
	// DueAt is when the next run should start, or should have started: while the previous run is open, or the
	// scheduler of Temporal does nothing, it is in the past.
	DueAt time.Time
}

// DescribeSchedules returns the states of the schedules that exist.
func (c *Client) DescribeSchedules(
	ctx context.Context, namespace string, schedules ...Schedule,
) ([]ScheduleState, error) {
	var states []ScheduleState
	for _, s := range schedules {
		var is *workflowservice.DescribeScheduleResponse
		err := c.request(ctx, requestTimeout, func(ctx context.Context) (err error) {
			is, err = c.temporal.WorkflowService().DescribeSchedule(ctx,
				&workflowservice.DescribeScheduleRequest{Namespace: namespace, ScheduleId: s.ID})
			return err
		})
		var notFound *serviceerror.NotFound
		switch {
		case errors.As(err, &notFound):
			continue
		case err != nil:
			return nil, Failure("describe the schedule "+s.ID, err)
		}
		states = append(states, ScheduleState{
			ID: s.ID, Paused: is.GetSchedule().GetState().GetPaused(), DueAt: dueAt(is.GetInfo(), s.Every),
		})
	}
	return states, nil
}

// dueAt returns when the next run should start, or should have started. While a run is open, that is the tick
// after its own, although Temporal names a later one.
func dueAt(info *schedulepb.ScheduleInfo, every time.Duration) time.Time {
	var last time.Time
	for _, action := range info.GetRecentActions() {
		if at := action.GetScheduleTime().AsTime(); at.After(last) {
			last = at
		}
	}
	isOpen := len(info.GetRunningWorkflows()) > 0 || info.GetBufferSize() > 0
	switch next := info.GetFutureActionTimes(); {
	case isOpen && !last.IsZero():
		return last.Truncate(every).Add(every)
	case len(next) > 0:
		return next[0].AsTime()
	}
	return time.Now().Add(every)
}

// A Backlog is what waits in a task queue for a worker, as Temporal estimates it.
type Backlog struct {
	Queue string
	Kind  string // workflow or activity
	Tasks int64
	Age   time.Duration // of the oldest task
}

// DescribeBacklogs returns the backlog of each task queue, and that of workflow tasks.
func (c *Client) DescribeBacklogs(ctx context.Context, namespace string) ([]Backlog, error) {
	backlogs := []Backlog{{Queue: workflows.QueueControl, Kind: "workflow"}}
	for _, queue := range workflows.Queues {
		backlogs = append(backlogs, Backlog{Queue: queue, Kind: "activity"})
	}
	for i := range backlogs {
		b := &backlogs[i]
		kind := enumspb.TASK_QUEUE_TYPE_ACTIVITY
		if b.Kind == "workflow" {
			kind = enumspb.TASK_QUEUE_TYPE_WORKFLOW
		}
		err := c.request(ctx, requestTimeout, func(ctx context.Context) error {
			described, err := c.temporal.WorkflowService().DescribeTaskQueue(ctx,
				&workflowservice.DescribeTaskQueueRequest{
					Namespace:     namespace,
					TaskQueue:     &taskqueuepb.TaskQueue{Name: b.Queue, Kind: enumspb.TASK_QUEUE_KIND_NORMAL},
					TaskQueueType: kind,
					ReportStats:   true,
				})
			b.Tasks = described.GetStats().GetApproximateBacklogCount()
			b.Age = described.GetStats().GetApproximateBacklogAge().AsDuration()
			return err
		})
		if err != nil {
			return nil, Failure("describe the task queue "+b.Queue, err)
		}
	}
	return backlogs, nil
}
