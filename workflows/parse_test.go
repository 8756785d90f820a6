package workflows_test

import (
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
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

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
		Imports:   &activities.Imports{},
		Answers:   &activities.Answers{},
		Accounts:  &activities.Accounts{},
		Deletions: &activities.Deletions{},
		Digests:   &activities.Digests{},
		Retention: &activities.Retention{},
		Webhooks:  &activities.Webhooks{},
	}
}

// imports is nil; it names the activity methods.
var imports *activities.Imports

// plans replaces PlanImport: the import has chunks, of which concurrency may be read at a time.
func plans(env *testsuite.TestWorkflowEnvironment, chunks, concurrency int) {
	plan := activities.ImportPlan{Total: chunks, Concurrency: concurrency, TimeLeft: timeLeft}
	for i := range chunks {
		plan.Chunks = append(plan.Chunks, i)
	}
	env.OnActivity(imports.PlanImport, mock.Anything, mock.Anything).Return(plan, nil)
}

// timeLeft is the PARSE_TIMEOUT of the tests.
const timeLeft = 7 * 24 * time.Hour

// reads replaces ReadChunk.
func reads(
	env *testsuite.TestWorkflowEnvironment, read func(ordinal int) (activities.ReadChunkResult, error),
) {
	env.OnActivity(imports.ReadChunk, mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.ReadChunkInput) (activities.ReadChunkResult, error) {
			return read(in.Ordinal)
		})
}

// takes replaces ReadChunk for one chunk: it takes a while to be read.
func takes(env *testsuite.TestWorkflowEnvironment, ordinal int, duration time.Duration) {
	env.OnActivity(imports.ReadChunk, mock.Anything, mock.MatchedBy(func(in activities.ReadChunkInput) bool {
		return in.Ordinal == ordinal
	})).After(duration).Return(activities.ReadChunkResult{Done: true}, nil).Maybe()
}

// done is the result of a chunk that was read.
func done(int) (activities.ReadChunkResult, error) {
	return activities.ReadChunkResult{Done: true}, nil
}

// finishes expects one FinishImport.
func finishes(env *testsuite.TestWorkflowEnvironment, end activities.ParseEnd) {
	env.OnActivity(imports.FinishImport, mock.Anything, mock.Anything).Return(end, nil).Once()
}

// A readings records when chunks were read.
type readings struct {
	mu   sync.Mutex
	open int
	most int           // chunks that were read at the same time
	read []int         // ordinals, in the order in which their reading began
	last time.Duration // when the last one began, since the run began
}

