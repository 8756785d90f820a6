package workflows_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"research/activities"
	"research/workflows"
)

// fakeShards stands in for DeliverDigestShard. deliver is given the number of the call of its shard, from 1.
type fakeShards struct {
	deliver func(in activities.DeliverDigestShardInput, call int) (activities.DeliverDigestShardResult, error)

	mu    sync.Mutex
	calls [workflows.DigestShards][]activities.DeliverDigestShardInput
}

func (f *fakeShards) register(env *testsuite.TestWorkflowEnvironment) {
	env.OnActivity(digests.DeliverDigestShard, mock.Anything, mock.Anything).Return(
		func(
			_ context.Context, in activities.DeliverDigestShardInput,
		) (activities.DeliverDigestShardResult, error) {
			return f.deliver(in, f.record(in))
		})
}

// record records a call, and returns its number.
func (f *fakeShards) record(in activities.DeliverDigestShardInput) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[in.Shard] = append(f.calls[in.Shard], in)
	return len(f.calls[in.Shard])
}

func (f *fakeShards) countCalls() []int {
	var counts []int
	for _, calls := range f.calls {
		counts = append(counts, len(calls))
	}
	return counts
}

func TestDeliverDigests(t *testing.T) {
	t.Parallel()
	done := activities.DeliverDigestShardResult{Done: true, Seen: mark}

	t.Run("sends each shard until nothing is planned, and ends", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		f := &fakeShards{deliver: func(
			in activities.DeliverDigestShardInput, call int,
		) (activities.DeliverDigestShardResult, error) {
			return activities.DeliverDigestShardResult{Handled: 7, Done: call > in.Shard, Seen: mark}, nil
		}}
		f.register(env)
		env.ExecuteWorkflow(workflows.DeliverDigests, workflows.DeliverDigestsInput{})
		require.NoError(t, env.GetWorkflowError())
		require.Equal(t, []int{1, 2, 3, 4}, f.countCalls())
		run := f.calls[0][0].RunID
		require.NotEmpty(t, run)
		for _, calls := range f.calls {
			for _, in := range calls {
				require.Equal(t, run, in.RunID)
			}
		}
		require.Equal(t, mark, f.calls[3][3].Seen, "a call gets the state that the one before recorded")
	})

	t.Run("attempts again when it is time, and only that shard", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		began := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
		env.SetStartTime(began)
		var again []time.Duration
		f := &fakeShards{deliver: func(
			in activities.DeliverDigestShardInput, call int,
		) (activities.DeliverDigestShardResult, error) {
			if in.Shard == 2 && call < 3 {
				return activities.DeliverDigestShardResult{Done: true, NextAt: env.Now().Add(5 * time.Minute)}, nil
			}
			if in.Shard == 2 {
				again = append(again, env.Now().Sub(began).Round(time.Second))
			}
			return done, nil
		}}
		f.register(env)
		env.ExecuteWorkflow(workflows.DeliverDigests, workflows.DeliverDigestsInput{})
		require.NoError(t, env.GetWorkflowError())
		require.Equal(t, []int{1, 1, 3, 1}, f.countCalls())
		require.Equal(t, []time.Duration{10 * time.Minute}, again)
	})

	t.Run("sends what is planned while it waits or is about to end", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		f := &fakeShards{}
		f.deliver = func(
			in activities.DeliverDigestShardInput, call int,
		) (activities.DeliverDigestShardResult, error) {
			switch {
			case in.Shard == 3 && call == 1:
				return activities.DeliverDigestShardResult{Done: true, NextAt: env.Now().Add(time.Hour)}, nil
			case in.Shard == 3 && call == 3: // the others are idle, and this is the last one
				env.SignalWorkflow(workflows.PlannedSignal, nil)
			}
			return done, nil
		}
		f.register(env)
		env.RegisterDelayedCallback(func() {
			require.Equal(t, []int{1, 1, 1, 1}, f.countCalls())
			env.SignalWorkflow(workflows.PlannedSignal, nil)
		}, time.Minute)
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.PlannedSignal, nil) }, 2*time.Minute)
		env.ExecuteWorkflow(workflows.DeliverDigests, workflows.DeliverDigestsInput{})
		require.NoError(t, env.GetWorkflowError())
		for shard, calls := range f.countCalls() {
			require.GreaterOrEqual(t, calls, 2, "shard %d", shard)
		}
	})

	t.Run("continues as new, so that its history stays short", func(t *testing.T) {
		t.Parallel()
		f := &fakeShards{deliver: func(
			_ activities.DeliverDigestShardInput, call int,
		) (activities.DeliverDigestShardResult, error) {
			return activities.DeliverDigestShardResult{Handled: 1, Done: call >= 5, Seen: mark}, nil
		}}
		var in workflows.DeliverDigestsInput
		for runs := 1; ; runs++ {
			require.Less(t, runs, 20)
			env, _ := setup(t)
			f.register(env)
			env.SetOnActivityCompletedListener(func(*activity.Info, converter.EncodedValue, error) {
				env.SetCurrentHistoryLength(5000)
			})
			env.ExecuteWorkflow(workflows.DeliverDigests, in)
			var again *workflow.ContinueAsNewError
			if !errors.As(env.GetWorkflowError(), &again) {
				require.NoError(t, env.GetWorkflowError())
				require.Greater(t, runs, 1)
				break
			}
			require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(again.Input, &in))
			require.Equal(t, mark, in.Seen)
			require.NotEmpty(t, in.RunID)
		}
		for _, calls := range f.calls {
			require.Equal(t, in.RunID, calls[0].RunID, "a run that continues as new keeps its claims")
			require.Equal(t, in.RunID, calls[len(calls)-1].RunID)
		}
	})

	t.Run("continues as new while it waits, so that no run is long", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		f := &fakeShards{deliver: func(
			in activities.DeliverDigestShardInput, _ int,
		) (activities.DeliverDigestShardResult, error) {
			if in.Shard != 2 {
				return done, nil
			}
			return activities.DeliverDigestShardResult{Done: true, NextAt: env.Now().Add(24 * time.Hour)}, nil
		}}
		f.register(env)
		began := env.Now()
		env.ExecuteWorkflow(workflows.DeliverDigests, workflows.DeliverDigestsInput{})
		require.True(t, workflow.IsContinueAsNewError(env.GetWorkflowError()), "%v", env.GetWorkflowError())
		require.Less(t, env.Now().Sub(began), workflows.DeliverDigestsRunTimeout/2)
		require.Equal(t, []int{1, 1, 1, 1}, f.countCalls())
	})

	t.Run("fails if nothing can be sent, and stops all shards", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		failed := make(chan struct{})
		f := &fakeShards{deliver: func(
			in activities.DeliverDigestShardInput, _ int,
		) (activities.DeliverDigestShardResult, error) {
			if in.Shard == 1 {
				return activities.DeliverDigestShardResult{}, temporal.NewNonRetryableApplicationError(
					"the mail server did not accept the mail", "mail_unavailable", nil)
			}
			<-failed
			return activities.DeliverDigestShardResult{}, nil
		}}
		f.register(env)
		env.SetOnActivityCompletedListener(func(_ *activity.Info, _ converter.EncodedValue, err error) {
			if err != nil {
				close(failed)
			}
		})
		env.ExecuteWorkflow(workflows.DeliverDigests, workflows.DeliverDigestsInput{})
		require.ErrorContains(t, env.GetWorkflowError(), "the mail server did not accept the mail")
		require.Equal(t, []int{1, 1, 1, 1}, f.countCalls())
	})

	t.Run("ends without sending while digests are held", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		f := &fakeShards{deliver: func(
			in activities.DeliverDigestShardInput, _ int,
		) (activities.DeliverDigestShardResult, error) {
			return activities.DeliverDigestShardResult{Held: true, Seen: in.Seen}, nil
		}}
		f.register(env)
		env.ExecuteWorkflow(workflows.DeliverDigests, workflows.DeliverDigestsInput{Seen: mark})
		require.NoError(t, env.GetWorkflowError())
		require.LessOrEqual(t, slices.Max(f.countCalls()), 1)
	})
}
