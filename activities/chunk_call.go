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
	switch decision, exhausted, err := r.of.decide(ctx, r, q.part); {
	case err != nil:
		return storedResponse{}, err
	case decision == extract.Skip:
		skipped := storedResponse{Failed: q.part.Failed, Skipped: true, Final: exhausted}
		return skipped, r.store(ctx, key, q, skipped)
	}
	if err := r.of.reserveTokens(ctx, r.of.estimate(q.Request)); err != nil {
		return storedResponse{}, err
	}
	r.does("asking the model")
	// The call of an earlier attempt may still be open in this process, for example of a run that was reset.
	call := fmt.Sprintf("%s %x %t", r.claim, key, q.Again)
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
	response, err := r.of.ask(callCtx, q.Request)
	took := time.Since(admitted.begun)
	err = r.imports.breaker.record(admitted, err)
	exhausted, endErr := r.of.endRequest(callCtx, q.part, failureOf(err))
	if err == nil && response.Usage == (extract.Usage{}) { // the server counts nothing, and limits must hold
		response.Usage.InputTokens = r.of.estimate(q.Request)
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

// A keyedResponse is a response as it is stored, with what it cost.
type keyedResponse struct {
	key    responseKey
	raw    json.RawMessage
	usage  extract.Usage
	took   time.Duration
	called bool // false if no call was made, because it would fail like an earlier one
}

func (r *chunkReading) store(
	ctx context.Context, key responseKey, q partRequest, stored storedResponse,
) error {
	switch {
	case stored.Failed == "":
	case stored.repeats():
		key = failureKey(key, r.claim, q.Again)
	default:
		key = attemptKey(ctx, key)
	}
	raw, err := encodeResponse(stored)
	if err != nil {
		return err
	}
	response := keyedResponse{key, raw, stored.Usage, stored.took, !stored.Skipped}
	write := func(ctx context.Context, q *db.Queries) (bool, error) { return r.of.store(ctx, q, response) }
	return r.imports.keepResponse(ctx, r.of.attributes(), write)
}

// keepResponse stores a response, however long the database is unavailable: it would have to be paid for
// again. It gives up when the worker has stopped waiting. store reports false for a response that was stored
// before.
func (a *Imports) keepResponse(
	ctx context.Context, attributes []any, store func(context.Context, *db.Queries) (bool, error),
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
			return failed(ctx, a.log, "store a response", err, attributes...)
		}
		select {
		case <-storeCtx.Done():
			a.log.ErrorContext(ctx, "a response of the model is lost: the database is unavailable", attributes...)
			return errHandedOver()
		case <-time.After(wait):
		}
	}
}
