package activities

import (
	"errors"
	"sync"
	"time"

	"research/activities/extract"
	"research/outcome"
)

// A modelBreaker keeps the activities of a process from calling a model that has just failed. While it is
// open, they fail at once and are retried later, and only one call at a time tries whether the model works
// again. It is safe for concurrent use.
type modelBreaker struct {
	mu        sync.Mutex
	last      *extract.Error // nil while the model works
	failures  int            // in a row
	completed bool           // it has answered with a completion once
	odd       int            // calls in a row that the server answered with success, but not with a completion
	failedAt  time.Time
	openUntil time.Time
	probing   bool
}

// A modelCall is a call that a breaker has admitted.
type modelCall struct {
	begun time.Time
	probe bool // it tries whether the model works again
}

// admit returns a call that may begin, whose result must be recorded. Otherwise it returns the failure of an
// earlier call, with the time after which another one may begin.
func (b *modelBreaker) admit() (modelCall, *extract.Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	left := time.Until(b.openUntil)
	switch {
	case b.last == nil:
		return modelCall{begun: time.Now()}, nil
	case left <= 0 && !b.probing:
		b.probing = true
		return modelCall{begun: time.Now(), probe: true}, nil
	}
	return modelCall{}, &extract.Error{Code: b.last.Code, RetryAfter: jittered(max(left, firstModelDelay))}
}

// maxOddAnswers is how many calls are made to a server that answers all of them with success, but not with a
// completion. It is none of a model, or not one that we understand.
const maxOddAnswers = 5

// record records the error of a call, or nil, and returns it. The answer to a call that began before the last
// failure does not close the breaker, unless that failure came while the call tried the model: then it is
// that of an older call. A success without a completion may pass as an outage does; if it repeats, the
// address is wrong.
func (b *modelBreaker) record(call modelCall, err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	failure := transientFailure(err)
	isOld := !call.probe && call.begun.Before(b.failedAt)
	if call.probe {
		b.probing = false
	}
	b.completed = b.completed || err == nil
	switch {
	case failure == nil && (isOld || isCut(err)):
		return err
	case failure == nil:
		b.last, b.failures, b.odd = nil, 0, 0
		return err
	case !isOld: // calls that were in progress together count once
		b.failures++
	}
	b.last, b.failedAt = failure, time.Now()
	b.openUntil = b.failedAt.Add(modelDelay(failure, b.failures))
	if !failure.NoCompletion {
		b.odd = 0
		return err
	}
	if b.odd++; b.odd >= maxOddAnswers && b.failures > 1 {
		return &extract.Error{
			Code: outcome.CodeModelWrongServer, Status: failure.Status, Usage: failure.Usage,
		}
	}
	return err
}

// isCut reports whether a call was given up, which says nothing about the model.
func isCut(err error) bool {
	var failure *extract.Error
	return err != nil && !errors.As(err, &failure)
}

// lasting returns what a failure of an attempt is, and whether neither a second request nor smaller parts
// will be read. If only one chunk has answers that are no completions, as a proxy may write for what it
// blocks, the chunk is not tried for ever: it is an unread range. If there never was a completion, the
// address is wrong: an import of one chunk makes fewer calls than maxOddAnswers, since the breaker refuses
// some of its attempts.
func (b *modelBreaker) lasting(failure *extract.Error, attempt int) (_ *extract.Error, final bool) {
	if !failure.NoCompletion || attempt < maxOddAnswers {
		return failure, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	code := outcome.CodeModelBadAnswer
	if !b.completed {
		code = outcome.CodeModelWrongServer
	}
	return &extract.Error{Code: code, Status: failure.Status, Usage: failure.Usage}, true
}
