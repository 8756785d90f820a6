package workflows_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"research/activities"
	"research/workflows"
)

var digests *activities.Digests

// A post office stands for the activities: so many pages of members, and so many calls until a lane is done.
type office struct {
	mu      sync.Mutex
	pages   []activities.PlanDigestsInput
	lanes   map[uuid.UUID][]activities.DeliverDigestsInput // by their start
	begun   int
	total   int // pages
	perLane int // calls
	counts  func(n int) activities.CountDigestsResult
	counted int
	failing error
}

func newOffice(pages, perLane int) *office {
	return &office{total: pages, perLane: perLane, lanes: map[uuid.UUID][]activities.DeliverDigestsInput{}}
}

func (o *office) work(env *testsuite.TestWorkflowEnvironment) {
	env.OnActivity(digests.BeginDigests, mock.Anything, mock.Anything).Return(func(context.Context, activities.BeginDigestsInput) (activities.BeginDigestsResult, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.begun++
		return activities.BeginDigestsResult{}, nil
	}).Maybe()
	env.OnActivity(digests.PlanDigests, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.PlanDigestsInput) (activities.PlanDigestsResult, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.pages = append(o.pages, in)
		return activities.PlanDigestsResult{Members: 2000, Planned: 5, Next: uuid.UUID{15: byte(len(o.pages))}, Done: len(o.pages) == o.total}, nil
	}).Maybe()
	env.OnActivity(digests.DeliverDigests, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.DeliverDigestsInput) (activities.DeliverDigestsResult, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.lanes[in.From] = append(o.lanes[in.From], in)
		n := len(o.lanes[in.From])
		after := in.From
		after[15] = byte(n)
		return activities.DeliverDigestsResult{Handled: 1, After: after, Done: n == o.perLane}, o.failing
	}).Maybe()
	env.OnActivity(digests.CountDigests, mock.Anything, mock.Anything).Return(func(context.Context, activities.CountDigestsInput) (activities.CountDigestsResult, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.counted++
		return o.counts(o.counted), nil
	}).Maybe()
}