// watch records the readings of a run.
func watch(env *testsuite.TestWorkflowEnvironment) *readings {
	r := &readings{}
	began := env.Now()
	env.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, args converter.EncodedValues) {
		var in activities.ReadChunkInput
		if info.ActivityType.Name != "ReadChunk" || args.Get(&in) != nil {
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.open++
		r.most = max(r.most, r.open)
		r.read = append(r.read, in.Ordinal)
		r.last = env.Now().Sub(began)
	})
	env.SetOnActivityCompletedListener(func(info *activity.Info, _ converter.EncodedValue, _ error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if info.ActivityType.Name == "ReadChunk" {
			r.open--
		}
	})
	return r
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

	t.Run("reads every chunk of the plan and finishes", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		plans(env, 7, 3)
		reads(env, done)
		finishes(env, parsed)
		readings := watch(env)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.True(t, env.IsWorkflowCompleted())
		require.NoError(t, env.GetWorkflowError())
		var result workflows.ParseTranscriptResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.Equal(t, workflows.ParseTranscriptResult{
			Status: outcome.StatusParsed, Evidence: 4, Coverage: 1,
		}, result)
		slices.Sort(readings.read)
		require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6}, readings.read)
	})

	t.Run("reads what is left of a plan only", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		env.OnActivity(imports.PlanImport, mock.Anything, mock.Anything).Return(activities.ImportPlan{
			Chunks: []int{2, 5}, Total: 6, Concurrency: 8, TimeLeft: timeLeft,
		}, nil).Once()
		reads(env, done)
		finishes(env, parsed)
		readings := watch(env)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.NoError(t, env.GetWorkflowError())
		slices.Sort(readings.read)
		require.Equal(t, []int{2, 5}, readings.read)
	})

	t.Run("asks about speakers before it plans, if that is wanted", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		in.CheckSpeakers = true
		var order []string
		env.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
			order = append(order, info.ActivityType.Name)
		})
		env.OnActivity(imports.CheckSpeakers, mock.Anything, in.ParseRef).
			Return(activities.CheckSpeakersResult{Asked: true}, nil).Once()
		plans(env, 0, 8)
		finishes(env, parsed)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.NoError(t, env.GetWorkflowError())
		require.Equal(t, []string{"CheckSpeakers", "PlanImport", "FinishImport"}, order)
	})

	t.Run("goes on if speakers cannot be asked about", func(t *testing.T) {
		t.Parallel()
		for name, failure := range map[string]error{
			"the model refuses": temporal.NewNonRetryableApplicationError(
				"refused", string(outcome.CodeModelRefused), nil),
			"nobody answers in time": temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE, nil),
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				env, in := setup(t)
				in.CheckSpeakers = true
				env.OnActivity(imports.CheckSpeakers, mock.Anything, mock.Anything).
					Return(activities.CheckSpeakersResult{}, failure)
				plans(env, 1, 8)
				reads(env, done)
				finishes(env, parsed)
				env.ExecuteWorkflow(workflows.ParseTranscript, in)
				require.NoError(t, env.GetWorkflowError())
			})
		}
	})

	t.Run("ends the import if it is cancelled while it asks about speakers", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		in.CheckSpeakers = true
		env.OnActivity(imports.CheckSpeakers, mock.Anything, mock.Anything).After(time.Hour).
			Return(activities.CheckSpeakersResult{}, temporal.NewCanceledError()).Maybe()
		env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
		expectFail(env, outcome.StatusCanceled, outcome.CodeCanceled)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.True(t, temporal.IsCanceledError(env.GetWorkflowError()), "%v", env.GetWorkflowError())
	})

	t.Run("finishes an import without chunks", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		plans(env, 0, 8)
		finishes(env, parsed)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.NoError(t, env.GetWorkflowError())
	})

	t.Run("begins the next chunk when any one ends", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		const chunks, slow, fast = 10, 90 * time.Minute, 10 * time.Minute
		plans(env, chunks, 3)
		takes(env, 0, slow)
		for i := 1; i < chunks; i++ {
			takes(env, i, fast)
		}
		finishes(env, parsed)
		readings := watch(env)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.NoError(t, env.GetWorkflowError())
		require.Len(t, readings.read, chunks)
		require.Equal(t, 3, readings.most)
		require.Less(t, readings.last, slow, "the slow chunk holds up no other")
	})

	t.Run("reads a chunk that is too long part by part", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		plans(env, 1, 8)
		parts := 0
		reads(env, func(int) (activities.ReadChunkResult, error) {
			parts++
			return activities.ReadChunkResult{Done: parts == 3}, nil
		})
		finishes(env, parsed)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.NoError(t, env.GetWorkflowError())
		require.Equal(t, 3, parts)
	})

	for _, errorType := range []string{
		string(outcome.CodeModelUnavailable), string(outcome.CodeModelRateLimited), "database_unavailable",
		activities.TypeHandedOver, activities.TypeTokenBudget,
	} {
		t.Run("tries again after a day of "+errorType, func(t *testing.T) {
			t.Parallel()
			env, in := setup(t)
			plans(env, 2, 8)
			began := env.Now()
			reads(env, func(int) (activities.ReadChunkResult, error) {
				if env.Now().Sub(began) < 24*time.Hour {
					err := temporal.NewApplicationErrorWithOptions("unavailable", errorType,
						temporal.ApplicationErrorOptions{NextRetryDelay: 6 * time.Hour})
					return activities.ReadChunkResult{}, err
				}
				return activities.ReadChunkResult{Done: true}, nil
			})
			finishes(env, parsed)
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
			plans(env, 20, 1)
			reads(env, func(int) (activities.ReadChunkResult, error) {
				err := temporal.NewNonRetryableApplicationError("rejected", string(code), nil)
				return activities.ReadChunkResult{}, err
			})
			expectFail(env, outcome.StatusFailed, code)
			readings := watch(env)
			env.ExecuteWorkflow(workflows.ParseTranscript, in)
			requireFailure(t, env, code)
			require.Len(t, readings.read, 1)
		})
	}

	t.Run("ends with the error of one chunk while others are read", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		plans(env, 3, 3)
		takes(env, 0, 100*24*time.Hour)
		takes(env, 1, 100*24*time.Hour)
		env.OnActivity(imports.ReadChunk, mock.Anything, mock.Anything).After(time.Minute).Return(
			activities.ReadChunkResult{}, temporal.NewNonRetryableApplicationError(
				"no credit", string(outcome.CodeModelNoCredit), nil))
		expectFail(env, outcome.StatusFailed, outcome.CodeModelNoCredit)
		began := env.Now()
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		requireFailure(t, env, outcome.CodeModelNoCredit)
		require.Less(t, env.Now().Sub(began), time.Hour)
	})

	t.Run("ends with the code of a plan that cannot be paid for", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		env.OnActivity(imports.PlanImport, mock.Anything, mock.Anything).Return(activities.ImportPlan{},
			temporal.NewNonRetryableApplicationError("limit", string(outcome.CodeTokenLimit), nil)).Once()
		expectFail(env, outcome.StatusFailed, outcome.CodeTokenLimit)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		requireFailure(t, env, outcome.CodeTokenLimit)
	})

	t.Run("ends as internal on an error without a code", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		plans(env, 1, 8)
		reads(env, func(int) (activities.ReadChunkResult, error) {
			err := temporal.NewNonRetryableApplicationError("load the chunk", "database", nil)
			return activities.ReadChunkResult{}, err
		})
		expectFail(env, outcome.StatusFailed, outcome.CodeInternal)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		requireFailure(t, env, outcome.CodeInternal)
	})

	superseded := temporal.NewNonRetryableApplicationError("superseded", activities.TypeSuperseded, nil)
	for step, replace := range map[string]func(*testsuite.TestWorkflowEnvironment){
		"the plan": func(env *testsuite.TestWorkflowEnvironment) {
			env.OnActivity(imports.PlanImport, mock.Anything, mock.Anything).
				Return(activities.ImportPlan{}, superseded).Once()
		},
		"a chunk": func(env *testsuite.TestWorkflowEnvironment) {
			plans(env, 3, 2)
			reads(env, func(int) (activities.ReadChunkResult, error) {
				return activities.ReadChunkResult{}, superseded
			})
		},
		"the end": func(env *testsuite.TestWorkflowEnvironment) {
			plans(env, 1, 2)
			reads(env, done)
			env.OnActivity(imports.FinishImport, mock.Anything, mock.Anything).
				Return(activities.ParseEnd{}, superseded).Once()
		},
	} {
		t.Run("changes nothing if another request took over the import before "+step, func(t *testing.T) {
			t.Parallel()
			env, in := setup(t)
			replace(env)
			env.ExecuteWorkflow(workflows.ParseTranscript, in)
			require.NoError(t, env.GetWorkflowError())
			var result workflows.ParseTranscriptResult
			require.NoError(t, env.GetWorkflowResult(&result))
			require.EqualValues(t, activities.TypeSuperseded, result.Status)
		})
	}

	t.Run("fails with the reason if nothing could be read", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		plans(env, 2, 8)
		reads(env, done)
		finishes(env, activities.ParseEnd{Status: outcome.StatusFailed, ErrorCode: outcome.CodeModelRefused})
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		requireFailure(t, env, outcome.CodeModelRefused)
	})

	t.Run("records a cancellation on the import and ends as cancelled", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		plans(env, 10, 2)
		for i := range 10 {
			takes(env, i, time.Minute)
		}
		expectFail(env, outcome.StatusCanceled, outcome.CodeCanceled)
		env.RegisterDelayedCallback(env.CancelWorkflow, 150*time.Second)
		readings := watch(env)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.True(t, temporal.IsCanceledError(env.GetWorkflowError()), "%v", env.GetWorkflowError())
		require.Len(t, readings.read, 6, "no chunk begins after the cancellation")
	})

	t.Run("records a cancellation before the plan", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		env.OnActivity(imports.PlanImport, mock.Anything, mock.Anything).After(time.Hour).
			Return(activities.ImportPlan{}, nil).Maybe()
		expectFail(env, outcome.StatusCanceled, outcome.CodeCanceled)
		env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.True(t, temporal.IsCanceledError(env.GetWorkflowError()), "%v", env.GetWorkflowError())
	})

	for _, code := range []outcome.Code{outcome.CodeTimedOut, outcome.CodeModelUnavailable} {
		t.Run("times out with the code "+string(code)+" although an activity never ends", func(t *testing.T) {
			t.Parallel()
			env, in := setup(t)
			plans(env, 3, 2)
			for i := range 3 {
				takes(env, i, 100*24*time.Hour)
			}
			env.OnActivity(imports.CheckDeadline, mock.Anything, mock.Anything).
				Return(activities.Deadline{Code: code}, nil).Once()
			expectFail(env, outcome.StatusTimedOut, code)
			began := env.Now()
			env.ExecuteWorkflow(workflows.ParseTranscript, in)
			requireFailure(t, env, code)
			require.Less(t, env.Now().Sub(began), timeLeft+time.Hour)
		})
	}

	t.Run("has more time after a wait", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		plans(env, 1, 8)
		takes(env, 0, timeLeft+90*time.Minute)
		checks := 0
		env.OnActivity(imports.CheckDeadline, mock.Anything, mock.Anything).Return(
			func(context.Context, activities.ParseRef) (activities.Deadline, error) {
				checks++
				return activities.Deadline{Left: time.Hour, Code: outcome.CodeTimedOut}, nil
			})
		finishes(env, parsed)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.NoError(t, env.GetWorkflowError())
		require.Equal(t, 2, checks)
	})

	t.Run("ends if the deadline cannot be compared", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		plans(env, 1, 8)
		takes(env, 0, 100*24*time.Hour)
		env.OnActivity(imports.CheckDeadline, mock.Anything, mock.Anything).
			Return(activities.Deadline{}, superseded).Once()
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.NoError(t, env.GetWorkflowError())
	})

	t.Run("continues as new when its history is long", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		plans(env, 10, 2)
		for i := range 10 {
			takes(env, i, time.Minute)
		}
		env.RegisterDelayedCallback(func() { env.SetContinueAsNewSuggested(true) }, 90*time.Second)
		readings := watch(env)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.True(t, workflow.IsContinueAsNewError(env.GetWorkflowError()), "%v", env.GetWorkflowError())
		require.Len(t, readings.read, 4, "chunks that were begun are read to their end")
		require.Zero(t, readings.open)
	})

	t.Run("finishes with a long history if every chunk is read", func(t *testing.T) {
		t.Parallel()
		env, in := setup(t)
		plans(env, 2, 2)
		takes(env, 0, time.Minute)
		takes(env, 1, time.Minute)
		env.RegisterDelayedCallback(func() { env.SetContinueAsNewSuggested(true) }, 30*time.Second)
		finishes(env, parsed)
		env.ExecuteWorkflow(workflows.ParseTranscript, in)
		require.NoError(t, env.GetWorkflowError())
	})
}
