package outcome

import "slices"

// A Code is the reason why an import did not become parsed, or why a range of its transcript was not read. It
// is the column error_code of an import, and the type of an activity's error in Temporal.
type Code string

// Codes of a model's server.
const (
	CodeModelKeyRejected Code = "model_key_rejected" // 401, 403
	CodeModelNoCredit    Code = "model_no_credit"    // the account has no credit left
	CodeModelForbidden   Code = "model_forbidden"    // not for this account, or not in this region
	CodeModelNotFound    Code = "model_not_found"    // 404
	CodeModelWrongServer Code = "model_wrong_server" // 404 for the path, or again and again no completion
	CodeModelBadRequest  Code = "model_bad_request"  // 400 or 422 in every response format
	CodeModelRateLimited Code = "model_rate_limited" // 429
	CodeModelUnavailable Code = "model_unavailable"  // 5xx, no connection, cut off or timed out
	CodeModelTooLong     Code = "model_too_long"     // the request or the response does not fit
	CodeModelBadAnswer   Code = "model_bad_answer"   // no usable JSON, twice
	CodeModelRefused     Code = "model_refused"      // the model or its content filter declined
)

// Codes of the service itself.
const (
	CodeTokenLimit      Code = "token_limit"      // MAX_TOKENS_PER_IMPORT would be exceeded
	CodeActivityTimeout Code = "activity_timeout" // an activity exceeded its budget of time or attempts
	CodeTimedOut        Code = "timed_out"        // PARSE_TIMEOUT was exceeded
	CodeCanceled        Code = "canceled"         // a member cancelled the run
	CodeTerminated      Code = "terminated"       // an operator ended the run in Temporal
	CodeHistoryDeleted  Code = "history_deleted"  // Temporal has no record of the run
	CodeInternal        Code = "internal"         // everything else
)

// messages explain to a person why an import was not parsed, and what to do about it.
var messages = map[Code]string{
	CodeModelKeyRejected: "The model's server rejected our API key. " +
		"Ask the operator to check OPENAI_API_KEY, then parse again.",
	CodeModelNoCredit: "The account at the model's provider has no credit or quota left. " +
		"Ask the operator to top it up, then parse again.",
	CodeModelForbidden: "The model's provider does not offer the model to our account or in our region. " +
		"Ask the operator to check what the account may use, then parse again.",
	CodeModelNotFound: "The model's server does not know the configured model. " +
		"Ask the operator to check OPENAI_MODEL, then parse again.",
	CodeModelWrongServer: "What answers at OPENAI_BASE_URL is not a server with OpenAI's Chat Completions " +
		"API. Ask the operator to check OPENAI_BASE_URL, then parse again.",
	CodeModelBadRequest: "The model's server rejected our requests. " +
		"Ask the operator to check OPENAI_BASE_URL and OPENAI_MODEL.",
	CodeModelRateLimited: "The model's provider limited the rate of requests for too long. " +
		"Parse again later; what was already read is not requested again.",
	CodeModelUnavailable: "The model's server could not be reached or failed. " +
		"Parse again later; what was already read is not requested again.",
	CodeModelTooLong: "The model's context is too small even for short passages. " +
		"Ask the operator for a model with a larger one.",
	CodeModelBadAnswer: "The model's responses could not be understood. " +
		"Ask the operator for another model, then parse again.",
	CodeModelRefused: "The model declined to read this transcript.",
	CodeTokenLimit: "Reading further would exceed the tokens that one import may use (MAX_TOKENS_PER_IMPORT). " +
		"The evidence found so far is kept.",
	CodeActivityTimeout: "A step of the parsing exceeded its time limit. " +
		"Parse again; what was already read is not requested again.",
	CodeTimedOut: "Parsing took longer than allowed (PARSE_TIMEOUT). " +
		"Parse again; what was already read is not requested again.",
	CodeCanceled: "Parsing was cancelled. The evidence found so far is kept.",
	CodeTerminated: "An operator ended the parsing. " +
		"Parse again; what was already read is not requested again.",
	CodeHistoryDeleted: "The record of the parsing was deleted in Temporal. " +
		"The evidence found so far is kept; parse again.",
	CodeInternal: "Something went wrong on our side. " +
		"Parse again; if it happens again, tell the operator the id of the import.",
}

// Codes lists every code.
var Codes = []Code{
	CodeModelKeyRejected, CodeModelNoCredit, CodeModelForbidden, CodeModelNotFound, CodeModelWrongServer,
	CodeModelBadRequest, CodeModelRateLimited, CodeModelUnavailable, CodeModelTooLong, CodeModelBadAnswer,
	CodeModelRefused,
	CodeTokenLimit, CodeActivityTimeout, CodeTimedOut, CodeCanceled, CodeTerminated, CodeHistoryDeleted,
	CodeInternal,
}

// Message explains a code to a person. The empty code has none; an unknown one has that of CodeInternal.
func (c Code) Message() string {
	if c == "" {
		return ""
	}
	if message, known := messages[c]; known {
		return message
	}
	return messages[CodeInternal]
}

// EndsImport reports whether the error affects every range, so that the import ends at once.
func (c Code) EndsImport() bool {
	return slices.Contains([]Code{
		CodeTokenLimit, CodeModelKeyRejected, CodeModelNoCredit, CodeModelForbidden, CodeModelNotFound,
		CodeModelWrongServer, CodeModelBadRequest,
	}, c)
}
