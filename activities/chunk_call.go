package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

// ask calls the extractor and stores what was paid for: a response, a failure that would only repeat, or the
// tokens of a call that will be retried. It makes no call about a part that would fail like others.
func (r *chunkReading) ask(ctx context.Context, key responseKey, q partRequest) (storedResponse, error) {
	if stopping(ctx) {
		return storedResponse{}, errHandedOver()
	}
	switch decision, exhausted, err := r.decide(ctx, q.part); {
	case err != nil:
		return storedResponse{}, err
	case decision == extract.Skip:
		skipped := storedResponse{Failed: q.part.Failed, Skipped: true, Final: exhausted}
		return skipped, r.store(ctx, key, q, skipped)
	}
	if err := r.reserveTokens(ctx, q.Request); err != nil {
		return storedResponse{}, err
	}
	r.does("asking the model")
	// The call of an earlier attempt may still be open in this process, for example of a run that was reset.
	call := fmt.Sprintf("%s %x %t", r.ref.ClaimID, key, q.Again)
	response, err, _ := r.imports.calls.Do(call, func() (any, error) { return r.call(ctx, key, q) })
	return response.(storedResponse), err
}

// call calls the extractor, and stores what it responds.
func (r *chunkReading) call(ctx context.Context, key responseKey, q partRequest) (storedResponse, error) {
	admitted, refusal := r.imports.breaker.admit()
	if refusal != nil {
		return storedResponse{}, refusal
	}
	callCtx, cancel := detached(ctx, func() bool { return isCanceled(ctx) || stopping(ctx) })
	defer cancel()
	response, err := r.imports.extractor.Extract(callCtx, q.Request)
	took := time.Since(admitted.begun)
	err = r.imports.breaker.record(admitted, err)
	exhausted, endErr := r.endRequest(callCtx, q.part, failureOf(err))
	if err == nil && response.Usage == (extract.Usage{}) { // the server counts nothing, and limits must hold
		response.Usage.InputTokens = r.imports.extractor.Estimate(q.Request)
	}
	stored := storedResponse{Response: response, took: took}
	var failure *extract.Error
	switch {
	case errors.As(err, &failure):
		var final bool
		failure, final = r.imports.breaker.lasting(failure, int(activity.GetInfo(ctx).Attempt))
		stored = storedResponse{
			Failed: failure.Code, Final: final || exhausted, took: took,
			Response: extract.Response{Usage: failure.Usage},
		}
	case err != nil:
		return storedResponse{}, err
	}
	r.does("storing the response")
	if stored.isPaid() {
		if err := r.store(ctx, key, q, stored); err != nil {
			return storedResponse{}, err
		}
	}
	if failure != nil && !stored.repeats() {
		return storedResponse{}, failure
	}
	return stored, endErr
}

// detached returns a context with the values of another one. It outlives it unless ends reports true when
// that ends: a call to the model, and the storing of its response, go on if Temporal cannot be reached or if
// the activity is paused.
func detached(ctx context.Context, ends func() bool) (context.Context, context.CancelFunc) {
	detachedCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if ends() {
			cancel()
		}
	})
	return detachedCtx, func() {
		stop()
		cancel()
	}
}

// reserveTokens reserves the minimum that a call will use, of the import and of the day, before it is made.
// Concurrent calls of any worker can then exceed the limit only by the length of their responses.
func (r *chunkReading) reserveTokens(ctx context.Context, request extract.Request) error {
	limit := r.imports.cfg.MaxTokens
	wanted := r.imports.extractor.Estimate(request)
	if limit == 0 && wanted == 0 {
		return nil
	}
	err := r.imports.store.AsService(ctx, func(q *db.Queries) error {
		if _, err := q.LockImport(ctx, db.LockImportParams(r.ref)); err != nil {
			return err
		}
		budget, err := q.ReserveTokenBudget(ctx, db.ReserveTokenBudgetParams{
			ClaimID: r.ref.ClaimID, Ordinal: r.ordinal, Wanted: wanted,
		})
		switch {
		case err != nil:
			return err
		case !budget:
			return errTokenBudget()
		case limit == 0:
			return nil
		}
		reserved, err := q.ReserveTokens(ctx, db.ReserveTokensParams{
			ImportID: r.ref.ImportID, ClaimID: r.ref.ClaimID, Ordinal: r.ordinal, Wanted: wanted, MaxTokens: limit,
		})
		if err == nil && reserved == 0 {
			return errTokenLimit()
		}
		return err
	})
	return failed(ctx, r.imports.log, "reserve tokens", err, "import_id", r.ref.ImportID)
}

// recoveryWait is how often a chunk asks whether the extra call about another one has ended.
const recoveryWait = 500 * time.Millisecond

