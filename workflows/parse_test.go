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
	activities.Register(env, activities.Deps{Imports: &activities.Imports{}, Reconciler: &activities.Reconciler{}, Accounts: &activities.Accounts{}, Digests: &activities.Digests{}})
	env.SetTestTimeout(time.Minute)
	t.Cleanup(func() { env.AssertExpectations(t) })
	return env, workflows.ParseTranscriptInput{ParseRef: activities.ParseRef{ImportID: uuid.New(), ClaimID: uuid.New()}}
}

var imports *activities.Imports

func begins(env *testsuite.TestWorkflowEnvironment, chunks int) {
	env.OnActivity(imports.BeginParse, mock.Anything, mock.Anything).Return(
		activities.BeginParseResult{Chunks: chunks, Concurrency: 3, Timeout: time.Hour}, nil).Once()
}

func finishes(env *testsuite.TestWorkflowEnvironment) {
	env.OnActivity(imports.FinishParse, mock.Anything, mock.Anything).Return(activities.ParseEnd{Status: "parsed", Evidence: 4, Coverage: 1}, nil).Once()
}

// ends expects the import to be told how the run ended.
func ends(env *testsuite.TestWorkflowEnvironment, status outcome.Status, code outcome.Code) {
	env.OnActivity(imports.FailImport, mock.Anything, mock.MatchedBy(func(in activities.FailImportInput) bool {
		return in.Status == status && in.ErrorCode == code
	})).Return(activities.ParseEnd{Status: status, ErrorCode: code}, nil).Once()
}

func TestParseTranscript(t *testing.T) {
	t.Parallel()

	t.Run("reads each chunk once, a few at a time, and finishes", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		begins(env, 10)
		var seen sync.Map // by chunk
		env.OnActivity(imports.ExtractChunk, mock.Anything, mock.Anything).Return(
			func(_ context.Context, in activities.ExtractChunkInput) (activities.ExtractChunkResult, error) {
				_, twice := seen.LoadOrStore(in.Chunk, true)
				if twice {
					t.Errorf("chunk %d is read twice", in.Chunk)
				}
				return activities.ExtractChunkResult{Findings: 1}, nil
			}).Times(10)
		finishes(env)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.True(t, env.IsWorkflowCompleted())
		require.NoError(t, env.GetWorkflowError())
		var result workflows.ParseTranscriptResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.Equal(t, workflows.ParseTranscriptResult{Status: "parsed", Evidence: 4, Coverage: 1}, result)
		for i := range 10 {
			_, read := seen.Load(i)
			require.True(t, read, "chunk %d", i)
		}
	})

	t.Run("an import without chunks is parsed", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		begins(env, 0)
		finishes(env)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.NoError(t, env.GetWorkflowError())
	})

	t.Run("retries what may pass, and leaves a gap where it does not", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		begins(env, 2)
		var tries atomic.Int32
		env.OnActivity(imports.ExtractChunk, mock.Anything, mock.Anything).Return(
			func(_ context.Context, in activities.ExtractChunkInput) (activities.ExtractChunkResult, error) {
				if in.Chunk == 0 {
					return activities.ExtractChunkResult{}, nil
				}
				if tries.Add(1) < 4 {
					return activities.ExtractChunkResult{}, temporal.NewApplicationError("away", "model_unavailable")
				}
				return activities.ExtractChunkResult{}, temporal.NewNonRetryableApplicationError("away", "model_unavailable", nil)
			})
		env.OnActivity(imports.SkipChunk, mock.Anything, activities.SkipChunkInput{ParseRef: in.ParseRef, Chunk: 1, Reason: "model_unavailable"}).
			Return(activities.SkipChunkResult{}, nil).Once()
		finishes(env)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.NoError(t, env.GetWorkflowError())
		require.EqualValues(t, 4, tries.Load())
	})

	for _, code := range []outcome.Code{
		outcome.CodeModelKeyRejected, outcome.CodeModelNoCredit, outcome.CodeModelNotFound, outcome.CodeTokenLimit,
	} {
		t.Run("ends at once on "+string(code), func(t *testing.T) {
			t.Parallel()
			env, in := setup(t)
			begins(env, 50)
			var calls atomic.Int32
			env.OnActivity(imports.ExtractChunk, mock.Anything, mock.Anything).Return(
				func(context.Context, activities.ExtractChunkInput) (activities.ExtractChunkResult, error) {
					calls.Add(1)
					return activities.ExtractChunkResult{}, temporal.NewNonRetryableApplicationError("no", string(code), nil)
				})
			ends(env, "failed", code)
			env.ExecuteWorkflow(workflows.ParseTranscript, in)
			var failed *temporal.ApplicationError
			require.True(t, errors.As(env.GetWorkflowError(), &failed))
			require.Equal(t, string(code), failed.Type())
			require.LessOrEqual(t, calls.Load(), int32(3))
		})
	}

	t.Run("a run whose claim was taken over changes nothing", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		env.OnActivity(imports.BeginParse, mock.Anything, mock.Anything).Return(activities.BeginParseResult{},
			temporal.NewNonRetryableApplicationError("gone", activities.TypeSuperseded, nil)).Once()
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.NoError(t, env.GetWorkflowError())
	})

	t.Run("an import of which nothing could be read fails with the reason", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		begins(env, 1)
		env.OnActivity(imports.ExtractChunk, mock.Anything, mock.Anything).Return(activities.ExtractChunkResult{Unread: 1}, nil)
		env.OnActivity(imports.FinishParse, mock.Anything, mock.Anything).Return(activities.ParseEnd{Status: "failed", ErrorCode: "model_refused"}, nil).Once()
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		var failed *temporal.ApplicationError
		require.True(t, errors.As(env.GetWorkflowError(), &failed))
		require.Equal(t, "model_refused", failed.Type())
	})

	t.Run("cancelled midway, says so on the import and ends as cancelled", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		begins(env, 100)
		env.OnActivity(imports.ExtractChunk, mock.Anything, mock.Anything).After(time.Minute).Return(activities.ExtractChunkResult{}, nil)
		ends(env, "canceled", "canceled")
		env.RegisterDelayedCallback(env.CancelWorkflow, 150*time.Second)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.True(t, temporal.IsCanceledError(env.GetWorkflowError()), "%v", env.GetWorkflowError())
	})

	t.Run("says timed_out by itself when the deadline passes", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		begins(env, 1000)
		env.OnActivity(imports.ExtractChunk, mock.Anything, mock.Anything).After(time.Minute).Return(activities.ExtractChunkResult{}, nil)
		ends(env, "timed_out", "timed_out")
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		var failed *temporal.ApplicationError
		require.True(t, errors.As(env.GetWorkflowError(), &failed))
		require.Equal(t, "timed_out", failed.Type())
	})
}
