package themes

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
	errNoProject = &problem.Error{
		Status: http.StatusNotFound, Code: "project_not_found",
		Message: "There is no such project, or you are not a member of its workspace.",
	}
	errForbidden = &problem.Error{
		Status: http.StatusForbidden, Code: "forbidden",
		Message: "Your role in this workspace only allows reading. Ask an owner or admin to make you an editor.",
	}
	errNoModel = unprocessable("model_not_configured",
		"No model is configured, so nobody can propose themes. Look at the words that many people say, or ask the "+
			"operator to set OPENAI_MODEL.")
	errTooLarge = unprocessable("scope_too_large",
		"The interviews of this project are too many or too long to be read together.")
	errNothingToRead = unprocessable("nothing_to_read", "The project has no interviews to read.")
	errProposing     = unprocessable("themes_already_proposing",
		"Themes are being proposed for this project. Wait for the end, or cancel it.")
	errNotProposing = unprocessable("themes_not_proposing",
		"No themes are being proposed for this project, so there is nothing to cancel.")
	errQueueFull = tooMany("queue_full",
		"The queue of the service is full. Nothing was changed; try again in a while.", 30*time.Second)
	errWorkspaceQueueFull = tooMany("queue_full", "The queue of this workspace is full. "+
		"Nothing was changed; try again when some of its interviews and questions are done.", 30*time.Second)
	errLimit = tooMany("ask_limit",
		"You have reached the limit of questions and proposals within an hour. Nothing was changed; try again "+
			"later.", 10*time.Minute) // by then some are older than an hour
	errEstimatesBusy = tooMany("queue_full",
		"You have other requests in progress. Try again when they are finished.", 10*time.Second)
	errBusy = tooMany("too_many_requests",
		"Too many requests of this user or workspace at once. Try again in a moment.", 5*time.Second)
)

// translations map the errors of the token middleware and of row-level security to responses.
var translations = []problem.Translation{
	problem.When(token.IsUnauthenticated, problem.Unauthorized),
	problem.Is(admission.ErrBusy, errBusy),
	problem.Is(db.ErrNotFound, errNoProject),
	problem.Is(ErrScopeTooLarge, errTooLarge),
	problem.Is(db.ErrDenied, errForbidden),
}

// claimError returns the response to a claim that the database rejects.
func claimError(project uuid.UUID, result db.PrivateProposeResult) error {
	if rejected, ok := claimErrors[result]; ok {
		return rejected
	}
	return fmt.Errorf("claim themes of project %s: unknown result %q", project, result)
}

// claimErrors are the responses to claims that the database rejects.
var claimErrors = map[db.PrivateProposeResult]*problem.Error{
	db.PrivateProposeResultProjectNotFound:        errNoProject,
	db.PrivateProposeResultForbidden:              errForbidden,
	db.PrivateProposeResultThemesAlreadyProposing: errProposing,
	db.PrivateProposeResultNothingToRead:          errNothingToRead,
	db.PrivateProposeResultAskLimit:               errLimit,
	db.PrivateProposeResultWorkspaceQueueFull:     errWorkspaceQueueFull,
	db.PrivateProposeResultQueueFull:              errQueueFull,
}

// cancelErrors are the responses to requests to cancel what cannot be cancelled.
var cancelErrors = map[db.PrivateStopProposingResult]*problem.Error{
	db.PrivateStopProposingResultProjectNotFound:    errNoProject,
	db.PrivateStopProposingResultForbidden:          errForbidden,
	db.PrivateStopProposingResultThemesNotProposing: errNotProposing,
}
