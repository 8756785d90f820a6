package workflows_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
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

var digests *activities.Digests

// fakeDigests stands in for the activities: members are planned in so many pages, and each shard takes so
// many calls.
type fakeDigests struct {
	pages         int
	callsPerShard int
	count         func(call int) activities.CountDigestsResult
	deliverError  error

	mu        sync.Mutex
	begun     int
	planned   []activities.PlanDigestsInput
	delivered map[uuid.UUID][]activities.DeliverDigestsInput // by the start of the shard
	counted   int
}

func newFakeDigests(pages, callsPerShard int) *fakeDigests {
	return &fakeDigests{
		pages: pages, callsPerShard: callsPerShard, delivered: map[uuid.UUID][]activities.DeliverDigestsInput{},
	}
}

func (f *fakeDigests) begin(
	context.Context, activities.BeginDigestsInput,
) (activities.BeginDigestsResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begun++
	return activities.BeginDigestsResult{}, nil
}

func (f *fakeDigests) plan(
	_ context.Context, in activities.PlanDigestsInput,
) (activities.PlanDigestsResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.planned = append(f.planned, in)
	n := len(f.planned)
	return activities.PlanDigestsResult{
		Members: 2000, Planned: 5, Next: uuid.UUID{15: byte(n)}, Done: n == f.pages,
	}, nil
}

func (f *fakeDigests) deliver(
	_ context.Context, in activities.DeliverDigestsInput,
) (activities.DeliverDigestsResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.delivered[in.From] = append(f.delivered[in.From], in)
	n := len(f.delivered[in.From])
	after := in.From
	after[15] = byte(n)
	return activities.DeliverDigestsResult{Handled: 1, After: after, Done: n == f.callsPerShard}, f.deliverError
}

func (f *fakeDigests) countDigests(
	context.Context, activities.CountDigestsInput,
) (activities.CountDigestsResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counted++
	return f.count(f.counted), nil
}

// register replaces the activities of an environment.
func (f *fakeDigests) register(env *testsuite.TestWorkflowEnvironment) {
	env.OnActivity(digests.BeginDigests, mock.Anything, mock.Anything).Return(f.begin).Maybe()
	env.OnActivity(digests.PlanDigests, mock.Anything, mock.Anything).Return(f.plan).Maybe()
	env.OnActivity(digests.DeliverDigests, mock.Anything, mock.Anything).Return(f.deliver).Maybe()
	env.OnActivity(digests.CountDigests, mock.Anything, mock.Anything).Return(f.countDigests).Maybe()
}

