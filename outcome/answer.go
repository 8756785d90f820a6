package outcome

import "slices"

// An AnswerMode is how a question to interviews is answered.
type AnswerMode string

// The modes.
const (
	ModeQuick    AnswerMode = "quick"    // a model reads the passages that match the question best
	ModeThorough AnswerMode = "thorough" // a model reads all interviews
	ModePassages AnswerMode = "passages" // the best passages are shown, and no model reads them
)

// AnswerModes lists every mode, in the order of the enum.
var AnswerModes = []AnswerMode{ModeQuick, ModeThorough, ModePassages}

// An AnswerStatus is the state of an answer.
type AnswerStatus string

// The statuses of an answer.
const (
	AnswerQueued     AnswerStatus = "queued"     // claimed by a request; its run has not begun
	AnswerReading    AnswerStatus = "reading"    // its run has begun
	AnswerAnswered   AnswerStatus = "answered"   // done; its result says whether the interviews have an answer
	AnswerFailed     AnswerStatus = "failed"     // the run failed; the error code says why
	AnswerCanceled   AnswerStatus = "canceled"   // a member cancelled the run
	AnswerTimedOut   AnswerStatus = "timed_out"  // the run exceeded ASK_TIMEOUT
	AnswerTerminated AnswerStatus = "terminated" // an operator ended the run in Temporal
)

// AnswerStatuses lists every status of an answer, in the order of the enum.
var AnswerStatuses = []AnswerStatus{
	AnswerQueued, AnswerReading, AnswerAnswered, AnswerFailed, AnswerCanceled, AnswerTimedOut, AnswerTerminated,
}

// Open reports whether an answer with this status must have a run.
func (s AnswerStatus) Open() bool { return s == AnswerQueued || s == AnswerReading }

// Unsuccessful reports whether a run ended without an answer.
func (s AnswerStatus) Unsuccessful() bool { return !s.Open() && s != AnswerAnswered }

// An AnswerResult is what interviews say about a question.
type AnswerResult string

// The results. Only an answer for which everything was read can say that the interviews have none.
const (
	ResultAnswered    AnswerResult = "answered"
	ResultPartly      AnswerResult = "partly"       // a part of what was asked
	ResultNotAnswered AnswerResult = "not_answered" // everything was read, and nothing answers it
	ResultNotFound    AnswerResult = "not_found"    // nothing of what was read answers it
)

// AnswerResults lists every result of an answer, in the order of the enum.
var AnswerResults = []AnswerResult{ResultAnswered, ResultPartly, ResultNotAnswered, ResultNotFound}

// answerMessages explain to a person why a question was not answered, where that differs from a parse.
var answerMessages = map[Code]string{
	CodeTokenLimit: "The interviews are too many or too long, or answering would exceed the tokens that one " +
		"answer may use (MAX_TOKENS_PER_ANSWER), or those that are left today. " +
		"Choose fewer interviews, or ask again tomorrow.",
	CodeActivityTimeout: "A step exceeded its time limit. " +
		"Ask again; what was already read is not requested again.",
	CodeTimedOut: "Answering took longer than allowed (ASK_TIMEOUT). " +
		"Ask again; what was already read is not requested again.",
	CodeCanceled:       "The question was cancelled. The sentences written so far are kept.",
	CodeTerminated:     "An operator ended the run. Ask again; what was already read is not requested again.",
	CodeHistoryDeleted: "The record of the run was deleted in Temporal. Ask again.",
	CodeInternal: "Something went wrong on our side. " +
		"Ask again; if it happens again, tell the operator the id of the answer.",
	CodeModelRateLimited: "The model's provider limited the rate of requests for too long. Ask again later.",
	CodeModelUnavailable: "The model's server could not be reached or failed. Ask again later.",
	CodeModelRefused:     "The model declined to answer.",
	CodeModelKeyRejected: "The model's server rejected our API key. " +
		"Ask the operator to check OPENAI_API_KEY, then ask again.",
	CodeModelNoCredit: "The account at the model's provider has no credit or quota left. " +
		"Ask the operator to top it up, then ask again.",
	CodeModelForbidden: "The model's provider does not offer the model to our account or in our region. " +
		"Ask the operator to check what the account may use, then ask again.",
	CodeModelNotFound: "No model is configured, or its server does not know it. " +
		"Ask the operator to check OPENAI_MODEL, then ask again.",
	CodeModelWrongServer: "What answers at OPENAI_BASE_URL is not a server with OpenAI's Chat Completions " +
		"API. Ask the operator to check OPENAI_BASE_URL, then ask again.",
	CodeModelBadAnswer: "The model's responses could not be understood. " +
		"Ask the operator for another model, then ask again.",
}

// AnswerMessage explains to a person why a question was not answered. The empty code has none; an unknown one
// has that of CodeInternal.
func (c Code) AnswerMessage() string { return c.messageIn(answerMessages) }

// messageIn returns the message of a code among those that differ from a parse, or that of a parse.
func (c Code) messageIn(differing map[Code]string) string {
	if message, differs := differing[c]; differs {
		return message
	}
	if c == "" || slices.Contains(Codes, c) {
		return c.Message()
	}
	return differing[CodeInternal]
}
