package activities

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// parseCanceler cancels the runs of imports; *temporalclient.Client is one.
type parseCanceler interface {
	// CancelParse asks the run of an import to stop. Its error says that there is none, or that Temporal cannot
	// be reached.
	CancelParse(ctx context.Context, importID uuid.UUID) error
}

// Deletions are the activities that remove deleted data. Their methods are registered with Temporal by name.
type Deletions struct {
	store *db.Store
	runs  parseCanceler
	log   *slog.Logger
}

// NewDeletions returns the activities. All dependencies are required.
func NewDeletions(store *db.Store, runs parseCanceler, log *slog.Logger) (*Deletions, error) {
	if store == nil || runs == nil || log == nil {
		return nil, errors.New("activities: a dependency of Deletions is missing")
	}
	return &Deletions{store: store, runs: runs, log: log}, nil
}

const (
	// deletionSlice is how long one activity removes rows. Then another deletion has its turn.
	deletionSlice = 20 * time.Second

	// Batches begin small, and their size is adapted so that a statement takes about batchTarget, since it holds
	// locks and delays other statements.
	firstBatch  = 100
	maxBatch    = 10_000
	batchTarget = 200 * time.Millisecond
)

// RemoveMarkedInput is empty: the database knows what is deleted.
type RemoveMarkedInput struct{}

// RemoveMarkedResult counts rows.
type RemoveMarkedResult struct {
	Removed int64 // rows that were deleted, or that no longer name a deleted account
	Left    bool  // something is still marked
}

// RemoveMarked removes rows of one workspace or account that is marked deleted, in batches, for some seconds.
// Its progress is stored in the database, so a retry continues. It needs no idempotency key: rows are removed
// once.
func (d *Deletions) RemoveMarked(ctx context.Context, _ RemoveMarkedInput) (RemoveMarkedResult, error) {
	defer heartbeat(ctx, nil)()
	var result RemoveMarkedResult
	next, err := db.AsService(ctx, d.store, func(q *db.Queries) (db.TakeDeletionRow, error) {
		return q.TakeDeletion(ctx)
	})
	if errors.Is(err, db.ErrNotFound) {
		return result, nil
	}
	if err != nil {
		return result, failed(ctx, d.log, "take a deletion", err)
	}
	if err := d.cancelImports(ctx, next.ID); err != nil {
		return result, failed(ctx, d.log, "list open imports", err, "deletion_id", next.ID)
	}
	if result.Removed, err = d.remove(ctx, next.ID); err != nil {
		return result, failed(ctx, d.log, "remove a batch", err, "deletion_id", next.ID, "kind", next.Kind)
	}
	result.Left, err = db.AsService(ctx, d.store, func(q *db.Queries) (bool, error) {
		return q.HasDeletions(ctx)
	})
	return result, failed(ctx, d.log, "look for deletions", err)
}

// cancelImports requests the cancellation of the runs of a workspace's imports, so that they make no further
// calls. If a request fails, the run ends at its next step, since its import is gone.
func (d *Deletions) cancelImports(ctx context.Context, workspaceID uuid.UUID) error {
	open, err := db.AsService(ctx, d.store, func(q *db.Queries) ([]uuid.UUID, error) {
		if err := q.SeeDeleted(ctx); err != nil {
			return nil, err
		}
		return q.ListOpenImportsOf(ctx, workspaceID)
	})
	if err != nil {
		return err
	}
	for _, id := range open {
		if err := d.runs.CancelParse(ctx, id); err != nil {
			d.log.InfoContext(ctx, "run of a deleted import not canceled", "import_id", id, "error", err)
		}
	}
	return nil
}

// remove removes batches until nothing is left or the time is over, and returns the number of rows.
func (d *Deletions) remove(ctx context.Context, id uuid.UUID) (removed int64, err error) {
	started, size, step := time.Now(), int32(firstBatch), int32(0)
	for time.Since(started) < deletionSlice {
		begun := time.Now()
		batch, err := db.AsService(ctx, d.store, func(q *db.Queries) (db.RemoveBatchRow, error) {
			return q.RemoveBatch(ctx, db.RemoveBatchParams{ID: id, Most: size})
		})
		if err != nil {
			return removed, err
		}
		removed += batch.Removed
		if batch.Step == 0 {
			return removed, nil
		}
		size = nextBatch(size, time.Since(begun))
		if batch.Step != step {
			size, step = firstBatch, batch.Step // a row of another table may cost more
		}
	}
	return removed, nil
}

// nextBatch returns the size of the batch after one that took so long.
func nextBatch(size int32, took time.Duration) int32 {
	switch {
	case took < batchTarget/2:
		return min(2*size, maxBatch)
	case took > batchTarget:
		return max(size/2, 1)
	}
	return size
}
