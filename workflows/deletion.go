package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// deletions is nil; it names the activity methods.
var deletions *activities.Deletions

// maxDeletionSlices bounds a run of DeleteData: a slice takes about twenty seconds, so a run takes about five
// minutes.
const maxDeletionSlices = 15

// DeleteDataTimeout ends a run of DeleteData whose workflow tasks fail or get no worker, so that the next run
// begins on the workers of that time. It exceeds the slices of a run and the attempts of its last one.
const DeleteDataTimeout = 20 * time.Minute

// DeleteData removes workspaces and accounts that are marked as deleted, for some minutes. Only the database
// knows which ones these are. There is one run at a time. A worker starts the next one while something is
// left, so that no run has to be continued by other code.
func DeleteData(ctx workflow.Context, _ DeleteDataInput) (DeleteDataResult, error) {
	var result DeleteDataResult
	for range maxDeletionSlices {
		slice, err := call(ctx, deletionOptions(), deletions.RemoveMarked, activities.RemoveMarkedInput{})
		if err != nil {
			return result, err
		}
		result = DeleteDataResult{Removed: result.Removed + slice.Removed, Left: slice.Left}
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d rows removed.", result.Removed))
		if !slice.Left {
			break
		}
	}
	return result, nil
}
