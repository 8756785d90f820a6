package temporalclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"research/workflows"
)

// A Schedule starts a workflow at regular times, on the control queue. It ticks at multiples of Every since
// 1970, in UTC: an hourly schedule ticks at the full hour.
type Schedule struct {
	ID       string // also the beginning of the ids of its runs
	Every    time.Duration
	Workflow any // a workflow function with one input
	Input    any // small and without secrets; stored in plain text unless payloads are encrypted

	Timeout time.Duration                 // of one run: a run without a worker must not block later ticks
	Overlap enumspb.ScheduleOverlapPolicy // what happens to a tick while the previous run is open
	CatchUp time.Duration                 // the maximum age of missed ticks that still run; at least 10 s
	Summary string                        // of its runs, for operators
}

// digestExecutionTimeout ends a run that plans digests, also one whose workflow tasks fail or get no worker.
// Planning takes minutes, and a request waits for up to an hour until the digests are sent. During an outage
// of the database, a step waits for up to an hour, and the next tick plans what is missing.
const digestExecutionTimeout = 2 * time.Hour

// DigestSchedules returns the schedules of the daily and the weekly digests. Both tick every hour in UTC.
// Code computes which members' local hour it is, because schedule calendars ignore daylight saving time. A
// run only plans. One tick waits while the previous run is open; a further one is dropped, because the
// waiting tick plans the same deliveries. After an outage of Temporal, missed ticks of the last six hours
// run.
func DigestSchedules() []Schedule {
	var schedules []Schedule
	for _, frequency := range []string{workflows.Daily, workflows.Weekly} {
		schedules = append(schedules, Schedule{
			ID:       "digest-" + frequency,
			Every:    time.Hour,
			Workflow: workflows.PlanDigests,
			Input:    workflows.PlanDigestsInput{Frequency: frequency},
			Timeout:  digestExecutionTimeout,
			Overlap:  enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE,
			CatchUp:  6 * time.Hour,
			Summary:  "Plan the " + frequency + " digests that are due, and start their delivery",
		})
	}
	return schedules
}

// RetentionSchedule returns the schedule that deletes data older than its retention, at midnight UTC. A tick
// is skipped while the previous run is open, because the next one deletes the same rows.
func RetentionSchedule() Schedule {
	return Schedule{
		ID:       "enforce-retention",
		Every:    24 * time.Hour,
		Workflow: workflows.EnforceRetention,
		Input:    workflows.EnforceRetentionInput{},
		Timeout:  20 * time.Hour, // longer than its activity may take
		Overlap:  enumspb.SCHEDULE_OVERLAP_POLICY_SKIP,
		CatchUp:  12 * time.Hour,
		Summary:  "Delete what is older than its retention",
	}
}

// Schedules returns all schedules of the service.
func Schedules() []Schedule { return append(DigestSchedules(), RetentionSchedule()) }

// EnsureSchedules creates the schedules that are missing and corrects those that differ. A schedule that an
// operator paused stays paused. Several programs may call it at the same time. In a namespace that does not
// belong to the database, it does nothing and returns ErrWrongNamespace.
func (c *Client) EnsureSchedules(ctx context.Context, schedules ...Schedule) error {
	if err := c.CheckNamespace(ctx); err != nil {
		return err
	}
	var errs []error
	for _, s := range schedules {
		if err := c.ensureSchedule(ctx, s); err != nil {
			errs = append(errs, Failure("ensure the schedule "+s.ID, err))
		}
	}
	return errors.Join(errs...)
}

func (c *Client) ensureSchedule(ctx context.Context, s Schedule) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := c.temporal.ScheduleClient().GetHandle(ctx, s.ID).Update(ctx, client.ScheduleUpdateOptions{
		DoUpdate: func(current client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			if s.matches(current.Description.Schedule) {
				return nil, temporal.ErrSkipScheduleUpdate
			}
			return &client.ScheduleUpdate{Schedule: &client.Schedule{
				Spec: s.spec(), Action: s.action(), Policy: s.policy(), State: current.Description.Schedule.State,
			}}, nil
		},
	})
	var notFound *serviceerror.NotFound
	if !errors.As(err, &notFound) {
		return err
	}
	_, err = c.temporal.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: s.ID, Spec: *s.spec(), Action: s.action(), Overlap: s.Overlap, CatchupWindow: s.CatchUp,
	})
	if errors.Is(err, temporal.ErrScheduleAlreadyRunning) { // another program created it first
		return nil
	}
	return err
}

func (s Schedule) spec() *client.ScheduleSpec {
	return &client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: s.Every}}}
}

func (s Schedule) policy() *client.SchedulePolicies {
	return &client.SchedulePolicies{Overlap: s.Overlap, CatchupWindow: s.CatchUp}
}

func (s Schedule) action() *client.ScheduleWorkflowAction {
	return &client.ScheduleWorkflowAction{
		ID: s.ID, Workflow: s.Workflow, Args: []any{s.Input}, TaskQueue: workflows.QueueControl,
		WorkflowExecutionTimeout: s.Timeout, StaticSummary: s.Summary,
	}
}

// matches reports whether a schedule, as Temporal describes it, equals s.
func (s Schedule) matches(is client.Schedule) bool {
	action, ok := is.Action.(*client.ScheduleWorkflowAction)
	return ok && is.Spec != nil && is.Policy != nil &&
		slices.Equal(is.Spec.Intervals, s.spec().Intervals) &&
		len(is.Spec.Calendars) == 0 && len(is.Spec.Skip) == 0 &&
		is.Spec.StartAt.IsZero() && is.Spec.EndAt.IsZero() && is.Spec.Jitter == 0 &&
		*is.Policy == *s.policy() &&
		action.ID == s.ID && action.Workflow == functionName(s.Workflow) &&
		action.TaskQueue == workflows.QueueControl && action.WorkflowExecutionTimeout == s.Timeout &&
		action.StaticSummary == s.Summary && s.hasInput(action.Args)
}

// hasInput reports whether the arguments are the input of s. An encrypted input cannot be compared and counts
// as equal.
func (s Schedule) hasInput(args []any) bool {
	if len(args) != 1 {
		return false
	}
	payload, ok := args[0].(*commonpb.Payload)
	if !ok || string(payload.GetMetadata()[converter.MetadataEncoding]) != converter.MetadataEncodingJSON {
		return ok
	}
	want, err := json.Marshal(s.Input)
	return err == nil && bytes.Equal(want, payload.GetData())
}

// functionName returns the name under which the SDK registers a workflow function.
func functionName(workflow any) string {
	name := runtime.FuncForPC(reflect.ValueOf(workflow).Pointer()).Name()
	return name[strings.LastIndex(name, ".")+1:]
}
