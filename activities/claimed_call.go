package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"

	"research/activities/extract"
	"research/db"
)

// A claimedCall is a call to the model beside those about chunks: on behalf of a claim, within its limits.
type claimedCall struct {
	expected extract.Usage
	// reserve reserves tokens of the claim and of the day.
	reserve func(ctx context.Context, wanted int64) error
	// isClaimed returns db.ErrNotFound if the claim has ended.
	isClaimed func(ctx context.Context, q *db.Queries) error
	// count counts the tokens of a failed call, of which there is no response to keep.
	count func(ctx context.Context, failure *extract.Error) error
	call  func(context.Context) (extract.Usage, error)
}

// callModel makes a call. It reserves its tokens and follows the breaker, and counts what a failed call took,
// so that its usage is not to be counted by the caller. It is given up when the run is cancelled, the worker
// stops, or the claim ends.
func (a *Imports) callModel(ctx context.Context, c claimedCall) (extract.Usage, error) {
	if stopping(ctx) {
		return extract.Usage{}, errHandedOver()
	}
	if err := c.reserve(ctx, c.expected.InputTokens+c.expected.OutputTokens); err != nil {
		return extract.Usage{}, err
	}
	admitted, refusal := a.breaker.admit()
	if refusal != nil {
		return extract.Usage{}, refusal
	}
	callCtx, cancel := detached(ctx, func() bool { return isCanceled(ctx) || stopping(ctx) })
	defer cancel()
	callCtx, stop := a.whileClaimed(callCtx, c.isClaimed)
	defer stop()
	usage, err := c.call(callCtx)
	if isSuperseded(context.Cause(callCtx)) {
		err = context.Cause(callCtx)
	}
	err = a.breaker.record(admitted, err)
	var failure *extract.Error
	switch {
	case errors.As(err, &failure):
		failure, _ = a.breaker.lasting(failure, int(activity.GetInfo(ctx).Attempt))
		return extract.Usage{}, errors.Join(failure, c.count(ctx, failure))
	case err != nil:
		return usage, err
	case usage == extract.Usage{}: // the server counts nothing, and limits must hold
		usage = c.expected
	}
	return usage, nil
}

// claimInterval is how often a call to the model asks whether its response is still wanted.
const claimInterval = time.Second

// whileClaimed returns a context that ends when a claim does, which is then its cause. isClaimed returns
// db.ErrNotFound for a claim that has ended.
func (a *Imports) whileClaimed(
	ctx context.Context, isClaimed func(context.Context, *db.Queries) error,
) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		ticker := time.NewTicker(claimInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			err := a.store.AsService(ctx, func(q *db.Queries) error { return isClaimed(ctx, q) })
			if errors.Is(err, db.ErrNotFound) {
				cancel(errSuperseded())
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}
