package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"research/activities"
	"research/db"
	"research/workflows"
)

// checkImports checks that the open imports can move, and that the reconciler compares them with their runs.
func (d *doctor) checkImports(ctx context.Context, store *db.Store) {
	var stuck []db.ListStuckImportsRow
	var unseen float64
	err := store.AsService(ctx, func(q *db.Queries) error {
		workers, err := q.ListWorkers(ctx)
		if err != nil {
			return err
		}
		d.workers = activities.VersionsOf(workers)
		if stuck, err = q.ListStuckImports(ctx); err != nil {
			return err
		}
		unseen, err = q.MeasureUnseenRuns(ctx)
		return err
	})
	if err != nil {
		d.fail("imports", "the open imports cannot be read", "check what the programs may do in the database")
		return
	}
	for _, row := range stuck {
		d.reportStuck(row.WaitingReason, int(row.Imports), row.FirstID)
	}
	if len(stuck) == 0 {
		d.ok("imports", "none is kept from moving")
	}
	// With a longer interval, imports are compared later.
	limit := max(reconcilerTime, 6*d.cfg.Parse.ReconcileInterval)
	if age := time.Duration(unseen * float64(time.Second)); age > limit {
		d.fail("reconciler", "an open import was not compared with its run for "+age.Round(time.Second).String(),
			"look for `open imports not compared` in the log of serve and worker, and restart them")
	} else {
		d.ok("reconciler", "compares the open imports with their runs")
	}
}

// reportStuck reports imports that cannot move by themselves.
func (d *doctor) reportStuck(reason string, imports int, first uuid.UUID) {
	var found, do string
	switch reason {
	case activities.WaitsForOperator:
		found, do = "paused by an operator",
			"see which step, and the command that ends it: research explain import "+
				first.String()
	case activities.WaitsForVersion:
		found, do = "on a worker version without workers", "start `research worker` of that version, or move "+
			"its run to the current one: "+d.advise(moveRun(workflows.ParseWorkflowID(first))...)
	default:
		found, do = "with a workflow that the workers cannot execute",
			"roll back the workers' deploy, or deploy a correction: the runs then continue by themselves"
	}
	d.fail("imports", fmt.Sprintf("%d open %s, the first is %s", imports, found, first), do)
}
