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
	"go.temporal.io/sdk/workflow"

	"research/activities"
	"research/workflows"
)

// reconciler is nil; it names the activity methods.
var reconciler *activities.Reconciler

// reconciles replaces ReconcilePage.
func reconciles(
	env *testsuite.TestWorkflowEnvironment,
	page func(activities.ReconcilePageInput) (activities.ReconcilePageResult, error),
) {
	env.OnActivity(reconciler.ReconcilePage, mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.ReconcilePageInput) (activities.ReconcilePageResult, error) {
			return page(in)
		})
}

func TestReconcileImports(t *testing.T) {
	t.Parallel()

	t.Run("compares page by page and counts", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		second := activities.ReconcilePageInput{QueuedAt: time.Unix(1, 0).UTC(), ID: uuid.New()}
		pages := map[activities.ReconcilePageInput]activities.ReconcilePageResult{
			{}:     {Open: 200, Repaired: 1, Next: &second},
			second: {Open: 7, Unknown: 2},
		}
		reconciles(env, func(in activities.ReconcilePageInput) (activities.ReconcilePageResult, error) {
			return pages[in], nil
		})
		env.ExecuteWorkflow(workflows.ReconcileImports, workflows.ReconcileImportsInput{})
		require.NoError(t, env.GetWorkflowError())
		var result workflows.ReconcileImportsResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.Equal(t, workflows.ReconcileImportsResult{Open: 207, Repaired: 1, Unknown: 2}, result)
	})

	t.Run("continues as new, so that its history stays short", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		pages := 0
		reconciles(env, func(activities.ReconcilePageInput) (activities.ReconcilePageResult, error) {
			pages++
			next := activities.ReconcilePageInput{ID: uuid.New()}
			return activities.ReconcilePageResult{Open: 200, Next: &next}, nil
		})
		env.ExecuteWorkflow(workflows.ReconcileImports, workflows.ReconcileImportsInput{})
		var again *workflow.ContinueAsNewError
		require.ErrorAs(t, env.GetWorkflowError(), &again)
		require.Equal(t, 50, pages)
	})

	t.Run("fails while the database is unavailable, and leaves it to the next tick", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		began := env.Now()
		reconciles(env, func(activities.ReconcilePageInput) (activities.ReconcilePageResult, error) {
			err := temporal.NewApplicationError("unavailable", "database_unavailable")
			return activities.ReconcilePageResult{}, err
		})
		env.ExecuteWorkflow(workflows.ReconcileImports, workflows.ReconcileImportsInput{})
		require.Error(t, env.GetWorkflowError())
		require.Less(t, env.Now().Sub(began), 5*time.Minute)
	})
}