// checkLanes: together they hold every id once, and each goes on where it stopped.
func (o *office) checkLanes(t *testing.T) {
	t.Helper()
	var starts []uuid.UUID
	for start, calls := range o.lanes {
		starts = append(starts, start)
		require.Len(t, calls, o.perLane)
		for i, in := range calls {
			after := start
			after[15] = byte(i)
			require.Equal(t, after, in.After)
			require.Equal(t, "daily", in.Frequency)
			require.Equal(t, calls[0].RunID, in.RunID, "what a run claimed stays its own when it continues as new")
			require.NotEmpty(t, in.RunID)
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
		require.Equal(t, end, o.lanes[start][0].Through)
	}
}

func TestSendDigests(t *testing.T) {
	t.Parallel()

	t.Run("plans page by page, sends lane by lane, and counts", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		began := time.Date(2026, 11, 20, 8, 0, 3, 0, time.UTC)
		env.SetStartTime(began)
		o := newOffice(3, 2)
		o.counts = func(n int) activities.CountDigestsResult {
			return []activities.CountDigestsResult{{Due: 15}, {Sent: 9, Skipped: 3, Failed: 2, Uncertain: 1}}[n-1]
		}
		o.work(env)
		env.ExecuteWorkflow(workflows.SendDigests, workflows.SendDigestsInput{Frequency: "daily", Everyone: true})
		require.NoError(t, env.GetWorkflowError())
		var result workflows.SendDigestsResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.Equal(t, workflows.SendDigestsResult{Sent: 9, Skipped: 3, Failed: 2, Uncertain: 1, Planned: 15}, result)
		require.Equal(t, 1, o.begun)
		require.Len(t, o.pages, 3)
		for i, page := range o.pages {
			require.Equal(t, uuid.UUID{15: byte(i)}, page.After)
			require.True(t, page.Everyone)
			require.True(t, page.At.Equal(began), "%s", page.At)
		}
		o.checkLanes(t)
	})

	t.Run("a tick is judged by the time for which it was meant", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		tick := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
		env.SetStartTime(tick.Add(3 * time.Hour))
		require.NoError(t, env.SetTypedSearchAttributesOnStart(temporal.NewSearchAttributes(workflows.TickAttribute.ValueSet(tick))))
		o := newOffice(1, 1)
		o.counts = func(int) activities.CountDigestsResult { return activities.CountDigestsResult{} }
		o.work(env)
		env.ExecuteWorkflow(workflows.SendDigests, workflows.SendDigestsInput{Frequency: "daily"})
		require.NoError(t, env.GetWorkflowError())
		require.True(t, o.pages[0].At.Equal(tick))
		require.True(t, o.pages[0].Now.Equal(tick.Add(3*time.Hour)), "what is stale is judged by the clock")
		require.Empty(t, o.lanes, "nothing is due")
	})

	t.Run("its history stays short however many members there are", func(t *testing.T) {
		t.Parallel()
		o := newOffice(20, 3)
		o.counts = func(int) activities.CountDigestsResult { return activities.CountDigestsResult{Due: 1, Sent: 3} }
		in := workflows.SendDigestsInput{Frequency: "daily", At: time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)}
		for runs := 1; ; runs++ {
			require.Less(t, runs, 50)
			env, _ := setup(t)
			o.work(env)
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
		require.Equal(t, 1, o.begun)
		require.Len(t, o.pages, 20)
		for i, page := range o.pages {
			require.Equal(t, uuid.UUID{15: byte(i)}, page.After, "each page is planned once")
		}
		o.checkLanes(t)
	})

	t.Run("what was refused for now is left to a workflow of its own", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		o := newOffice(1, 1)
		o.counts = func(n int) activities.CountDigestsResult {
			return activities.CountDigestsResult{Due: 2 - n, Sent: 4, RetryAt: env.Now().Add(5 * time.Minute)}
		}
		o.work(env)
		env.OnWorkflow(workflows.RetryDigests, mock.Anything, workflows.RetryDigestsInput{Frequency: "daily"}).Return(nil).Once()
		env.ExecuteWorkflow(workflows.SendDigests, workflows.SendDigestsInput{Frequency: "daily"})
		require.NoError(t, env.GetWorkflowError(), "and the run ends, so that whoever waits for it knows what was sent")
		o.checkLanes(t)
	})

	t.Run("fails while nothing can be sent; what is planned stays for the next tick", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		o := newOffice(1, 2)
		o.counts = func(int) activities.CountDigestsResult { return activities.CountDigestsResult{Due: 1} }
		o.failing = temporal.NewNonRetryableApplicationError("the mail was not taken", "mail_unavailable", nil)
		o.work(env)
		env.ExecuteWorkflow(workflows.SendDigests, workflows.SendDigestsInput{Frequency: "daily"})
		require.ErrorContains(t, env.GetWorkflowError(), "the mail was not taken")
		for start := range o.lanes {
			require.Len(t, o.lanes[start], 1, "no lane goes on")
		}
	})
}

func TestRetryDigests(t *testing.T) {
	t.Parallel()
	env, _ := setup(t)
	began := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	env.SetStartTime(began)
	retryAt := began.Add(12 * time.Minute)
	o := newOffice(0, 1)
	var looks []time.Duration
	o.counts = func(int) activities.CountDigestsResult {
		looks = append(looks, env.Now().Sub(began).Round(time.Second))
		switch {
		case env.Now().Before(retryAt):
			return activities.CountDigestsResult{RetryAt: retryAt}
		case len(o.lanes) == 0:
			return activities.CountDigestsResult{Due: 3}
		}
		return activities.CountDigestsResult{}
	}
	o.work(env)
	env.ExecuteWorkflow(workflows.RetryDigests, workflows.RetryDigestsInput{Frequency: "daily"})
	require.NoError(t, env.GetWorkflowError())
	minutes := func(n time.Duration) time.Duration { return n * time.Minute }
	require.Equal(t, []time.Duration{0, minutes(5), minutes(10), minutes(12), minutes(12)}, looks, "by the workflow's clock: at least every five minutes, and when it is time")
	o.checkLanes(t)
}

func TestDigestSchedules(t *testing.T) {
	t.Parallel()
	all := workflows.DigestSchedules()
	require.Len(t, all, 2)
	for i, frequency := range []string{"daily", "weekly"} {
		require.Equal(t, "digest-"+frequency, all[i].ID)
		require.Equal(t, workflows.SendDigestsInput{Frequency: frequency}, all[i].Input, "at each member's hour")
		require.Equal(t, time.Hour, all[i].Every)
		require.Equal(t, enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE, all[i].Overlap)
		require.Equal(t, 6*time.Hour, all[i].CatchUp)
	}
}
