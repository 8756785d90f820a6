package workflows

import (
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"

	"research/activities"
	"research/outcome"
)

// Task queues. They are separate so that slow model calls delay neither the completion of other imports nor
// mails.
const (
	QueueControl = "research-control" // workflows, and activities that only use the database
	QueueParse   = "research-parse"   // model calls
	QueueMail    = "research-mail"    // digests; account mails use the control queue, since people wait for them
	QueueWebhook = "research-webhook" // requests to receivers, which may hang
)

// Queues lists every task queue.
var Queues = []string{QueueControl, QueueParse, QueueMail, QueueWebhook}

// ParseWorkflowID returns the workflow id of an import. An import has one run at a time.
func ParseWorkflowID(importID uuid.UUID) string { return "import-" + importID.String() }

// AnswerWorkflowID returns the workflow id of an answer. An answer has one run at a time.
func AnswerWorkflowID(answerID uuid.UUID) string { return "answer-" + answerID.String() }

// ThemesWorkflowID returns the workflow id of the proposals of themes for a project. A project has one run at
// a time.
func ThemesWorkflowID(projectID uuid.UUID) string { return "themes-" + projectID.String() }

// AccountMailWorkflowID returns the workflow id of a request for an account mail. A request is mailed once.
func AccountMailWorkflowID(request uuid.UUID) string { return "account-mail-" + request.String() }

// AccountNoticeWorkflowID returns the workflow id of a notice. A notice is mailed once.
func AccountNoticeWorkflowID(notice uuid.UUID) string { return "account-notice-" + notice.String() }

// DeleteDataWorkflowID is the id of the one workflow that removes deleted data.
const DeleteDataWorkflowID = "delete-data"

// DeleteDataSummary is the summary of a run of DeleteData in Temporal's UI.
const DeleteDataSummary = "Remove what is marked deleted"

// DigestWorkflowID returns the workflow id of the digests that are sent on request. Concurrent requests share
// a run.
func DigestWorkflowID(frequency string) string { return "digest-" + frequency + "-now" }

// DeliverDigestsWorkflowID is the workflow id of DeliverDigests, which has one run at a time.
const DeliverDigestsWorkflowID = "digest-delivery"

// DeliverDigestsSummary is the summary of a run of DeliverDigests in Temporal's UI.
const DeliverDigestsSummary = "Send the digests that are planned"

// PlannedSignal tells DeliverDigests that deliveries were planned. It has no payload.
const PlannedSignal = "planned"

// PreviewInterval limits previews by mail: one for each user in an interval.
const PreviewInterval = 5 * time.Minute

// PreviewWorkflowID returns the workflow id of a preview. A user has one for each interval.
func PreviewWorkflowID(user uuid.UUID, at time.Time) string {
	return "digest-preview-" + user.String() + "-" + at.UTC().Truncate(PreviewInterval).Format("20060102T1504")
}

// DeliverWebhooksWorkflowID returns the workflow id of an endpoint's deliveries. It has one run at a time.
func DeliverWebhooksWorkflowID(endpoint uuid.UUID) string { return "webhooks-" + endpoint.String() }

// DeliverWebhooksSummary is the summary of a run of DeliverWebhooks in Temporal's UI.
const DeliverWebhooksSummary = "Send the webhooks that are due"

// Frequencies of digests, as the API and the database spell them.
const (
	Daily  = "daily"
	Weekly = "weekly"
)

// TickAttribute is Temporal's own search attribute of a run that a schedule started: the time of the tick,
// however late the run starts.
var TickAttribute = temporal.NewSearchAttributeKeyTime("TemporalScheduledStartTime")

// Search attributes by which operators find runs of ParseTranscript, AnswerQuestion and ProposeThemes.
// Temporal never encrypts them, so they hold ids, codes and counts only.
var (
	WorkspaceAttribute = temporal.NewSearchAttributeKeyKeyword("WorkspaceId")
	ProjectAttribute   = temporal.NewSearchAttributeKeyKeyword("ProjectId")
	ImportAttribute    = temporal.NewSearchAttributeKeyKeyword("ImportId")
	// ErrorCodeAttribute is the error code of the import. It is empty while the run is open, or if it succeeded.
	ErrorCodeAttribute = temporal.NewSearchAttributeKeyKeyword("ErrorCode")
	// UnreadRangesAttribute is the number of ranges of the transcript that could not be read. It is 0 while the
	// run is open.
	UnreadRangesAttribute = temporal.NewSearchAttributeKeyInt64("UnreadRanges")
)

