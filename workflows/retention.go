package workflows

import (
	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// retention is nil; it names the activity methods.
var retention *activities.Retention

// EnforceRetention deletes what is older than its retention. A schedule starts it once a day.
func EnforceRetention(ctx workflow.Context, _ EnforceRetentionInput) (activities.DeleteOldRowsResult, error) {
	return call(ctx, retentionOptions(), retention.DeleteOldRows, activities.DeleteOldRowsInput{})
}
