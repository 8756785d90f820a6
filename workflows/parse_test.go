package workflows_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"research/activities"
	"research/outcome"
	"research/workflows"
)

// setup registers what a worker registers; activities are then replaced one by one.
func setup(t *testing.T) (*testsuite.TestWorkflowEnvironment, workflows.ParseTranscriptInput) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	workflows.Register(env)
	activities.Register(env, allActivities())
	env.SetTestTimeout(time.Minute)
	t.Cleanup(func() { env.AssertExpectations(t) })
	return env, workflows.ParseTranscriptInput{
		ParseRef: activities.ParseRef{ImportID: uuid.New(), ClaimID: uuid.New()},
	}
}

// allActivities have no dependencies: they are only registered by name.
func allActivities() activities.Deps {
	return activities.Deps{
		Imports:    &activities.Imports{},
		Reconciler: &activities.Reconciler{},
		Accounts:   &activities.Accounts{},
		Digests:    &activities.Digests{},
	}
}

// imports is nil; it names the activity methods.
var imports *activities.Imports

// expectBegin expects one BeginParse and returns a plan of so many chunks, three at a time.
func expectBegin(env *testsuite.TestWorkflowEnvironment, chunks int) {
	env.OnActivity(imports.BeginParse, mock.Anything, mock.Anything).Return(
		activities.BeginParseResult{Chunks: chunks, Concurrency: 3, Timeout: time.Hour}, nil).Once()
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

var parsed = activities.ParseEnd{Status: outcome.StatusParsed, Evidence: 4, Coverage: 1}

// expectFail expects one FailImport with a status and a code.
func expectFail(env *testsuite.TestWorkflowEnvironment, status outcome.Status, code outcome.Code) {
	env.OnActivity(imports.FailImport, mock.Anything, mock.MatchedBy(func(in activities.FailImportInput) bool {
		return in.Status == status && in.ErrorCode == code
	})).Return(activities.ParseEnd{Status: status, ErrorCode: code}, nil).Once()
}

// requireFailure requires that the workflow failed with a type.
func requireFailure(t *testing.T, env *testsuite.TestWorkflowEnvironment, code outcome.Code) {
	t.Helper()
	var failed *temporal.ApplicationError
	require.True(t, errors.As(env.GetWorkflowError(), &failed), "%v", env.GetWorkflowError())
	require.Equal(t, string(code), failed.Type())
}

func TestParseTranscript(t *testing.T) {
	t.Parallel()

	t.Run("reads each chunk once, a few at a time, and finishes", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
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
		env, in := setup(t)
		expectBegin(env, 0)
		expectFinish(env, parsed)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.NoError(t, env.GetWorkflowError())
	})

	t.Run("retries a chunk, and skips it if it cannot be read", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
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
			env, in := setup(t)
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

	t.Run("ends as internal on an error without a code", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		env.OnActivity(imports.BeginParse, mock.Anything, mock.Anything).Return(activities.BeginParseResult{},
			temporal.NewNonRetryableApplicationError("begin the parse", "database", nil)).Once()
		expectFail(env, outcome.StatusFailed, outcome.CodeInternal)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		requireFailure(t, env, outcome.CodeInternal)
	})

	t.Run("changes nothing if another request took over the import", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		env.OnActivity(imports.BeginParse, mock.Anything, mock.Anything).Return(activities.BeginParseResult{},
			temporal.NewNonRetryableApplicationError("superseded", activities.TypeSuperseded, nil)).Once()
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.NoError(t, env.GetWorkflowError())
		var result workflows.ParseTranscriptResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.EqualValues(t, activities.TypeSuperseded, result.Status)
	})

	t.Run("fails with the reason if nothing could be read", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		expectBegin(env, 1)
		extracts(env, func(int) (activities.ExtractChunkResult, error) {
			return activities.ExtractChunkResult{Unread: 1}, nil
		})
		expectFinish(env, activities.ParseEnd{Status: outcome.StatusFailed, ErrorCode: outcome.CodeModelRefused})
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		requireFailure(t, env, outcome.CodeModelRefused)
	})

	t.Run("records a cancellation on the import and ends as cancelled", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		expectBegin(env, 100)
		extractsSlowly(env)
		expectFail(env, outcome.StatusCanceled, outcome.CodeCanceled)
		env.RegisterDelayedCallback(env.CancelWorkflow, 150*time.Second)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.True(t, temporal.IsCanceledError(env.GetWorkflowError()), "%v", env.GetWorkflowError())
	})

	t.Run("times out by itself when the deadline passes", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		expectBegin(env, 1000)
		extractsSlowly(env)
		expectFail(env, outcome.StatusTimedOut, outcome.CodeTimedOut)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		requireFailure(t, env, outcome.CodeTimedOut)
	})
}
