package workflows_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"research/activities"
	"research/workflows"
)

// deletions is nil; it names the activity methods.
var deletions *activities.Deletions

func TestDeleteData(t *testing.T) {
	t.Parallel()

	t.Run("continues until nothing is marked, through failures", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		slices := 0
		env.OnActivity(deletions.RemoveMarked, mock.Anything, mock.Anything).Return(
			func(context.Context, activities.RemoveMarkedInput) (activities.RemoveMarkedResult, error) {
				slices++
				if slices == 2 {
					return activities.RemoveMarkedResult{}, errors.New("the database is unavailable")
				}
				return activities.RemoveMarkedResult{Removed: 10, Left: slices < 4}, nil
			})
		env.ExecuteWorkflow(workflows.DeleteData, workflows.DeleteDataInput{Removed: 5})
		require.NoError(t, env.GetWorkflowError())
		var result workflows.DeleteDataResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.Equal(t, workflows.DeleteDataResult{Removed: 35}, result)
	})

	t.Run("continues as new before its history is long", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		env.OnActivity(deletions.RemoveMarked, mock.Anything, mock.Anything).Return(
			activities.RemoveMarkedResult{Removed: 1, Left: true}, nil)
		env.ExecuteWorkflow(workflows.DeleteData, workflows.DeleteDataInput{})
		require.True(t, workflow.IsContinueAsNewError(env.GetWorkflowError()))
	})

	t.Run("fails when nothing can be removed for an hour, so that it is started again", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		env.OnActivity(deletions.RemoveMarked, mock.Anything, mock.Anything).Return(
			activities.RemoveMarkedResult{}, temporal.NewApplicationError("away", "database_unavailable"))
		env.ExecuteWorkflow(workflows.DeleteData, workflows.DeleteDataInput{})
		require.Error(t, env.GetWorkflowError())
	})
}
