package openai

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"
	"time"

	"research/activities/extract"
	"research/outcome"
)

// Recoveries bound the extra calls that a transcript takes when its responses cannot be read: a second
// question about a chunk, and questions about its halves. If these help, they are worth their price. If they
// fail like the first question, further ones would only multiply the cost.
//
// An extra call is taken from an allowance, half as many as the transcript has chunks and at least two. One
// that succeeds gives back more than it took. A call waits while another one tries the same remedy. Once a
// part has been read, the last call is for parts that are about as small: larger ones could use up what these
// need.
type recoveries struct {
	seed maphash.Seed
	mu   sync.Mutex
	all  map[uint64]*recovery // by the hash of the transcript and the hypotheses
}

func newRecoveries() *recoveries {
	return &recoveries{seed: maphash.MakeSeed(), all: map[uint64]*recovery{}}
}

const (
	// recoveryMemory is how long failures are remembered after the last. A later run asks again.
	recoveryMemory = 2 * time.Minute
	minExtraCalls  = 2
	// refund is the allowance that a successful extra call returns.
	refund = 2
)

// of returns the recovery of a request's transcript. chunks counts its chunks.
func (r *recoveries) of(request extract.Request, chunks func() int, now time.Time) *recovery {
	var hash maphash.Hash
	hash.SetSeed(r.seed)
	_, _ = hash.WriteString(request.Transcript.Text) // never fails
	for _, h := range request.Hypotheses {
		_, _ = hash.WriteString("\x00" + h.ID + "\x00" + h.Statement)
	}
	key := hash.Sum64()
	r.mu.Lock()
	defer r.mu.Unlock()
	found := r.all[key]
	if found == nil {
		for other, old := range r.all {
			if now.Sub(old.used) > recoveryMemory {
				delete(r.all, other)
			}
		}
		found = &recovery{left: max(minExtraCalls, chunks()/2), changed: make(chan struct{})}
		r.all[key] = found
	}
	found.used = now
	return found
}

// A recovery records the failures in one transcript.
type recovery struct {
	used time.Time // guarded by recoveries.mu

	mu       sync.Mutex
	left     int           // extra calls
	underWay int           // extra calls
	changed  chan struct{} // closed and replaced when an extra call ends
	helped   int           // the size in bytes of the largest part that an extra call read; 0 if there is none
	inVain   bool          // a second question was answered no better than the first
	failed   []failedChunk
}

// A failedChunk is a chunk whose response could not be read.
type failedChunk struct {
	chunk extract.Chunk
	code  outcome.Code
}

// largestProbe is the part of a chunk that failed with which smaller chunks are tried. Until one has helped,
// the halves are skipped: their parts tell more.
const largestProbe = 0.4

// parent returns the code with which a larger chunk around a chunk failed, or "" if none did. isLarge means
// that a part of the chunk must be tried first.
func (r *recovery) parent(c extract.Chunk) (code outcome.Code, isLarge bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	size := c.Size()
	for _, f := range r.failed {
		around := f.chunk.Size()
		if f.chunk.ByteStart <= c.ByteStart && c.ByteEnd <= f.chunk.ByteEnd && size < around {
			code = f.code
			isLarge = isLarge || r.helped == 0 && float64(size) > largestProbe*float64(around)
		}
	}
	return code, isLarge
}

// aboutAsSmall is how many times larger than what was read a part may be that uses the last extra call. Parts
// of the same cut differ by a turn.
const aboutAsSmall = 1.25

// reserveLocked returns how many extra calls must be left after one about a chunk.
func (r *recovery) reserveLocked(c extract.Chunk) int {
	if r.helped > 0 && float64(c.Size()) > aboutAsSmall*float64(r.helped) {
		return 1
	}
	return 0
}

// take takes an extra call about a chunk from the allowance. If there is none for it, it waits for those
// under way. It returns false if there will be none, or the context has ended.
func (r *recovery) take(ctx context.Context, c extract.Chunk, isSecond bool) bool {
	for {
		r.mu.Lock()
		changed := r.changed
		isLeft := r.left > r.reserveLocked(c)
		switch {
		case isSecond && r.inVain, !isLeft && r.underWay == 0:
			r.mu.Unlock()
			return false
		case isLeft && (r.underWay == 0 || r.helped > 0): // until one has helped, one after the other
			r.left--
			r.underWay++
			r.mu.Unlock()
			return true
		}
		r.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// end records the outcome of an extra call about a chunk: nil if it helped, a response that could not be
// read, or another error, which says nothing about the remedy.
func (r *recovery) end(c extract.Chunk, isSecond bool, err error) {
	var failed *extract.Error
	r.mu.Lock()
	defer r.mu.Unlock()
	r.underWay--
	switch {
	case err == nil:
		r.left += refund
		r.helped = max(r.helped, c.Size())
		r.inVain = r.inVain && !isSecond
	case errors.As(err, &failed) && isUnread(failed.Code):
		r.inVain = r.inVain || isSecond
	default:
		r.left++
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

// fail remembers a chunk whose response could not be read.
func (r *recovery) fail(c extract.Chunk, code outcome.Code) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = append(r.failed, failedChunk{c, code})
}

// exhausted reports whether a part of a chunk that failed would not be read.
func (r *recovery) exhausted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left == 0 && r.underWay == 0
}
