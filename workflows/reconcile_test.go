package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"research/activities"
	"research/workflows"
)

var reconciler *activities.Reconciler

func TestReconcileImports(t *testing.T) {
	t.Parallel()

	t.Run("goes through the pages, and counts", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		first, second := activities.ReconcilePageInput{}, activities.ReconcilePageInput{QueuedAt: time.Unix(1, 0).UTC(), ID: uuid.New()}
		env.OnActivity(reconciler.ReconcilePage, mock.Anything, first).Return(activities.ReconcilePageResult{Open: 200, Repaired: 1, Next: &second}, nil).Once()
		env.OnActivity(reconciler.ReconcilePage, mock.Anything, second).Return(activities.ReconcilePageResult{Open: 7, Unknown: 2}, nil).Once()
		env.ExecuteWorkflow(workflows.ReconcileImports, workflows.ReconcileImportsInput{})
		require.NoError(t, env.GetWorkflowError())
		var result workflows.ReconcileImportsResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.Equal(t, workflows.ReconcileImportsResult{Open: 207, Repaired: 1, Unknown: 2}, result)
	})

	t.Run("its history stays short however many imports are open", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		pages := 0
		env.OnActivity(reconciler.ReconcilePage, mock.Anything, mock.Anything).Return(
			func(context.Context, activities.ReconcilePageInput) (activities.ReconcilePageResult, error) {
				pages++
				return activities.ReconcilePageResult{Open: 200, Next: &activities.ReconcilePageInput{ID: uuid.New()}}, nil
			})
		env.ExecuteWorkflow(workflows.ReconcileImports, workflows.ReconcileImportsInput{})
		var again *workflow.ContinueAsNewError
		require.ErrorAs(t, env.GetWorkflowError(), &again)
		require.Equal(t, 50, pages)
	})

	t.Run("gives up while the database is away: the next tick tries again", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		began := env.Now()
		env.OnActivity(reconciler.ReconcilePage, mock.Anything, mock.Anything).Return(activities.ReconcilePageResult{}, temporal.NewApplicationError("away", "database_unavailable"))
		env.ExecuteWorkflow(workflows.ReconcileImports, workflows.ReconcileImportsInput{})
		require.Error(t, env.GetWorkflowError())
		require.Less(t, env.Now().Sub(began), 5*time.Minute)
	})
}
