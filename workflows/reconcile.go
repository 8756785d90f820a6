package workflows

import (
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// ReconcileImportsInput says where to go on; zero is the beginning.
type ReconcileImportsInput struct {
	From   activities.ReconcilePageInput
	Before ReconcileImportsResult // what earlier runs of the same tick counted
}

// ReconcileImportsResult counts what one tick saw, for those who read it in Temporal's UI.
type ReconcileImportsResult struct {
	Open     int
	Repaired int
	Unknown  int
}

// reconciler names activities without having one.
var reconciler *activities.Reconciler

// reconcilePages is how many pages of imports one run looks at: some ten thousand imports.
const reconcilePages = 50

// ReconcileImports compares the imports that are being parsed with what Temporal says of their runs, a page at a time, and repairs those that the end of their run left behind:
// a run that is terminated, times out or is deleted tells nobody.
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

// ReconcileSchedule ticks every so often. A tick is skipped while the one before is at work: the next one sees the same.
func ReconcileSchedule(every time.Duration) Schedule {
	return Schedule{
		ID: "reconcile-imports", Every: every, Workflow: ReconcileImports, Input: ReconcileImportsInput{},
		Timeout: 10 * time.Minute, Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_SKIP, CatchUp: 10 * time.Second, Summary: "Compare open imports with their runs",
	}
}
