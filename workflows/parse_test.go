package workflows_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"research/activities"
	"research/outcome"
	"research/workflows"
)

// setup registers what a worker registers; activities are then replaced one by one.
func setup(t *testing.T) (*testsuite.TestWorkflowEnvironment, workflows.ParseTranscriptInput) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	workflows.RegisterControl(env)
	workflows.RegisterParse(env)
	activities.Register(env, allActivities())
	// The defaults are three seconds and one, in which a busy machine may not get to the test.
	env.SetTestTimeout(5 * time.Minute)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute})
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
		Deletions:  &activities.Deletions{},
		Digests:    &activities.Digests{},
		Retention:  &activities.Retention{},
	}
}

// imports is nil; it names the activity methods.
var imports *activities.Imports

// reads replaces ReadChunks.
func reads(
	env *testsuite.TestWorkflowEnvironment, read func(call int) (activities.ReadChunksResult, error),
) {
	var calls atomic.Int32
	env.OnActivity(imports.ReadChunks, mock.Anything, mock.Anything).Return(
		func(context.Context, activities.ReadChunksInput) (activities.ReadChunksResult, error) {
			return read(int(calls.Add(1)))
		})
}

// ends is the result of the activity that reads the last chunks.
func ends(end activities.ParseEnd) activities.ReadChunksResult {
	return activities.ReadChunksResult{Done: 1, End: &end}
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

	t.Run("reads range by range until the import has ended", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		calls := 0
		reads(env, func(call int) (activities.ReadChunksResult, error) {
			calls = call
			if call < 3 {
				return activities.ReadChunksResult{Done: 3, Left: 7 - 3*call}, nil
			}
			return ends(parsed), nil
		})
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.True(t, env.IsWorkflowCompleted())
		require.NoError(t, env.GetWorkflowError())
		var result workflows.ParseTranscriptResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.Equal(t, workflows.ParseTranscriptResult{
			Status: outcome.StatusParsed, Evidence: 4, Coverage: 1,
		}, result)
		require.Equal(t, 3, calls)
	})

	for _, errorType := range []string{
		string(outcome.CodeModelUnavailable), string(outcome.CodeModelRateLimited), "database_unavailable",
		activities.TypeHandedOver, activities.TypeLeased,
	} {
		t.Run("tries again after a day of "+errorType, func(t *testing.T) {
			t.Parallel()
			env, in := setup(t)
			began := env.Now()
			reads(env, func(int) (activities.ReadChunksResult, error) {
				if env.Now().Sub(began) < 24*time.Hour {
					err := temporal.NewApplicationErrorWithOptions("unavailable", errorType,
						temporal.ApplicationErrorOptions{NextRetryDelay: 6 * time.Hour})
					return activities.ReadChunksResult{}, err
				}
				return ends(parsed), nil
			})
			env.ExecuteWorkflow(workflows.ParseTranscript, in)
			require.NoError(t, env.GetWorkflowError())
		})
	}

	for _, code := range []outcome.Code{
		outcome.CodeModelKeyRejected, outcome.CodeModelNoCredit, outcome.CodeModelNotFound, outcome.CodeTokenLimit,
	} {
		t.Run("ends at once on "+string(code), func(t *testing.T) {
			t.Parallel()
			env, in := setup(t)
			calls := 0
			reads(env, func(call int) (activities.ReadChunksResult, error) {
				calls = call
				err := temporal.NewNonRetryableApplicationError("rejected", string(code), nil)
				return activities.ReadChunksResult{}, err
			})
			expectFail(env, outcome.StatusFailed, code)
			env.ExecuteWorkflow(workflows.ParseTranscript, in)
			requireFailure(t, env, code)
			require.Equal(t, 1, calls)
		})
	}

	t.Run("ends as internal on an error without a code", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		env.OnActivity(imports.ReadChunks, mock.Anything, mock.Anything).Return(activities.ReadChunksResult{},
			temporal.NewNonRetryableApplicationError("load the chunks", "database", nil)).Once()
		expectFail(env, outcome.StatusFailed, outcome.CodeInternal)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		requireFailure(t, env, outcome.CodeInternal)
	})

	t.Run("changes nothing if another request took over the import", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		env.OnActivity(imports.ReadChunks, mock.Anything, mock.Anything).Return(activities.ReadChunksResult{},
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
		reads(env, func(int) (activities.ReadChunksResult, error) {
			return ends(activities.ParseEnd{Status: outcome.StatusFailed, ErrorCode: outcome.CodeModelRefused}), nil
		})
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		requireFailure(t, env, outcome.CodeModelRefused)
	})

	t.Run("records a cancellation on the import and ends as cancelled", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		env.OnActivity(imports.ReadChunks, mock.Anything, mock.Anything).After(time.Minute).
			Return(activities.ReadChunksResult{Done: 3, Left: 97}, nil)
		expectFail(env, outcome.StatusCanceled, outcome.CodeCanceled)
		env.RegisterDelayedCallback(env.CancelWorkflow, 150*time.Second)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.True(t, temporal.IsCanceledError(env.GetWorkflowError()), "%v", env.GetWorkflowError())
	})

	for _, code := range []outcome.Code{outcome.CodeTimedOut, outcome.CodeModelUnavailable} {
		t.Run("times out with the code "+string(code)+" when PARSE_TIMEOUT has passed", func(t *testing.T) {
			t.Parallel()
			env, in := setup(t)
			reads(env, func(int) (activities.ReadChunksResult, error) {
				err := temporal.NewNonRetryableApplicationError("timeout", activities.TypeParseTimeout, nil, code)
				return activities.ReadChunksResult{}, err
			})
			expectFail(env, outcome.StatusTimedOut, code)
			env.ExecuteWorkflow(workflows.ParseTranscript, in)
			requireFailure(t, env, code)
		})
	}
}
