package extract

import (
	"slices"

	"research/outcome"
	"research/transcript"
)

// A Part is a part of a chunk that is to be read.
type Part struct {
	Chunk
	// Failed is why the response about the smallest part around it that was asked about could not be read. It is
	// empty for a whole chunk.
	Failed outcome.Code
	Around int  // the size of that part in bytes
	Again  bool // that part is this one: it is asked about a second time
}

// A PartFailure says why a part was not read.
type PartFailure struct {
	Code    outcome.Code
	Skipped bool // no request was made, because it would fail like an earlier one
	Final   bool // neither a second request nor smaller parts will be read
}

// After returns what is to be read instead of a part that failed: the same part again, or its halves. It
// returns nothing for a part that stays unread.
func (p Part) After(t *transcript.Transcript, f PartFailure) []Part {
	if !IsUnreadable(f.Code) || f.Final {
		return nil
	}
	around := p.Size()
	switch {
	case f.Skipped:
		around = p.Around
	case f.Code == outcome.CodeModelBadAnswer && !p.Again:
		return []Part{{Chunk: p.Chunk, Failed: f.Code, Around: around, Again: true}}
	}
	left, right, ok := Split(t, p.Chunk)
	if !ok {
		return nil
	}
	return []Part{
		{Chunk: left, Failed: f.Code, Around: around}, {Chunk: right, Failed: f.Code, Around: around},
	}
}

// IsUnreadable reports whether a response could not be read, so that a smaller part may help.
func IsUnreadable(code outcome.Code) bool {
	return code == outcome.CodeModelBadAnswer || code == outcome.CodeModelTooLong
}

// A Recovery bounds the extra calls that a run makes when responses cannot be read: second requests about a
// chunk, and requests about its parts. If these help, they are worth their price. If they fail like the
// first, further ones would only multiply the cost.
//
// An extra call is taken from an allowance, half as many as the run has chunks and at least two. One that
// succeeds gives back more than it took. Until one has helped, they are made one after the other. Once a part
// has been read, the last call is for parts that are about as small: larger ones could use up what these
// need.
//
// The state belongs to the run. It is stored as JSON, so that the names of its fields must not change.
type Recovery struct {
	Left     int   `json:"left"`      // extra calls
	UnderWay []int `json:"under_way"` // chunks about which an extra call is made
	Helped   int   `json:"helped"`    // size in bytes of the largest part that an extra call read, or 0
	InVain   bool  `json:"in_vain"`   // a second request was answered no better than the first
}

const (
	minExtraCalls = 2
	// refund is the allowance that a successful extra call returns.
	refund = 2
	// largestProbe is how large a part is, of the one that failed, with which smaller parts are tried. Until one
	// has helped, halves are skipped: their halves tell more.
	largestProbe = 0.4
	// aboutAsSmall is how many times larger than what was read a part may be that uses the last extra call.
	// Parts of the same cut differ by a turn.
	aboutAsSmall = 1.25
)

// NewRecovery returns the recovery of a run with a number of chunks.
func NewRecovery(chunks int) Recovery {
	return Recovery{Left: max(minExtraCalls, chunks/2), UnderWay: []int{}}
}

// A Decision is what to do about a part.
type Decision int

// The decisions.
const (
	Ask  Decision = iota // make the request; Recovery.End must follow if the part failed before
	Skip                 // make no request
	Wait                 // decide again when an extra call about another chunk has ended
)

// Decide decides about a part of a chunk. A chunk whose call was begun but not ended, because its worker
// stopped, makes it again.
func (r *Recovery) Decide(t *transcript.Transcript, chunk int, p Part) Decision {
	switch {
	case p.Failed == "", slices.Contains(r.UnderWay, chunk):
		return Ask
	case !p.Again && r.isTooLarge(p) && !r.Exhausted():
		if _, _, canSplit := Split(t, p.Chunk); canSplit {
			return Skip
		}
	}
	isLeft := r.Left > r.reserve(p)
	switch {
	case p.Again && r.InVain, !isLeft && len(r.UnderWay) == 0:
		return Skip
	case isLeft && (len(r.UnderWay) == 0 || r.Helped > 0):
		r.Left--
		r.UnderWay = append(r.UnderWay, chunk)
		return Ask
	}
	return Wait
}

// isTooLarge reports whether a part of this one must be tried first.
func (r *Recovery) isTooLarge(p Part) bool {
	return r.Helped == 0 && float64(p.Size()) > largestProbe*float64(p.Around)
}

// reserve returns how many extra calls must be left after one about a part.
func (r *Recovery) reserve(p Part) int {
	if r.Helped > 0 && float64(p.Size()) > aboutAsSmall*float64(r.Helped) {
		return 1
	}
	return 0
}

// End records how a request about a part of a chunk ended: with a response, or with a code. Other failures
// than responses that could not be read say nothing about the remedy.
func (r *Recovery) End(chunk int, p Part, failed outcome.Code) {
	i := slices.Index(r.UnderWay, chunk)
	if i < 0 {
		return
	}
	r.UnderWay = slices.Delete(r.UnderWay, i, i+1)
	switch {
	case failed == "":
		r.Left += refund
		r.Helped = max(r.Helped, p.Size())
		r.InVain = r.InVain && !p.Again
	case IsUnreadable(failed):
		r.InVain = r.InVain || p.Again
	default:
		r.Left++
	}
}

// Release lets other chunks go on after a chunk has ended, should the end of its last request be lost.
func (r *Recovery) Release(chunk int) {
	r.UnderWay = slices.DeleteFunc(r.UnderWay, func(c int) bool { return c == chunk })
}

// Exhausted reports whether no extra call will be made.
func (r *Recovery) Exhausted() bool { return r.Left == 0 && len(r.UnderWay) == 0 }
