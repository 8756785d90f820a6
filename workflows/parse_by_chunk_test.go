package workflows_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"research/activities"
	"research/outcome"
	"research/workflows"
)

// setupEarlier is setup for a run that an earlier version began.
func setupEarlier(t *testing.T) (*testsuite.TestWorkflowEnvironment, workflows.ParseTranscriptInput) {
	t.Helper()
	env, in := setup(t)
	env.OnGetVersion("read-ranges", workflow.DefaultVersion, 1).Return(workflow.DefaultVersion)
	return env, in
}

// expectFinish expects one FinishParse and returns an end.
func expectFinish(env *testsuite.TestWorkflowEnvironment, end activities.ParseEnd) {
	env.OnActivity(imports.FinishParse, mock.Anything, mock.Anything).Return(end, nil).Once()
}

// extracts replaces ExtractChunk.
func extracts(
	env *testsuite.TestWorkflowEnvironment,
	extract func(chunk int) (activities.ExtractChunkResult, error),
) {
	env.OnActivity(imports.ExtractChunk, mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.ExtractChunkInput) (activities.ExtractChunkResult, error) {
			return extract(in.Chunk)
		})
}

// extractsSlowly has every chunk take a minute of the workflow's time.
func extractsSlowly(env *testsuite.TestWorkflowEnvironment) {
	env.OnActivity(imports.ExtractChunk, mock.Anything, mock.Anything).After(time.Minute).
		Return(activities.ExtractChunkResult{}, nil)
}

// Runs that an earlier version began end as they would have.
func TestParseByChunk(t *testing.T) {
	t.Parallel()

	t.Run("reads each chunk once, a few at a time, and finishes", func(t *testing.T) {
		t.Parallel()
		env, in := setupEarlier(t)
		expectBegin(env, 10)
		var mu sync.Mutex
		read := map[int]int{}
		extracts(env, func(chunk int) (activities.ExtractChunkResult, error) {
			mu.Lock()
			defer mu.Unlock()
			read[chunk]++
			return activities.ExtractChunkResult{Findings: 1}, nil
		})
		expectFinish(env, parsed)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.True(t, env.IsWorkflowCompleted())
		require.NoError(t, env.GetWorkflowError())
		var result workflows.ParseTranscriptResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.Equal(t, workflows.ParseTranscriptResult{
			Status: outcome.StatusParsed, Evidence: 4, Coverage: 1,
		}, result)
		require.Len(t, read, 10)
		for chunk, times := range read {
			require.Equal(t, 1, times, "chunk %d", chunk)
		}
	})

	t.Run("finishes an import without chunks", func(t *testing.T) {
		t.Parallel()
		env, in := setupEarlier(t)
		expectBegin(env, 0)
		expectFinish(env, parsed)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.NoError(t, env.GetWorkflowError())
	})

	t.Run("retries a chunk, and skips it if it cannot be read", func(t *testing.T) {
		t.Parallel()
		env, in := setupEarlier(t)
		expectBegin(env, 2)
		var attempts atomic.Int32
		extracts(env, func(chunk int) (activities.ExtractChunkResult, error) {
			var result activities.ExtractChunkResult
			if chunk == 0 {
				return result, nil
			}
			unavailable := string(outcome.CodeModelUnavailable)
			if attempts.Add(1) < 4 {
				return result, temporal.NewApplicationError("unavailable", unavailable)
			}
			return result, temporal.NewNonRetryableApplicationError("unavailable", unavailable, nil)
		})
		env.OnActivity(imports.SkipChunk, mock.Anything, activities.SkipChunkInput{
			ParseRef: in.ParseRef, Chunk: 1, Reason: outcome.CodeModelUnavailable,
		}).Return(activities.SkipChunkResult{}, nil).Once()
		expectFinish(env, parsed)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.NoError(t, env.GetWorkflowError())
		require.EqualValues(t, 4, attempts.Load())
	})

	for _, code := range []outcome.Code{
		outcome.CodeModelKeyRejected, outcome.CodeModelNoCredit, outcome.CodeModelNotFound, outcome.CodeTokenLimit,
	} {
		t.Run("ends at once on "+string(code), func(t *testing.T) {
			t.Parallel()
			env, in := setupEarlier(t)
			expectBegin(env, 50)
			var calls atomic.Int32
			extracts(env, func(int) (activities.ExtractChunkResult, error) {
				calls.Add(1)
				err := temporal.NewNonRetryableApplicationError("rejected", string(code), nil)
				return activities.ExtractChunkResult{}, err
			})
			expectFail(env, outcome.StatusFailed, code)
			env.ExecuteWorkflow(workflows.ParseTranscript, in)
			requireFailure(t, env, code)
			require.LessOrEqual(t, calls.Load(), int32(3))
		})
	}

	t.Run("records a cancellation on the import and ends as cancelled", func(t *testing.T) {
		t.Parallel()
		env, in := setupEarlier(t)
		expectBegin(env, 100)
		extractsSlowly(env)
		expectFail(env, outcome.StatusCanceled, outcome.CodeCanceled)
		env.RegisterDelayedCallback(env.CancelWorkflow, 150*time.Second)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.True(t, temporal.IsCanceledError(env.GetWorkflowError()), "%v", env.GetWorkflowError())
	})

	t.Run("times out by itself when the deadline passes", func(t *testing.T) {
		t.Parallel()
		env, in := setupEarlier(t)
		expectBegin(env, 1000)
		extractsSlowly(env)
		expectFail(env, outcome.StatusTimedOut, outcome.CodeTimedOut)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		requireFailure(t, env, outcome.CodeTimedOut)
	})
}
