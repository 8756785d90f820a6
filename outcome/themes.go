package outcome

// A ThemeRunStatus is the state of a run that proposes themes.
type ThemeRunStatus string

// The statuses of a run that proposes themes.
const (
	ThemesQueued     ThemeRunStatus = "queued"     // claimed by a request; its run has not begun
	ThemesReading    ThemeRunStatus = "reading"    // its run has begun
	ThemesDone       ThemeRunStatus = "done"       // what it found is proposed
	ThemesFailed     ThemeRunStatus = "failed"     // the run failed; the error code says why
	ThemesCanceled   ThemeRunStatus = "canceled"   // a member cancelled the run
	ThemesTimedOut   ThemeRunStatus = "timed_out"  // the run exceeded PARSE_TIMEOUT
	ThemesTerminated ThemeRunStatus = "terminated" // an operator ended the run in Temporal
)

// ThemeRunStatuses lists every status, in the order of the enum.
var ThemeRunStatuses = []ThemeRunStatus{
	ThemesQueued, ThemesReading, ThemesDone, ThemesFailed, ThemesCanceled, ThemesTimedOut, ThemesTerminated,
}

// themesMessages explain to a person why no themes were proposed, where that differs from an answer.
var themesMessages = map[Code]string{
	CodeTokenLimit: "The interviews are too many or too long, or reading them would exceed the tokens that " +
		"one run may use (MAX_TOKENS_PER_ANSWER), or those that are left today. " +
		"Try again tomorrow; what was already read is not requested again.",
	CodeActivityTimeout: "A step exceeded its time limit. " +
		"Try again; what was already read is not requested again.",
	CodeTimedOut: "Proposing themes took longer than allowed (PARSE_TIMEOUT). " +
		"Try again; what was already read is not requested again.",
	CodeCanceled:       "The proposals were cancelled. What was already read is not requested again.",
	CodeTerminated:     "An operator ended the run. Try again; what was already read is not requested again.",
	CodeHistoryDeleted: "The record of the run was deleted in Temporal. Try again.",
	CodeInternal: "Something went wrong on our side. " +
		"Try again; if it happens again, tell the operator the id of the run.",
	CodeModelRateLimited: "The model's provider limited the rate of requests for too long. Try again later.",
	CodeModelUnavailable: "The model's server could not be reached or failed. Try again later.",
	CodeModelRefused:     "The model declined to answer.",
	CodeModelKeyRejected: "The model's server rejected our API key. " +
		"Ask the operator to check OPENAI_API_KEY, then try again.",
	CodeModelNoCredit: "The account at the model's provider has no credit or quota left. " +
		"Ask the operator to top it up, then try again.",
	CodeModelForbidden: "The model's provider does not offer the model to our account or in our region. " +
		"Ask the operator to check what the account may use, then try again.",
	CodeModelNotFound: "No model is configured, or its server does not know it. " +
		"Ask the operator to check OPENAI_MODEL, then try again.",
	CodeModelWrongServer: "What answers at OPENAI_BASE_URL is not a server with OpenAI's Chat Completions " +
		"API. Ask the operator to check OPENAI_BASE_URL, then try again.",
	CodeModelBadAnswer: "The model's responses could not be understood. " +
		"Ask the operator for another model, then try again.",
}

// ThemesMessage explains to a person why no themes were proposed. The empty code has none; an unknown one has
// that of CodeInternal.
func (c Code) ThemesMessage() string { return c.messageIn(themesMessages) }
