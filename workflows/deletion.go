package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// deletions is nil; it names the activity methods.
var deletions *activities.Deletions

// maxDeletionSlices bounds the history of one run of DeleteData: each slice is some six events.
const maxDeletionSlices = 500

// DeleteData removes workspaces and accounts that are marked as deleted, until none is left. Only the
// database knows which ones these are. There is one run at a time; a worker starts it when it finds deletions
// without a run.
func DeleteData(ctx workflow.Context, in DeleteDataInput) (DeleteDataResult, error) {
	for range maxDeletionSlices {
		slice, err := call(ctx, deletionOptions(), deletions.RemoveMarked, activities.RemoveMarkedInput{})
		if err != nil { // a worker starts the next run
			return DeleteDataResult{}, err
		}
		in.Removed += slice.Removed
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d rows removed.", in.Removed))
		if !slice.Left {
			return DeleteDataResult(in), nil
		}
	}
	return DeleteDataResult{}, workflow.NewContinueAsNewError(ctx, DeleteData, in)
}
