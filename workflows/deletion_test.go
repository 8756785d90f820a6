package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

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
		env.ExecuteWorkflow(workflows.DeleteData, workflows.DeleteDataInput{})
		require.NoError(t, env.GetWorkflowError())
		var result workflows.DeleteDataResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.Equal(t, workflows.DeleteDataResult{Removed: 30}, result)
	})

	t.Run("ends after some minutes, also if something is left", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		env.OnActivity(deletions.RemoveMarked, mock.Anything, mock.Anything).After(20*time.Second).Return(
			activities.RemoveMarkedResult{Removed: 1, Left: true}, nil)
		began := env.Now()
		env.ExecuteWorkflow(workflows.DeleteData, workflows.DeleteDataInput{})
		require.NoError(t, env.GetWorkflowError())
		var result workflows.DeleteDataResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.True(t, result.Left)
		require.Less(t, env.Now().Sub(began), workflows.DeleteDataTimeout/2)
	})

	t.Run("fails before its timeout when nothing can be removed", func(t *testing.T) {
		t.Parallel()
		env, _ := setup(t)
		env.OnActivity(deletions.RemoveMarked, mock.Anything, mock.Anything).Return(
			activities.RemoveMarkedResult{}, temporal.NewApplicationError("away", "database_unavailable"))
		began := env.Now()
		env.ExecuteWorkflow(workflows.DeleteData, workflows.DeleteDataInput{})
		require.Error(t, env.GetWorkflowError())
		require.Less(t, env.Now().Sub(began), workflows.DeleteDataTimeout)
	})
}
