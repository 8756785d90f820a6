package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

// ReadChunksInput is the input of ReadChunks.
type ReadChunksInput struct{ ParseRef }

// ReadChunksResult is how far an import is.
type ReadChunksResult struct {
	Done int // chunks of this call
	Left int // chunks to read
	// End is the end of the import; nil if chunks are left.
	End *ParseEnd `json:",omitempty"`
}

// ReadChunks reads the next chunks of an import, up to PARSE_CONCURRENCY, all at the same time. The first
// call plans what is missing, see begin; the last one proves and merges the findings and ends the import.
// Each answer is stored under its key before its chunk counts as read, so that a retry, a new run or a killed
// worker does not pay for it again. It heartbeats.
//
// PARSE_TIMEOUT counts from the first call. A model that is unavailable or limits the rate is tried again
// until then; failures of the database, lost heartbeats and workers that stop have no limit of attempts.
func (a *Imports) ReadChunks(ctx context.Context, in ReadChunksInput) (ReadChunksResult, error) {
	defer heartbeat(ctx)()
	lease := a.calls.leases.hold(ctx, in.ClaimID)
	result, err := a.readRange(ctx, in.ParseRef, lease)
	if err == nil && result.Left == 0 {
		var end ParseEnd
		end, _, err = a.finishImport(ctx, in.ParseRef, activityRun(ctx), outcome.StatusParsed, "")
		result.End = &end
	}
	if isCanceled(ctx) { // otherwise the calls in progress continue
		lease.cancel(context.Cause(ctx))
	}
	pausable := !a.calls.leases.endAttempt(lease) && (err != nil || result.Left > 0)
	return result, a.stopReading(ctx, in.ParseRef, pausable, err)
}

// readRange reads the next chunks of an import.
func (a *Imports) readRange(ctx context.Context, ref ParseRef, lease *runLease) (ReadChunksResult, error) {
	reader := &chunkReader{
		imports: a, ref: ref, lease: lease, workspace: workspaceOf(ctx),
	}
	hasSlot := a.calls.slots.tryAcquire()
	chunks, err := a.loadRange(ctx, reader, hasSlot)
	if hasSlot && (err != nil || len(chunks.rows) == 0) {
		a.calls.slots.release()
	}
	if err != nil || len(chunks.rows) == 0 {
		return ReadChunksResult{}, err
	}
	if !hasSlot {
		if err := a.awaitFirstTurn(ctx, reader); err != nil {
			return ReadChunksResult{}, err
		}
	}
	expires := time.AfterFunc(chunks.timeLeft, func() { lease.cancel(errParseTimeout(chunks.timeoutCode)) })
	defer expires.Stop()
	done, err := reader.readAll(ctx, chunks)
	if err != nil {
		return ReadChunksResult{}, err
	}
	return ReadChunksResult{Done: done, Left: chunks.left + len(chunks.rows) - done}, nil
}

// A chunkRange holds the chunks that one activity reads, and the state of their run.
type chunkRange struct {
	rows []db.PrivateImportChunk
	left int // chunks after them

	timeLeft    time.Duration // until PARSE_TIMEOUT
	timeoutCode outcome.Code  // why the import ends then
	isFailing   bool          // the model failed when it was last called
}

// loadRange plans the chunks of a run unless they are planned, takes its lease and loads its next chunks,
// with the answers that are stored. calling means that a call is imminent.
func (a *Imports) loadRange(ctx context.Context, r *chunkReader, calling bool) (chunkRange, error) {
	loaded, err := db.AsService(ctx, a.store, func(q *db.Queries) (chunkRange, error) {
		if err := r.prepare(ctx, q, calling); err != nil {
			return chunkRange{}, err
		}
		taken, err := a.takeReader(ctx, q, r.ref, calling)
		if errors.Is(err, errEnded) {
			return chunkRange{}, nil
		}
		if err != nil {
			return chunkRange{}, err
		}
		rows, err := q.ListUnfinishedChunks(ctx, db.ListUnfinishedChunksParams{
			ImportID: r.ref.ImportID, ClaimID: r.ref.ClaimID, PageSize: int32(a.cfg.Concurrency),
		})
		if err != nil {
			return chunkRange{}, err
		}
		loaded := chunkRange{
			timeLeft:    a.cfg.Timeout - time.Duration(taken.SecondsSinceFirstCall*float64(time.Second)),
			timeoutCode: outcome.CodeTimedOut,
			isFailing:   taken.ModelFailures > 0,
		}
		if reason := outcome.Code(valueOf(taken.WaitingReason)); taken.ProgressDone == 0 && isTransient(reason) {
			loaded.timeoutCode = reason // the model never answered
		}
		for _, row := range rows {
			loaded.rows = append(loaded.rows, row.PrivateImportChunk)
			loaded.left = int(row.Unfinished) - len(rows)
		}
		r.interviewers = taken.Interviewers
		return loaded, r.load(ctx, q, loaded.rows)
	})
	if err != nil {
		return chunkRange{}, failed(ctx, a.log, "load the chunks", err, "import_id", r.ref.ImportID)
	}
	if len(loaded.rows) > 0 && loaded.timeLeft <= 0 {
		return chunkRange{}, errParseTimeout(loaded.timeoutCode)
	}
	return loaded, nil
}

