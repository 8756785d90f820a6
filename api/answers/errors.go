package answers

import (
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"research/api/admission"
	"research/api/problem"
	"research/api/token"
	"research/db"
)

func unprocessable(code, message string) *problem.Error {
	return &problem.Error{Status: http.StatusUnprocessableEntity, Code: code, Message: message}
}

// tooMany answers a request above a limit. wait is when some of what counts has ended.
func tooMany(code, message string, wait time.Duration) *problem.Error {
	return &problem.Error{
		Status: http.StatusTooManyRequests, Code: code, Message: message, RetryAfter: wait,
	}
}

// Responses to requests that cannot be carried out.
var (
	errNoAnswer = &problem.Error{
		Status: http.StatusNotFound, Code: "answer_not_found",
		Message: "There is no such answer, or you are not a member of its workspace.",
	}
	errNoProject = &problem.Error{
		Status: http.StatusNotFound, Code: "project_not_found",
		Message: "There is no such project, or you are not a member of its workspace.",
	}
	errForbidden = &problem.Error{
		Status: http.StatusForbidden, Code: "forbidden",
		Message: "Your role in this workspace only allows reading. Ask an owner or admin to make you an editor.",
	}
	errNoModel = unprocessable("model_not_configured",
		"No model is configured, so nobody can write an answer. Ask with the mode passages, which shows the "+
			"closest passages, or ask the operator to set OPENAI_MODEL.")
	errNoQuestion = unprocessable("question_not_found",
		"questionId is no question of this project. Leave it out, or choose one of the project.")
	errScope = unprocessable("scope_not_found",
		"scope names a persona or an interview that the project does not have.")
	errScopeTooLarge = unprocessable("scope_too_large",
		"The interviews of this question are too many or too long to be read together. "+
			"Ask again with a scope of fewer.")
	errNothingToRead = unprocessable("nothing_to_read",
		"There are no interviews to ask: none of the project is in the scope.")
	errRunning = unprocessable("answer_running",
		"This question is being answered. Wait for the end, or cancel it.")
	errNotRunning = unprocessable("answer_not_running",
		"This question is not being answered, so there is nothing to cancel.")
	errQueueFull = tooMany("queue_full",
		"The queue of the service is full. Nothing was changed; try again in a while.", 30*time.Second)
	errWorkspaceQueueFull = tooMany("queue_full", "The queue of this workspace is full. "+
		"Nothing was changed; try again when some of its interviews and questions are done.", 30*time.Second)
	errAskLimit = tooMany("ask_limit",
		"You have reached the limit of questions within an hour. Nothing was changed; try again later.",
		10*time.Minute) // by then some are older than an hour
	errEstimatesBusy = tooMany("queue_full",
		"You have other requests in progress. Try again when they are finished.", 10*time.Second)
	errBusy = tooMany("too_many_requests",
		"Too many requests of this user or workspace at once. Try again in a moment.", 5*time.Second)
)

// translations map the errors of the token middleware and of row-level security to responses.
var translations = []problem.Translation{
	problem.When(token.IsUnauthenticated, problem.Unauthorized),
	problem.Is(admission.ErrBusy, errBusy),
	problem.Is(db.ErrNotFound, errNoAnswer),
	problem.Is(ErrScopeTooLarge, errScopeTooLarge),
	problem.Is(db.ErrDenied, errForbidden),
}

// claimError returns the response to a claim that the database rejects.
func claimError(id uuid.UUID, result db.PrivateAskResult) error {
	if rejected, ok := claimErrors[result]; ok {
		return rejected
	}
	return fmt.Errorf("claim answer %s: unknown result %q", id, result)
}

// cancelErrors are the responses to requests to cancel what cannot be cancelled.
var cancelErrors = map[db.PrivateCancelResult]*problem.Error{
	db.PrivateCancelResultAnswerNotFound: errNoAnswer,
	db.PrivateCancelResultForbidden:      errForbidden,
	db.PrivateCancelResultNotRunning:     errNotRunning,
}

// claimErrors are the responses to claims that the database rejects.
var claimErrors = map[db.PrivateAskResult]*problem.Error{
	db.PrivateAskResultProjectNotFound:    errNoProject,
	db.PrivateAskResultAnswerNotFound:     errNoAnswer,
	db.PrivateAskResultForbidden:          errForbidden,
	db.PrivateAskResultQuestionNotFound:   errNoQuestion,
	db.PrivateAskResultAnswerRunning:      errRunning,
	db.PrivateAskResultNothingToRead:      errNothingToRead,
	db.PrivateAskResultAskLimit:           errAskLimit,
	db.PrivateAskResultWorkspaceQueueFull: errWorkspaceQueueFull,
	db.PrivateAskResultQueueFull:          errQueueFull,
}
