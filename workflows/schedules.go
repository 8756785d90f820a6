package workflows

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
)

// A Schedule starts a workflow again and again, on the queue of workflows. It ticks at the multiples of Every since 1970, in UTC: a schedule of an hour ticks at the full hour.
type Schedule struct {
	ID       string // also how its runs' ids begin
	Every    time.Duration
	Workflow any // a workflow function of one input
	Input    any // small and without secrets: it is kept in plain text, unless payloads are encrypted

	Timeout time.Duration                 // of one run; a run that no worker takes must not hold up the ticks after it for ever
	Overlap enumspb.ScheduleOverlapPolicy // what becomes of a tick while the run before is still open
	CatchUp time.Duration                 // how old a tick may be that Temporal makes up for after it was away; at least 10 s
	Summary string                        // of its runs, for operators
}

// EnsureSchedules creates the schedules that are missing and puts right those that differ. That an operator paused one stays. Many programs may do
// so at once.
func (c *Client) EnsureSchedules(ctx context.Context, schedules ...Schedule) error {
	var errs []error
	for _, s := range schedules {
		if err := c.ensureSchedule(ctx, s); err != nil {
			errs = append(errs, fmt.Errorf("ensure schedule %s: %w", s.ID, err))
		}
	}
	return errors.Join(errs...)
}

func (c *Client) ensureSchedule(ctx context.Context, s Schedule) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	err := c.temporal.ScheduleClient().GetHandle(ctx, s.ID).Update(ctx, client.ScheduleUpdateOptions{
		DoUpdate: func(is client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			if s.matches(is.Description.Schedule) {
				return nil, temporal.ErrSkipScheduleUpdate
			}
			return &client.ScheduleUpdate{Schedule: &client.Schedule{
				Spec: s.spec(), Action: s.action(), Policy: s.policy(), State: is.Description.Schedule.State,
			}}, nil
		},
	})
	var missing *serviceerror.NotFound
	if !errors.As(err, &missing) {
		return err
	}
	_, err = c.temporal.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: s.ID, Spec: *s.spec(), Action: s.action(), Overlap: s.Overlap, CatchupWindow: s.CatchUp,
	})
	if errors.Is(err, temporal.ErrScheduleAlreadyRunning) { // another program was first, with the same wish
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
		ID: s.ID, Workflow: s.Workflow, Args: []any{s.Input}, TaskQueue: QueueControl, WorkflowExecutionTimeout: s.Timeout, StaticSummary: s.Summary,
	}
}

// matches tells whether a schedule, as Temporal describes it, is as it should be.
func (s Schedule) matches(is client.Schedule) bool {
	action, ok := is.Action.(*client.ScheduleWorkflowAction)
	return ok && is.Spec != nil && is.Policy != nil &&
		slices.Equal(is.Spec.Intervals, s.spec().Intervals) && len(is.Spec.Calendars) == 0 && len(is.Spec.Skip) == 0 &&
		is.Spec.StartAt.IsZero() && is.Spec.EndAt.IsZero() && is.Spec.Jitter == 0 &&
		*is.Policy == *s.policy() &&
		action.ID == s.ID && action.Workflow == functionName(s.Workflow) && action.TaskQueue == QueueControl &&
		action.WorkflowExecutionTimeout == s.Timeout && action.StaticSummary == s.Summary && s.isInput(action.Args)
}

// isInput compares what a run is started with. What is encrypted cannot be compared: it counts as the same.
func (s Schedule) isInput(args []any) bool {
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

// functionName is the name under which the SDK registers a workflow.
func functionName(workflow any) string {
	name := runtime.FuncForPC(reflect.ValueOf(workflow).Pointer()).Name()
	return name[strings.LastIndex(name, ".")+1:]
}