// requireAllDelivered checks that the shards together have every id once, and that each call continues where
// the one before stopped.
func (f *fakeDigests) requireAllDelivered(t *testing.T) {
	t.Helper()
	var starts []uuid.UUID
	for start, calls := range f.delivered {
		starts = append(starts, start)
		require.Len(t, calls, f.callsPerShard)
		for i, in := range calls {
			after := start
			after[15] = byte(i)
			require.Equal(t, after, in.After)
			require.Equal(t, "daily", in.Frequency)
			require.NotEmpty(t, in.RunID)
			require.Equal(t, calls[0].RunID, in.RunID, "a run that continues as new keeps its claims")
		}
	}
	slices.SortFunc(starts, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	require.Len(t, starts, 4)
	require.Equal(t, uuid.Nil, starts[0])
	for i, start := range starts {
		end := uuid.Max
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		require.Equal(t, end, f.delivered[start][0].Through)
	}
}

func TestSendDigests(t *testing.T) {
	t.Parallel()

	t.Run("plans page by page, sends shard by shard, and counts", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		began := time.Date(2026, 11, 20, 8, 0, 3, 0, time.UTC)
		env.SetStartTime(began)
		f := newFakeDigests(3, 2)
		f.count = func(call int) activities.CountDigestsResult {
			if call == 1 {
				return activities.CountDigestsResult{Due: 15}
			}
			return activities.CountDigestsResult{Sent: 9, Skipped: 3, Failed: 2, Uncertain: 1}
		}
		f.register(env)
		env.ExecuteWorkflow(workflows.SendDigests, workflows.SendDigestsInput{Frequency: "daily", Everyone: true})
		require.NoError(t, env.GetWorkflowError())
		var result workflows.SendDigestsResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.Equal(t, workflows.SendDigestsResult{
			Sent: 9, Skipped: 3, Failed: 2, Uncertain: 1, Planned: 15,
		}, result)
		require.Equal(t, 1, f.begun)
		require.Len(t, f.planned, 3)
		for i, page := range f.planned {
			require.Equal(t, uuid.UUID{15: byte(i)}, page.After)
			require.True(t, page.Everyone)
			require.True(t, page.At.Equal(began), "%s", page.At)
		}
		f.requireAllDelivered(t)
	})

	t.Run("plans what was due at the time for which the tick was scheduled", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		tick := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
		env.SetStartTime(tick.Add(3 * time.Hour))
		scheduled := temporal.NewSearchAttributes(workflows.TickAttribute.ValueSet(tick))
		require.NoError(t, env.SetTypedSearchAttributesOnStart(scheduled))
		f := newFakeDigests(1, 1)
		f.count = func(int) activities.CountDigestsResult { return activities.CountDigestsResult{} }
		f.register(env)
		env.ExecuteWorkflow(workflows.SendDigests, workflows.SendDigestsInput{Frequency: "daily"})
		require.NoError(t, env.GetWorkflowError())
		require.True(t, f.planned[0].At.Equal(tick))
		require.True(t, f.planned[0].Now.Equal(tick.Add(3*time.Hour)), "digests expire by the clock")
		require.Empty(t, f.delivered, "nothing is due")
	})

	t.Run("continues as new, so that its history stays short", func(t *testing.T) {
		t.Parallel()
		f := newFakeDigests(20, 3)
		f.count = func(int) activities.CountDigestsResult { return activities.CountDigestsResult{Due: 1, Sent: 3} }
		in := workflows.SendDigestsInput{Frequency: "daily", At: time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)}
		for runs := 1; ; runs++ {
			require.Less(t, runs, 50)
			env, _ := setup(t)
			f.register(env)
			env.SetOnActivityCompletedListener(func(info *activity.Info, _ converter.EncodedValue, _ error) {
				if info.ActivityType.Name == "PlanDigests" || info.ActivityType.Name == "DeliverDigests" {
					env.SetCurrentHistoryLength(5000)
				}
			})
			env.ExecuteWorkflow(workflows.SendDigests, in)
			var again *workflow.ContinueAsNewError
			if !errors.As(env.GetWorkflowError(), &again) {
				require.NoError(t, env.GetWorkflowError())
				var result workflows.SendDigestsResult
				require.NoError(t, env.GetWorkflowResult(&result))
				require.Equal(t, workflows.SendDigestsResult{Sent: 3, Planned: 100}, result)
				require.Greater(t, runs, 20)
				break
			}
			in = workflows.SendDigestsInput{}
			require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(again.Input, &in))
		}
		require.Equal(t, 1, f.begun)
		require.Len(t, f.planned, 20)
		for i, page := range f.planned {
			require.Equal(t, uuid.UUID{15: byte(i)}, page.After, "each page is planned once")
		}
		f.requireAllDelivered(t)
	})

	t.Run("leaves temporary refusals to RetryDigests and ends", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		f := newFakeDigests(1, 1)
		f.count = func(call int) activities.CountDigestsResult {
			return activities.CountDigestsResult{Due: 2 - call, Sent: 4, RetryAt: env.Now().Add(5 * time.Minute)}
		}
		f.register(env)
		env.OnWorkflow(workflows.RetryDigests, mock.Anything, workflows.RetryDigestsInput{Frequency: "daily"}).
			Return(nil).Once()
		env.ExecuteWorkflow(workflows.SendDigests, workflows.SendDigestsInput{Frequency: "daily"})
		require.NoError(t, env.GetWorkflowError())
		f.requireAllDelivered(t)
	})

	t.Run("fails if nothing can be sent, and stops all shards", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		f := newFakeDigests(1, 2)
		f.count = func(int) activities.CountDigestsResult { return activities.CountDigestsResult{Due: 1} }
		f.deliverError = temporal.NewNonRetryableApplicationError(
			"the mail server did not accept the mail", "mail_unavailable", nil)
		f.register(env)
		env.ExecuteWorkflow(workflows.SendDigests, workflows.SendDigestsInput{Frequency: "daily"})
		require.ErrorContains(t, env.GetWorkflowError(), "the mail server did not accept the mail")
		for start := range f.delivered {
			require.Len(t, f.delivered[start], 1, "no shard continues")
		}
	})
}

// A run that continues as new on a newer version reads what an older version wrote.
func TestDigestInputsKeepTheirFieldNames(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	written, err := json.Marshal(workflows.SendDigestsInput{
		Frequency: "daily", Everyone: true, At: at, RunID: "run", Phase: 1, Planned: 5,
	})
	require.NoError(t, err)
	require.JSONEq(t, `{
		"Frequency": "daily", "Everyone": true, "At": "2026-11-20T08:00:00Z", "RunID": "run", "Phase": 1,
		"After": "00000000-0000-0000-0000-000000000000", "Planned": 5, "Lanes": null
	}`, string(written))
	written, err = json.Marshal(workflows.RetryDigestsInput{Frequency: "daily", RunID: "run"})
	require.NoError(t, err)
	require.JSONEq(t, `{"Frequency": "daily", "RunID": "run", "Lanes": null}`, string(written))
}

func TestRetryDigests(t *testing.T) {
	t.Parallel()
	env, _ := setup(t)
	began := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	env.SetStartTime(began)
	retryAt := began.Add(12 * time.Minute)
	f := newFakeDigests(0, 1)
	var counted []time.Duration
	f.count = func(int) activities.CountDigestsResult {
		counted = append(counted, env.Now().Sub(began).Round(time.Second))
		switch {
		case env.Now().Before(retryAt):
			return activities.CountDigestsResult{RetryAt: retryAt}
		case len(f.delivered) == 0:
			return activities.CountDigestsResult{Due: 3}
		}
		return activities.CountDigestsResult{}
	}
	f.register(env)
	env.ExecuteWorkflow(workflows.RetryDigests, workflows.RetryDigestsInput{Frequency: "daily"})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []time.Duration{
		0, 5 * time.Minute, 10 * time.Minute, 12 * time.Minute, 12 * time.Minute,
	}, counted, "every five minutes, and when the next attempt is due")
	f.requireAllDelivered(t)
}
