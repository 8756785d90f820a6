package workflows_test

import (
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"research/activities"
	"research/workflows"
)

// retention is nil; it names the activity methods.
var retention *activities.Retention

func TestEnforceRetention(t *testing.T) {
	t.Parallel()
	env, _ := setup(t)
	env.OnActivity(retention.DeleteOldRows, mock.Anything, mock.Anything).Return(
		activities.DeleteOldRowsResult{}, temporal.NewApplicationError("away", "database_unavailable")).Once()
	env.OnActivity(retention.DeleteOldRows, mock.Anything, mock.Anything).Return(
		activities.DeleteOldRowsResult{Sessions: 3}, nil).Once()
	env.ExecuteWorkflow(workflows.EnforceRetention, workflows.EnforceRetentionInput{})
	require.NoError(t, env.GetWorkflowError())
	var result activities.DeleteOldRowsResult
	require.NoError(t, env.GetWorkflowResult(&result))
	require.EqualValues(t, 3, result.Sessions)
}
