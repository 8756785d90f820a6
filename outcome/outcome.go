// Package outcome is the vocabulary of results: the statuses of an import, the codes of what went wrong, and
// what evidence says about a hypothesis. Extractors, activities, workflows, HTTP and metrics share it.
//
// The values are those of the enums in db/migrations and of the data API; db/outcome_test.go verifies that
// they agree.
package outcome

import "slices"

// A Status is the state of an import.
type Status string

// The statuses of an import. docs/architecture.md has their transitions.
const (
	StatusUploaded   Status = "uploaded"   // stored, never parsed
	StatusQueued     Status = "queued"     // claimed by a request; its run has not begun
	StatusParsing    Status = "parsing"    // its run has begun
	StatusParsed     Status = "parsed"     // done, with or without evidence
	StatusFailed     Status = "failed"     // the run failed; the error code says why
	StatusCanceled   Status = "canceled"   // a member cancelled the run
	StatusTerminated Status = "terminated" // an operator ended the run in Temporal
	StatusTimedOut   Status = "timed_out"  // the run exceeded PARSE_TIMEOUT
)

// Statuses lists every status, in the order of the enum.
var Statuses = []Status{
	StatusUploaded, StatusQueued, StatusParsing, StatusParsed,
	StatusFailed, StatusCanceled, StatusTerminated, StatusTimedOut,
}

// Restartable reports whether an import with this status can be parsed, however much of it was read. A parsed
// import can be parsed again only if something is missing. SQL has the same rule in private.is_restartable.
func (s Status) Restartable() bool {
	return s == StatusUploaded || s.Unsuccessful()
}

// Unsuccessful reports whether a run ended without the import becoming parsed.
func (s Status) Unsuccessful() bool {
	return slices.Contains([]Status{StatusFailed, StatusCanceled, StatusTerminated, StatusTimedOut}, s)
}

// Open reports whether an import with this status must have a run.
func (s Status) Open() bool { return s == StatusQueued || s == StatusParsing }

// Ended reports whether the parsing of an import with this status has ended, with or without success.
func (s Status) Ended() bool { return s == StatusParsed || s.Unsuccessful() }

// A Stance is what a piece of evidence says about a hypothesis.
type Stance string

// The stances.
const (
	StanceSupports    Stance = "supports"
	StanceContradicts Stance = "contradicts"
	StanceNeutral     Stance = "neutral"
)

// Stances lists every stance, in the order of the enum.
var Stances = []Stance{StanceSupports, StanceContradicts, StanceNeutral}

// A Strength is how strongly a piece of evidence supports or contradicts a hypothesis.
type Strength string

// The strengths.
const (
	StrengthWeak   Strength = "weak"
	StrengthMedium Strength = "medium"
	StrengthStrong Strength = "strong"
)

// Strengths lists every strength, in the order of the enum.
var Strengths = []Strength{StrengthWeak, StrengthMedium, StrengthStrong}

// A Result is the answer of one import to one hypothesis.
type Result string

// The results.
const (
	ResultPending      Result = "pending"       // not answered yet
	ResultSupports     Result = "supports"      // evidence supports it and none contradicts it
	ResultContradicts  Result = "contradicts"   // evidence contradicts it and none supports it
	ResultMixed        Result = "mixed"         // evidence supports it and evidence contradicts it
	ResultUndecided    Result = "undecided"     // all evidence is neutral
	ResultNothingFound Result = "nothing_found" // the transcript was read and has no evidence
)

// Results lists every result, in the order of the enum.
var Results = []Result{
	ResultPending, ResultSupports, ResultContradicts, ResultMixed, ResultUndecided, ResultNothingFound,
}
