package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"research/activities"
	"research/workflows"
)

// reconciler is nil; it names the activity methods.
var reconciler *activities.Reconciler

// reconciles replaces ReconcilePage.
func reconciles(
	env *testsuite.TestWorkflowEnvironment, page func() (activities.ReconcilePageResult, error),
) {
	env.OnActivity(reconciler.ReconcilePage, mock.Anything, mock.Anything).Return(
		func(context.Context, activities.ReconcilePageInput) (activities.ReconcilePageResult, error) {
			return page()
		}).Maybe()
}

// signalAt sends signals at these times after the start, and cancels the workflow a minute after the last.
func signalAt(env *testsuite.TestWorkflowEnvironment, times ...time.Duration) {
	last := time.Duration(0)
	for _, at := range times {
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.ReconcileSignal, nil) }, at)
		last = max(last, at)
	}
	env.RegisterDelayedCallback(env.CancelWorkflow, last+time.Minute)
}

func TestReconcileOpenImports(t *testing.T) {
	t.Parallel()

	t.Run("compares a page for each signal, and nothing without one", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		pages := 0
		reconciles(env, func() (activities.ReconcilePageResult, error) {
			pages++
			return activities.ReconcilePageResult{Open: 100, Repaired: 1}, nil
		})
		signalAt(env, time.Second, time.Hour, 2*time.Hour)
		env.ExecuteWorkflow(workflows.ReconcileOpenImports, workflows.ReconcileOpenImportsInput{})
		require.True(t, temporal.IsCanceledError(env.GetWorkflowError()))
		require.Equal(t, 3, pages)
	})

	t.Run("serves signals that arrive together by one page", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		pages := 0
		reconciles(env, func() (activities.ReconcilePageResult, error) {
			pages++
			return activities.ReconcilePageResult{}, nil
		})
		env.RegisterDelayedCallback(func() {
			for range 5 {
				env.SignalWorkflow(workflows.ReconcileSignal, nil)
			}
		}, time.Second)
		env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
		env.ExecuteWorkflow(workflows.ReconcileOpenImports, workflows.ReconcileOpenImportsInput{})
		require.LessOrEqual(t, pages, 2)
	})

	t.Run("continues as new with its counts, so that its history stays short", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		pages := 0
		reconciles(env, func() (activities.ReconcilePageResult, error) {
			pages++
			return activities.ReconcilePageResult{Repaired: 2}, nil
		})
		var times []time.Duration
		for i := range 600 {
			times = append(times, time.Duration(i+1)*time.Minute)
		}
		signalAt(env, times...)
		env.ExecuteWorkflow(workflows.ReconcileOpenImports, workflows.ReconcileOpenImportsInput{})
		var again *workflow.ContinueAsNewError
		require.ErrorAs(t, env.GetWorkflowError(), &again)
		require.Equal(t, 500, pages)
	})

	t.Run("outlives a failure of the database", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		away, pages := true, 0
		reconciles(env, func() (activities.ReconcilePageResult, error) {
			if away {
				err := temporal.NewApplicationError("unavailable", "database_unavailable")
				return activities.ReconcilePageResult{}, err
			}
			pages++
			return activities.ReconcilePageResult{}, nil
		})
		env.RegisterDelayedCallback(func() { away = false }, 30*time.Minute)
		signalAt(env, time.Second, time.Hour)
		env.ExecuteWorkflow(workflows.ReconcileOpenImports, workflows.ReconcileOpenImportsInput{})
		require.Equal(t, 1, pages)
	})
}
