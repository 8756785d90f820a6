package activities

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"research/activities/extract"
	"research/db"
)

// ReadChunkInput names a chunk of the plan of a run.
type ReadChunkInput struct {
	ParseRef
	Ordinal int
}

// ReadChunkResult is how far a chunk is.
type ReadChunkResult struct {
	// Done is false for a chunk that is too long for one call: the next activity reads another part of it.
	Done bool
}

// ReadChunk reads a chunk with one call to the extractor, and shows the evidence that it proves. The response
// is stored under its key before the activity ends, so that neither a retry nor a later run pays for it
// again; with a stored response no call is made. The call continues if Temporal cannot be reached, or if the
// activity is paused; it ends if the run is cancelled.
//
// A model that is unavailable or limits the rate is called again after the delay that its server requests.
// Failures of the database, lost heartbeats and workers that stop have no limit of attempts; the workflow
// ends the run at its deadline. It heartbeats, with a ChunkProgress.
func (a *Imports) ReadChunk(ctx context.Context, in ReadChunkInput) (ReadChunkResult, error) {
	return a.readChunk(ctx, &importChunk{imports: a, ref: in.ParseRef, ordinal: int32(in.Ordinal)},
		in.ClaimID, in.Ordinal)
}

// readChunk reads a chunk of a plan.
func (a *Imports) readChunk(
	ctx context.Context, of chunkOwner, claim uuid.UUID, ordinal int,
) (ReadChunkResult, error) {
	r := &chunkReading{imports: a, of: of, claim: claim, ordinal: int32(ordinal)}
	defer heartbeat(ctx, func() any { return r.progress.Load() })()
	defer r.keepSeen(ctx)()
	done, err := r.read(ctx)
	return ReadChunkResult{Done: done}, r.end(ctx, done, err)
}

// endTimeout bounds the write at the end of an attempt, whose context may have ended.
const endTimeout = 5 * time.Second

// end records that the chunk is no longer read, and what its import waits for if nothing else of it is read.
// It converts the error of the attempt for Temporal.
func (r *chunkReading) end(ctx context.Context, done bool, err error) error {
	if done && err == nil {
		return nil // recorded with the end of the chunk
	}
	reason, err := attemptEnd(ctx, err)
	detachedCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	endErr := r.imports.store.AsService(detachedCtx, func(q *db.Queries) error {
		return r.of.wait(detachedCtx, q, reason)
	})
	if endErr != nil { // the reconciler finds out by itself
		r.warn(ctx, "end of an attempt not recorded", endErr)
	}
	return err
}

// attemptEnd converts the error of an attempt to call a model for Temporal, and says what the next one waits
// for.
func attemptEnd(ctx context.Context, err error) (reason string, _ error) {
	var failure *extract.Error
	switch {
	case errors.As(err, &failure) && isTransient(failure.Code):
		delay := modelDelay(failure, int(activity.GetInfo(ctx).Attempt))
		return string(failure.Code), modelError(failure, delay)
	case failure != nil:
		return WaitsForTurn, modelError(failure, 0)
	case isType(err, TypeTokenBudget):
		return WaitsForBudget, err
	case isType(err, TypeHandedOver):
		return WaitsForWorker, err
	case isCanceled(ctx):
		return WaitsForTurn, context.Cause(ctx)
	case ctx.Err() != nil: // the run is gone, Temporal is away, the activity is paused or the worker stops
		return WaitsForWorker, errHandedOver()
	}
	return WaitsForTurn, err
}

// isCanceled reports whether the run was cancelled. The context of an activity also ends when Temporal cannot
// be reached, when the activity is paused, or when the worker stops.
func isCanceled(ctx context.Context) bool { return temporal.IsCanceledError(context.Cause(ctx)) }

// seenInterval is how often a process that reads a chunk says so in the database. The reconciler compares
// runs that were not seen for a few intervals.
const seenInterval = 5 * time.Second

// keepSeen records that the chunk is being read, until stop is called.
func (r *chunkReading) keepSeen(ctx context.Context) (stop func()) {
	ended := make(chan struct{})
	go func() {
		ticker := time.NewTicker(seenInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ended:
				return
			case <-ctx.Done():
				r.suspect(ctx)
				return
			case <-ticker.C:
			}
			err := r.imports.store.AsService(ctx, func(q *db.Queries) error { return r.of.see(ctx, q) })
			if err != nil && ctx.Err() == nil {
				r.warn(ctx, "reading not recorded", err)
			}
		}
	}()
	return func() { close(ended) }
}

// suspect makes the reconciler compare the run at the next poll, since it may have been terminated.
func (r *chunkReading) suspect(ctx context.Context) {
	detachedCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	err := r.imports.store.AsService(detachedCtx, func(q *db.Queries) error {
		return r.of.suspect(detachedCtx, q)
	})
	if err != nil { // the reconciler then compares it when it was not seen for a while
		r.warn(ctx, "run not marked for the reconciler", err)
	}
}

func (r *chunkReading) warn(ctx context.Context, message string, err error) {
	r.imports.log.WarnContext(ctx, message, append(r.of.attributes(), "error", err)...)
}
