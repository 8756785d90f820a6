package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"research/activities"
	"research/workflows"
)

var digests *activities.Digests

var (
	installation = uuid.MustParse("0f8a3c52-6d1e-4b7f-9a2c-5e4d3c2b1a09")
	mark         = activities.DigestMark{
		Installation: installation, SeenAt: time.Date(2026, 11, 20, 8, 0, 1, 0, time.UTC),
	}
)

// fakePlanning stands in for the activities of PlanDigests. It plans all members in a number of calls.
type fakePlanning struct {
	calls int
	held  bool
	await func(call int) activities.AwaitDigestsResult

	begun   []activities.BeginDigestsInput
	planned []activities.PlanDigestsInput
	started []activities.StartDeliveryInput
	awaited []activities.AwaitDigestsInput
}

// register replaces the activities of an environment.
func (f *fakePlanning) register(env *testsuite.TestWorkflowEnvironment) {
	env.OnActivity(digests.BeginDigests, mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.BeginDigestsInput) (activities.BeginDigestsResult, error) {
			f.begun = append(f.begun, in)
			if f.held {
				return activities.BeginDigestsResult{Held: true, Seen: in.Seen}, nil
			}
			return activities.BeginDigestsResult{Seen: mark}, nil
		}).Maybe()
	env.OnActivity(digests.PlanDigests, mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.PlanDigestsInput) (activities.PlanDigestsResult, error) {
			f.planned = append(f.planned, in)
			n := len(f.planned)
			return activities.PlanDigestsResult{
				Members: 2000, Planned: 5, Next: uuid.UUID{15: byte(n)}, Done: n == f.calls,
			}, nil
		}).Maybe()
	env.OnActivity(digests.StartDelivery, mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.StartDeliveryInput) (activities.StartDeliveryResult, error) {
			f.started = append(f.started, in)
			return activities.StartDeliveryResult{}, nil
		}).Maybe()
	env.OnActivity(digests.AwaitDigests, mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.AwaitDigestsInput) (activities.AwaitDigestsResult, error) {
			f.awaited = append(f.awaited, in)
			return f.await(len(f.awaited)), nil
		}).Maybe()
}

func TestPlanDigests(t *testing.T) {
	t.Parallel()
	tick := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)

	t.Run("plans what was due at the tick and has it sent, without waiting for that", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		env.SetStartTime(tick.Add(3 * time.Hour))
		scheduled := temporal.NewSearchAttributes(workflows.TickAttribute.ValueSet(tick))
		require.NoError(t, env.SetTypedSearchAttributesOnStart(scheduled))
		f := &fakePlanning{calls: 3}
		f.register(env)
		env.ExecuteWorkflow(workflows.PlanDigests, workflows.PlanDigestsInput{Frequency: "daily"})
		require.NoError(t, env.GetWorkflowError())
		var result workflows.PlanDigestsResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.Equal(t, workflows.PlanDigestsResult{Planned: 15, Seen: mark}, result)
		require.Len(t, f.planned, 3)
		for i, call := range f.planned {
			require.Equal(t, uuid.UUID{15: byte(i)}, call.After, "each call continues where the last one stopped")
			require.True(t, call.At.Equal(tick), "%s", call.At)
			require.True(t, call.Now.Equal(tick.Add(3*time.Hour)), "digests expire by the clock")
			require.False(t, call.Everyone)
		}
		require.Equal(t, []activities.StartDeliveryInput{{Seen: mark}}, f.started)
		require.Empty(t, f.awaited)
	})

	t.Run("waits until what was asked for is sent", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		env.SetStartTime(tick)
		f := &fakePlanning{calls: 1, await: func(call int) activities.AwaitDigestsResult {
			return activities.AwaitDigestsResult{Open: 3 - call, Sent: 3 + call, Skipped: 3, Failed: 2, Uncertain: 1}
		}}
		f.register(env)
		env.ExecuteWorkflow(workflows.PlanDigests, workflows.PlanDigestsInput{Frequency: "daily", Everyone: true})
		require.NoError(t, env.GetWorkflowError())
		var result workflows.PlanDigestsResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.Equal(t, workflows.PlanDigestsResult{
			Planned: 5, Sent: 6, Skipped: 3, Failed: 2, Uncertain: 1, Seen: mark,
		}, result)
		require.True(t, f.planned[0].Everyone)
		require.True(t, f.planned[0].At.Equal(tick))
		require.NotEmpty(t, f.planned[0].RunID, "its deliveries carry the run")
		for _, in := range f.awaited {
			require.Equal(t, f.planned[0].RunID, in.RunID)
		}
	})

	t.Run("waits sixty times a minute, so that no request for the next period joins it", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		env.SetStartTime(tick)
		f := &fakePlanning{calls: 1, await: func(int) activities.AwaitDigestsResult {
			return activities.AwaitDigestsResult{Open: 9000, Sent: 4}
		}}
		f.register(env)
		env.ExecuteWorkflow(workflows.PlanDigests, workflows.PlanDigestsInput{Frequency: "daily", Everyone: true})
		require.NoError(t, env.GetWorkflowError())
		var result workflows.PlanDigestsResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.Len(t, f.awaited, 60)
		require.Equal(t, 9000, result.Open)
		require.Equal(t, 4, result.Sent)
	})

	t.Run("does nothing while digests are held, and keeps the record of the live database", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		env.SetLastCompletionResult(workflows.PlanDigestsResult{Planned: 3, Seen: mark})
		f := &fakePlanning{held: true}
		f.register(env)
		env.ExecuteWorkflow(workflows.PlanDigests, workflows.PlanDigestsInput{Frequency: "daily", Everyone: true})
		require.NoError(t, env.GetWorkflowError())
		var result workflows.PlanDigestsResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.Equal(t, workflows.PlanDigestsResult{Held: true, Seen: mark}, result)
		require.Equal(t, []activities.BeginDigestsInput{{Frequency: "daily", Seen: mark}}, f.begun)
		require.Empty(t, f.planned)
		require.Empty(t, f.started)
	})
}