// prepare loads the transcript, locks the import and plans its chunks unless they are planned. Wherever an
// import and its run are both locked, the import is locked first.
func (r *chunkReader) prepare(ctx context.Context, q *db.Queries, calling bool) error {
	text, err := r.imports.transcriptWithin(ctx, q, r.ref.ImportID)
	if err != nil {
		return err
	}
	r.text, r.sha256 = text.Transcript, text.sha256
	waitsFor := waitsForTurn
	if calling {
		waitsFor = ""
	}
	return r.imports.begin(ctx, q, r.ref, text, waitsFor)
}

// errEnded means that the import has ended, so that there is nothing to read.
var errEnded = errors.New("the import has ended")

// takeReader takes the lease of a run for this process. An import whose run an operator reset follows the new
// run first.
func (a *Imports) takeReader(
	ctx context.Context, q *db.Queries, ref ParseRef, calling bool,
) (db.TakeReaderRow, error) {
	params := db.TakeReaderParams{
		ImportID: ref.ImportID, ClaimID: ref.ClaimID, Reader: a.calls.leases.reader,
		LeaseSeconds: leaseTime.Seconds(), Calling: calling,
	}
	run := activityRun(ctx)
	taken, err := q.TakeReader(ctx, params)
	switch {
	case err == nil && valueOf(taken.RunID) == run.runID:
		return taken, nil
	case err != nil && !errors.Is(err, db.ErrNotFound):
		return taken, err
	}
	locked, err := lockImport(ctx, q, ref, run)
	switch {
	case err != nil:
		return taken, err
	case !locked.Import.Status.Open():
		return taken, errEnded
	}
	taken, err = q.TakeReader(ctx, params)
	if errors.Is(err, db.ErrNotFound) {
		return taken, errLeased()
	}
	return taken, err
}

// awaitFirstTurn waits for a slot where none was free, and records that the import no longer waits. The
// caller releases the slot.
func (a *Imports) awaitFirstTurn(ctx context.Context, r *chunkReader) error {
	if err := a.calls.slots.acquire(ctx, r.workspace); err != nil {
		return err
	}
	_, err := db.AsService(ctx, a.store, func(q *db.Queries) (db.TakeReaderRow, error) {
		return a.takeReader(ctx, q, r.ref, true)
	})
	if err != nil {
		a.calls.slots.release()
	}
	return dbError("begin to read", err)
}

// What an import waits for, as the database has it. A failure of the model that may pass is named by its
// code.
const (
	waitsForWorker = "worker"
	waitsForTurn   = "turn"
	waitsForBudget = "token_budget"
)

// pauseTimeout bounds the write at the end of an attempt, whose context may have ended.
const pauseTimeout = 5 * time.Second

// stopReading converts the error of an attempt for Temporal. If the attempt was the last to read the run and
// another one follows, it releases the lease and records the import's waiting reason.
func (a *Imports) stopReading(ctx context.Context, ref ParseRef, pausable bool, err error) error {
	reason, failures := waitsForTurn, int32(0)
	var failure *extract.Error
	switch {
	case err == nil:
	case errors.As(err, &failure) && isTransient(failure.Code):
		reason, failures = string(failure.Code), 1
	case isType(err, TypeHandedOver):
		reason = waitsForWorker
	case isType(err, TypeTokenBudget):
		reason = waitsForBudget
	case failure != nil:
		return modelError(failure, 0)
	case ctx.Err() != nil && !isCanceled(ctx): // the run is gone, Temporal is unreachable or the worker stopped
		a.suspectRun(ctx, ref)
		return errHandedOver()
	default:
		return err
	}
	inARow := int32(1)
	if pausable {
		detachedCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pauseTimeout)
		defer cancel()
		paused, pauseErr := db.AsService(detachedCtx, a.store, func(q *db.Queries) (int32, error) {
			return q.PauseReading(detachedCtx, db.PauseReadingParams{
				ClaimID: ref.ClaimID, Reader: a.calls.leases.reader, WaitingReason: reason, Failures: failures,
			})
		})
		if pauseErr != nil { // then the lease ends by itself
			a.log.WarnContext(ctx, "reading not paused", "import_id", ref.ImportID, "error", pauseErr)
		} else {
			inARow = paused
		}
	}
	if failure != nil {
		return modelError(failure, modelDelay(failure, int(inARow)))
	}
	return err
}

// suspectRun makes the reconciler compare the run at the next poll, since the run may have been terminated.
func (a *Imports) suspectRun(ctx context.Context, ref ParseRef) {
	detachedCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pauseTimeout)
	defer cancel()
	err := a.store.AsService(detachedCtx, func(q *db.Queries) error {
		return q.SuspectRun(detachedCtx, ref.ClaimID)
	})
	if err != nil { // the reconciler then compares it once its heartbeat is old
		a.log.WarnContext(ctx, "run not marked for the reconciler", "import_id", ref.ImportID, "error", err)
	}
}

// isCanceled reports whether the run was cancelled. The context of an activity also ends when Temporal cannot
// be reached or the worker stops.
func isCanceled(ctx context.Context) bool { return temporal.IsCanceledError(context.Cause(ctx)) }
