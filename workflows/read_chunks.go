package workflows

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"go.temporal.io/sdk/workflow"
)

// A chunkReader reads the chunks of a plan.
type chunkReader struct {
	chunks      []int // ordinals of the chunks that are not read yet
	total       int   // chunks of the plan
	concurrency int
	// read reads a chunk, and reports whether it is done: one that is too long takes several calls.
	read func(ctx workflow.Context, chunk int) (done bool, err error)
	// watch may end the reading early by fail; nil means nothing.
	watch func(ctx workflow.Context)

	next int   // index of the next chunk to read
	open []int // chunks that are being read, or wait for it
	err  error // why the reading ends early
}

// left returns how many chunks of the plan were not begun.
func (r *chunkReader) left() int { return len(r.chunks) - r.next }

// run reads the chunks, several at a time: when one ends, the next begins. It stops early, without an error,
// when the history has become long.
//
// When it stops because of an error, calls in progress are cancelled. They get stopTimeout to store what was
// paid for; an activity that is paused, or whose worker is gone, does not hold up the end.
func (r *chunkReader) run(ctx workflow.Context) error {
	readCtx, stop := workflow.WithCancel(ctx)
	defer stop()
	if r.watch != nil {
		workflow.Go(readCtx, r.watch)
	}
	readers := min(r.concurrency, len(r.chunks))
	for range readers {
		workflow.Go(readCtx, func(ctx workflow.Context) {
			defer func() { readers-- }()
			for r.err == nil && r.left() > 0 && !workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
				chunk := r.chunks[r.next]
				r.next++
				r.fail(r.readChunk(ctx, chunk))
			}
		})
	}
	err := workflow.Await(ctx, func() bool { return r.err != nil || readers == 0 })
	if err == nil && r.err == nil {
		return nil
	}
	stop()
	detachedCtx, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	_, stopErr := workflow.AwaitWithTimeout(detachedCtx, stopTimeout, func() bool { return readers == 0 })
	return errors.Join(stopErr, err, r.err)
}

// fail records the first error.
func (r *chunkReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// readChunk reads a chunk. One that is too long takes an activity for each of its parts.
func (r *chunkReader) readChunk(ctx workflow.Context, chunk int) error {
	r.open = append(r.open, chunk)
	r.describe(ctx)
	defer func() {
		r.open = slices.DeleteFunc(r.open, func(open int) bool { return open == chunk })
		r.describe(ctx)
	}()
	for {
		if done, err := r.read(ctx, chunk); err != nil || done {
			return err
		}
	}
}

// describe shows the progress in Temporal's UI.
func (r *chunkReader) describe(ctx workflow.Context) {
	details := fmt.Sprintf("%d of %d chunks read.", r.total-r.left()-len(r.open), r.total)
	for i, chunk := range r.open {
		if i == 0 {
			details += " Open: "
		} else {
			details += ", "
		}
		details += strconv.Itoa(chunk + 1)
	}
	workflow.SetCurrentDetails(ctx, details)
}
