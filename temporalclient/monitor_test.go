package temporalclient_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"research/temporalclient"
	"research/workflows"
)

func TestDescribeSchedules(t *testing.T) {
	t.Parallel()
	temporal := dial(t, temporalAddress(t))
	c := temporalclient.New(temporal, time.Minute)
	schedule := temporalclient.Schedule{ID: "test-" + uuid.NewString(), Every: time.Second}
	handle, err := temporal.ScheduleClient().Create(t.Context(), client.ScheduleOptions{
		ID: schedule.ID, Spec: client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: time.Second}}},
		Action: &client.ScheduleWorkflowAction{
			ID: schedule.ID, Workflow: workflows.EnforceRetention, Args: []any{workflows.EnforceRetentionInput{}},
			TaskQueue: "without-workers-" + schedule.ID, WorkflowExecutionTimeout: time.Minute,
		},
		Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_SKIP,
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = handle.Delete(context.Background()) })
	missing := temporalclient.Schedule{ID: "test-" + uuid.NewString(), Every: time.Second}
	describe := func() temporalclient.ScheduleState {
		states, err := c.DescribeSchedules(t.Context(), "default", schedule, missing)
		require.NoError(t, err)
		require.Len(t, states, 1, "only schedules that exist")
		return states[0]
	}
	require.Eventually(t, func() bool { return time.Since(describe().DueAt) > 2*time.Second }, time.Minute,
		100*time.Millisecond, "a run without a worker keeps the next one due")
	require.False(t, describe().Paused)

	require.NoError(t, handle.Pause(t.Context(), client.SchedulePauseOptions{}))
	require.Eventually(t, func() bool { return describe().Paused }, time.Minute, 100*time.Millisecond)
}

func TestDescribeBacklogs(t *testing.T) {
	t.Parallel()
	namespace := "test-" + uuid.NewString()
	quiet := slog.New(slog.DiscardHandler)
	namespaces, err := client.NewNamespaceClient(client.Options{HostPort: temporalAddress(t), Logger: quiet})
	require.NoError(t, err)
	defer namespaces.Close()
	require.NoError(t, namespaces.Register(t.Context(), &workflowservice.RegisterNamespaceRequest{
		Namespace: namespace, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	}))
	var temporal client.Client
	require.Eventually(t, func() bool { // frontends learn of a namespace a little later
		temporal, err = client.DialContext(t.Context(), client.Options{
			HostPort: temporalAddress(t), Namespace: namespace, Logger: quiet,
		})
		return err == nil
	}, time.Minute, 100*time.Millisecond)
	t.Cleanup(temporal.Close)
	c := temporalclient.New(temporal, time.Minute)
	backlog := func(queue, kind string) (found temporalclient.Backlog) {
		backlogs, err := c.DescribeBacklogs(t.Context(), namespace)
		require.NoError(t, err)
		for _, b := range backlogs {
			if b.Queue == queue && b.Kind == kind {
				return b
			}
		}
		t.Fatalf("no backlog of %s %s", queue, kind)
		return found
	}
	require.Zero(t, backlog(workflows.QueueControl, "workflow").Tasks)
	require.Zero(t, backlog(workflows.QueueParse, "activity").Tasks)

	run, err := temporal.ExecuteWorkflow(t.Context(),
		client.StartWorkflowOptions{TaskQueue: workflows.QueueControl}, workflows.EnforceRetention,
		workflows.EnforceRetentionInput{})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		b := backlog(workflows.QueueControl, "workflow")
		return b.Tasks == 1 && b.Age > 0
	}, time.Minute, 100*time.Millisecond)
	require.NoError(t, temporal.TerminateWorkflow(t.Context(), run.GetID(), "", "the test ends"))
}
