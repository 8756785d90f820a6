package workflows

import (
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"

	"research/activities"
	"research/outcome"
)

// Task queues. They are separate so that many slow model calls delay neither the ends of other imports nor
// mails.
const (
	QueueControl = "research-control" // workflows, and activities that only use the database
	QueueParse   = "research-parse"   // model calls
	QueueMail    = "research-mail"    // digests; account mails use the control queue: a person waits for them
)

// Queues lists every task queue.
var Queues = []string{QueueControl, QueueParse, QueueMail}

// ParseWorkflowID returns the workflow id of an import. An import has one run at a time.
func ParseWorkflowID(importID uuid.UUID) string { return "import-" + importID.String() }

// AccountMailWorkflowID returns the workflow id of a request for an account mail. A request is mailed once.
func AccountMailWorkflowID(request uuid.UUID) string { return "account-mail-" + request.String() }

// DigestWorkflowID returns the workflow id of the digests that are sent on request. Concurrent requests share
// a run.
func DigestWorkflowID(frequency string) string { return "digest-" + frequency + "-now" }

// RetryDigestsWorkflowID returns the workflow id of RetryDigests. A frequency has one run at a time.
func RetryDigestsWorkflowID(frequency string) string { return "digest-retry-" + frequency }

// RetryDigestsSummary is the summary of a run of RetryDigests in Temporal's UI.
func RetryDigestsSummary(frequency string) string {
	return "Send again " + frequency + " digests that were temporarily rejected"
}

// Frequencies of digests, as the API and the database spell them.
const (
	Daily  = "daily"
	Weekly = "weekly"
)

// TickAttribute is Temporal's own search attribute of a run that a schedule started: the time of the tick,
// however late the run starts.
var TickAttribute = temporal.NewSearchAttributeKeyTime("TemporalScheduledStartTime")

// ParseTranscriptInput names the import and the request to parse it.
type ParseTranscriptInput struct {
	activities.ParseRef

	// Set by a run that continues as new.
	Next     int       // the first chunk that was not begun
	Deadline time.Time // of the whole parse
}

// ParseTranscriptResult says how a parse ended, for readers of Temporal's UI.
type ParseTranscriptResult struct {
	// Status is that of the import, or activities.TypeSuperseded if another request took over the import.
	Status   outcome.Status
	Evidence int
	Rejected int
	Coverage float64
}

// ReconcileImportsInput says where to continue. The zero value is the beginning.
type ReconcileImportsInput struct {
	From   activities.ReconcilePageInput
	Before ReconcileImportsResult // counts of earlier runs of the same tick
}

// ReconcileImportsResult counts the imports of one tick, for readers of Temporal's UI.
type ReconcileImportsResult struct {
	Open     int
	Repaired int
	Unknown  int
}

// SendAccountMailInput names a row of auth.one_time_tokens. The user, the address and the link never enter a
// history.
type SendAccountMailInput struct{ RequestID uuid.UUID }

// SendDigestsInput says which digests to send.
type SendDigestsInput struct {
	Frequency string
	// Everyone sends at once what is due for the last closed period, instead of what is due at each member's
	// hour.
	Everyone bool
	// At is the time that decides what is due. The zero value means the time of the tick, or else of the start.
	At time.Time

	// Set by a run that continues as new.
	RunID   string    // of the first run
	Phase   int       // phasePlan or phaseSend
	After   uuid.UUID // key of the next page of members
	Planned int
	Shards  []shardState `json:"Lanes"` // runs of an earlier version have this name in their histories
}

// A shardState is the progress of a shard.
type shardState struct {
	After uuid.UUID
	Done  bool
}

// SendDigestsResult counts the deliveries of a run.
type SendDigestsResult struct {
	Sent      int
	Skipped   int
	Failed    int
	Uncertain int
	Planned   int // by this run
}

// RetryDigestsInput says which digests to send again.
type RetryDigestsInput struct {
	Frequency string

	// Set by a run that continues as new.
	RunID  string       // of the first run
	Shards []shardState `json:"Lanes"`
}
