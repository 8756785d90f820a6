package workflows

import (
	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// reconciler is nil; it names the activity methods.
var reconciler *activities.Reconciler

// reconcilePages bounds the pages of one run, and so its history: some ten thousand imports.
const reconcilePages = 50

// ReconcileImports compares open imports with what Temporal says of their runs, page by page, and repairs
// imports whose run ended without updating them: a run that is terminated, times out at the server or is
// deleted runs no code of ours.
func ReconcileImports(ctx workflow.Context, in ReconcileImportsInput) (ReconcileImportsResult, error) {
	result := in.Before
	for range reconcilePages {
		page, err := call(ctx, reconcileOptions(), reconciler.ReconcilePage, in.From)
		if err != nil {
			return result, err
		}
		result.Open += page.Open
		result.Repaired += page.Repaired
		result.Unknown += page.Unknown
		if page.Next == nil {
			return result, nil
		}
		in.From = *page.Next
	}
	in.Before = result
	return result, workflow.NewContinueAsNewError(ctx, ReconcileImports, in)
}