// decide decides about the part that is next, and waits while an extra call is made about another chunk. It
// reports whether no extra call will be made any more.
func (r *chunkReading) decide(
	ctx context.Context, p extract.Part,
) (decision extract.Decision, exhausted bool, err error) {
	if p.Failed == "" {
		return extract.Ask, false, nil
	}
	for {
		err := r.recover(ctx, func(recovery *extract.Recovery) {
			decision = recovery.Decide(r.text.Transcript, int(r.ordinal), p)
			exhausted = recovery.Exhausted()
		})
		if err != nil || decision != extract.Wait {
			return decision, exhausted, err
		}
		r.does("waiting for another chunk to be read in parts")
		select {
		case <-ctx.Done():
			return decision, exhausted, ctx.Err()
		case <-time.After(recoveryWait):
		}
	}
}

// endRequest records the end of a request about a part in the recovery of the run. It reports whether neither
// a second request nor smaller parts would be read.
func (r *chunkReading) endRequest(
	ctx context.Context, p extract.Part, failed outcome.Code,
) (exhausted bool, err error) {
	if p.Failed == "" && !extract.IsUnreadable(failed) {
		return false, nil
	}
	err = r.recover(ctx, func(recovery *extract.Recovery) {
		recovery.End(int(r.ordinal), p, failed)
		exhausted = recovery.Exhausted()
	})
	return exhausted, err
}

// recover changes the recovery of the run.
func (r *chunkReading) recover(ctx context.Context, change func(*extract.Recovery)) error {
	err := r.imports.store.AsService(ctx, func(q *db.Queries) error {
		raw, err := q.LockRecovery(ctx, r.ref.ClaimID)
		if err != nil {
			return err
		}
		var recovery extract.Recovery
		if err := json.Unmarshal(raw, &recovery); err != nil {
			return fmt.Errorf("decode the recovery of a run: %w", err)
		}
		change(&recovery)
		if raw, err = encodeRecovery(recovery); err != nil {
			return err
		}
		return q.SetRecovery(ctx, db.SetRecoveryParams{ClaimID: r.ref.ClaimID, Recovery: raw})
	})
	return failed(ctx, r.imports.log, "follow the extra calls of a run", err, "import_id", r.ref.ImportID)
}

func encodeRecovery(recovery extract.Recovery) (json.RawMessage, error) {
	raw, err := json.Marshal(recovery)
	if err != nil {
		return nil, fmt.Errorf("encode the recovery of a run: %w", err)
	}
	return raw, nil
}

// failureOf returns the code of a call's failure: "" if it was answered, and otherwise the code, or that of
// an unavailable model for the end of a context.
func failureOf(err error) outcome.Code {
	var failure *extract.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &failure):
		return failure.Code
	}
	return outcome.CodeModelUnavailable
}

// saveTimeout bounds one attempt to store a response.
const saveTimeout = 10 * time.Second

func (r *chunkReading) store(
	ctx context.Context, key responseKey, q partRequest, stored storedResponse,
) error {
	params, err := r.storeParams(ctx, key, q, stored)
	if err != nil {
		return err
	}
	return r.imports.keepResponse(ctx, r.ref, func(ctx context.Context, q *db.Queries) (bool, error) {
		return q.StoreResponse(ctx, params)
	})
}

// keepResponse stores a response, however long the database is unavailable: it would have to be paid for
// again. It gives up when the worker has stopped waiting. store reports false for a response that was stored
// before.
func (a *Imports) keepResponse(
	ctx context.Context, ref ParseRef, store func(context.Context, *db.Queries) (bool, error),
) error {
	storeCtx, cancel := detached(ctx, func() bool { return stopping(ctx) })
	defer cancel()
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		limited, stop := context.WithTimeout(storeCtx, saveTimeout)
		isNew, err := db.AsService(limited, a.store, func(q *db.Queries) (bool, error) { return store(limited, q) })
		stop()
		switch {
		case err == nil && !isNew:
			a.callRepeated(ctx)
			fallthrough
		case err == nil:
			return nil
		case !errors.Is(err, db.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded):
			return failed(ctx, a.log, "store a response", err, "import_id", ref.ImportID)
		}
		select {
		case <-storeCtx.Done():
			a.log.ErrorContext(ctx, "a response of the model is lost: the database is unavailable",
				"import_id", ref.ImportID)
			return errHandedOver()
		case <-time.After(wait):
		}
	}
}

func (r *chunkReading) storeParams(
	ctx context.Context, key responseKey, q partRequest, stored storedResponse,
) (db.StoreResponseParams, error) {
	switch {
	case stored.Failed == "":
	case stored.repeats():
		key = failureKey(key, r.ref.ClaimID, q.Again)
	default:
		key = attemptKey(ctx, key)
	}
	raw, err := encodeResponse(stored)
	return db.StoreResponseParams{
		ImportID: r.ref.ImportID, ClaimID: r.ref.ClaimID, Ordinal: r.ordinal, Key: key[:], Response: raw,
		InputTokens: stored.Usage.InputTokens, OutputTokens: stored.Usage.OutputTokens,
		CallSeconds: stored.took.Seconds(), Called: !stored.Skipped,
	}, err
}
