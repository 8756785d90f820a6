package imports

import (
	"errors"
	"net/http"
	"time"

	"research/api/admission"
	"research/api/problem"
	"research/api/token"
	"research/db"
)

func unprocessable(code, message string) *problem.Error {
	return &problem.Error{Status: http.StatusUnprocessableEntity, Code: code, Message: message}
}

func forbidden(message string) *problem.Error {
	return &problem.Error{Status: http.StatusForbidden, Code: "forbidden", Message: message}
}

func queueFull(message string) *problem.Error {
	return &problem.Error{
		Status: http.StatusTooManyRequests, Code: "queue_full", Message: message,
		RetryAfter: 30 * time.Second, // by then some imports have ended
	}
}

func tooManyUploads(message string) *problem.Error {
	return &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_uploads", Message: message,
		RetryAfter: 10 * time.Minute, // by then some uploads are older than an hour
	}
}

// tooManyDryRuns answers a dry run above the limit; wait is the time until the next one.
func tooManyDryRuns(wait time.Duration) *problem.Error {
	return &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_uploads", RetryAfter: wait,
		Message: "You have tried as many files within an hour as you may. Try again later.",
	}
}

const importNotFound = "There is no such import, or you are not a member of its workspace."

// Responses to requests that cannot be carried out.
var (
	errNoSuchImport = &problem.Error{
		Status: http.StatusNotFound, Code: "import_not_found", Message: importNotFound,
	}
	errImportNotFound     = unprocessable("import_not_found", importNotFound)
	errHypothesisNotFound = unprocessable("hypothesis_not_found",
		"At least one of the hypotheses does not exist in the project of the import.")
	errAlreadyParsed = unprocessable("import_already_parsed", "This import is already parsed for these hypotheses. "+
		`Choose others, or ask for "refresh": true to read it again.`)
	errAlreadyParsing = unprocessable("import_already_parsing", "This import is being parsed.")
	errNotParsing     = unprocessable("import_not_parsing",
		"The import is not being parsed, so there is nothing to cancel.")
	errForbidden = forbidden(
		"Your role in this workspace only allows reading. Ask an owner or admin to make you an editor.")
	errProjectForbidden   = forbidden("There is no such project, or you are not a member of its workspace.")
	errWorkspaceQueueFull = queueFull(
		"The queue of this workspace is full. Nothing was changed; try again when some of its imports are done.")
	errTooManyUploads = tooManyUploads(
		"You have uploaded as many interviews within an hour as you may. Nothing was stored; try again later.")
	errWorkspaceUploads = tooManyUploads(
		"This workspace has as many uploads within an hour as it may have. Nothing was stored; try again later.")
	errUploadsBusy = &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_uploads", RetryAfter: 10 * time.Second,
		Message: "Other uploads of yours are still being read. Nothing was stored; try again when they are done.",
	}
	errEstimatesBusy = &problem.Error{
		Status: http.StatusTooManyRequests, Code: "queue_full", RetryAfter: 10 * time.Second,
		Message: "Other requests of yours are still being worked on. Try again when they are done.",
	}
	errQueueFull = queueFull("The queue of the service is full. Nothing was changed; try again in a while.")
)

// translate maps the errors of the token middleware and of row-level security to responses.
func translate(err error) *problem.Error {
	switch {
	case token.IsUnauthenticated(err):
		return problem.Unauthorized(err)
	case errors.Is(err, admission.ErrBusy):
		return errUploadsBusy
	case errors.Is(err, db.ErrDenied):
		return errForbidden
	}
	return nil
}