// SearchAttributes lists every search attribute.
var SearchAttributes = []temporal.SearchAttributeKey{
	WorkspaceAttribute, ProjectAttribute, ImportAttribute, ErrorCodeAttribute, UnreadRangesAttribute,
}

// ParseTranscriptInput names the import and the request to parse it.
type ParseTranscriptInput struct {
	activities.ParseRef
	// CheckSpeakers means that a model is asked about speakers in doubt before the chunks are planned.
	CheckSpeakers bool `json:",omitempty"`
}

// ParseTranscriptResult describes how a parse ended, for readers of Temporal's UI.
type ParseTranscriptResult struct {
	// Status is that of the import, or activities.TypeSuperseded if another request took over the import.
	Status   outcome.Status
	Evidence int
	Rejected int
	Coverage float64
	Unread   int // ranges that could not be read
}

// AnswerQuestionInput names an answer and the request for it.
type AnswerQuestionInput struct {
	activities.AnswerRef
	Mode    outcome.AnswerMode
	Timeout time.Duration // ASK_TIMEOUT, or what is left of it in a run that continues as new
}

// AnswerQuestionResult describes how an answer ended, for readers of Temporal's UI.
type AnswerQuestionResult struct {
	// Status is that of the answer, or activities.TypeSuperseded if another request took over the answer.
	Status      outcome.AnswerStatus
	Result      outcome.AnswerResult
	Sentences   int
	Unsupported int // sentences that their quotes did not prove
	Coverage    float64
}

// ProposeThemesInput names a row of theme_runs and the request for it.
type ProposeThemesInput struct {
	activities.ThemeRunRef
	Timeout time.Duration // PARSE_TIMEOUT, or what is left of it in a run that continues as new
}

// ProposeThemesResult describes how a run ended, for readers of Temporal's UI.
type ProposeThemesResult struct {
	// Status is that of the row, or activities.TypeSuperseded if its claim had ended.
	Status   outcome.ThemeRunStatus
	Proposed int // themes
	Quotes   int
	Unused   int // quotes of no theme
	Rejected int // quotes that are not a participant's words
	Coverage float64
}

// DeleteDataInput is empty: the database knows what is deleted.
type DeleteDataInput struct{}

// DeleteDataResult describes a run, for readers of Temporal's UI.
type DeleteDataResult struct {
	Removed int64 // rows
	Left    bool  // the next run removes the rest
}

// EnforceRetentionInput is empty. The worker's settings define what is deleted.
type EnforceRetentionInput struct{}

// SendAccountMailInput names a row of auth.one_time_tokens. The user, the address and the link never enter a
// history.
type SendAccountMailInput struct{ RequestID uuid.UUID }

// AccountMailSummary is the summary of a run of SendAccountMail in Temporal's UI.
const AccountMailSummary = "Mail about an account"

// SendAccountNoticeInput names a row of auth.notices.
type SendAccountNoticeInput struct{ NoticeID uuid.UUID }

// DeliverWebhooksInput names a row of webhook_endpoints.
type DeliverWebhooksInput struct{ EndpointID uuid.UUID }

// DeliverWebhooksResult counts the attempts of a run, for readers of Temporal's UI.
type DeliverWebhooksResult struct{ Delivered, Failed int }

// PlanDigestsInput selects the digests to send.
type PlanDigestsInput struct {
	Frequency string
	// Everyone sends the digests of the last closed period at once, instead of at each member's hour.
	Everyone bool
	// At is the time as of which digests are due. Zero means the time of the schedule's tick, or else the start
	// of the run.
	At time.Time
	// Seen is the latest state of the database that Temporal has recorded. A scheduled run takes it from the
	// previous run instead.
	Seen activities.DigestMark `json:",omitzero"`
}

// PlanDigestsResult counts the digests that a run planned. For a request to send at once, it also counts
// their outcomes.
type PlanDigestsResult struct {
	Planned int  // by this run
	Held    bool // the database was restored: nothing was planned

	Sent      int
	Skipped   int
	Failed    int
	Uncertain int
	Open      int // not yet sent when the run ended

	Seen activities.DigestMark // what the next run of the schedule compares the database with
}

// SendDigestPreviewInput names a user and a digest.
type SendDigestPreviewInput struct {
	UserID    uuid.UUID
	Frequency string
}

// DeliverDigestsInput is zero except for the latest state of the database that Temporal has recorded.
type DeliverDigestsInput struct {
	Seen activities.DigestMark

	// Set by a run that continues as new.
	RunID string // of the first run
}
