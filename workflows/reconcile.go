package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// reconciler is nil; it names the activity methods.
var reconciler *activities.Reconciler

// maxPages bounds the history of one run of the reconciler: each page adds some ten events.
const maxPages = 500

// ReconcileOpenImports compares open imports with the state of their runs in Temporal, and repairs imports
// whose run ended without updating them. A run that is terminated, deleted or times out at the server
// executes no clean-up code.
//
// It is one workflow that never ends. Workers poll the database for open imports without a recent heartbeat,
// and signal the workflow if there are any; otherwise it is idle.
func ReconcileOpenImports(ctx workflow.Context, in ReconcileOpenImportsInput) error {
	signals := workflow.GetSignalChannel(ctx, ReconcileSignal)
	counts := in.Before
	for range maxPages {
		workflow.NewSelector(ctx).
			AddReceive(signals, func(workflow.ReceiveChannel, bool) { drain(signals) }).
			AddReceive(ctx.Done(), func(workflow.ReceiveChannel, bool) {}).
			Select(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		page, err := call(ctx, reconcileOptions(), reconciler.ReconcilePage, activities.ReconcilePageInput{})
		if err != nil { // the next signal tries again
			workflow.GetLogger(ctx).Warn("imports not reconciled", "error", err)
			continue
		}
		counts.Pages++
		counts.Repaired += page.Repaired
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d pages, %d repairs; the last one compared %d imports.",
			counts.Pages, counts.Repaired, page.Open))
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			break
		}
	}
	drain(signals) // a signal that is not received would be lost
	return workflow.NewContinueAsNewError(ctx, ReconcileOpenImports, ReconcileOpenImportsInput{Before: counts})
}

// drain receives the signals that have arrived: one page serves them all.
func drain(signals workflow.ReceiveChannel) {
	for signals.ReceiveAsync(nil) {
	}
}
