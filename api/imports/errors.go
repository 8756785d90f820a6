package imports

import (
	"errors"
	"net/http"
	"time"

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

// The answers that are given in several places.
var (
	errImportNotFound = unprocessable("import_not_found",
		"There is no such import, or you are not a member of its workspace.")
	errNotParsing = unprocessable("import_not_parsing", "The import is not being parsed, so there is nothing to cancel.")
	errQueueFull  = queueFull("The queue of the service is full. Nothing was changed; try again in a while.")

	errWorkspaceQueueFull = queueFull(
		"The queue of this workspace is full. Nothing was changed; try again when some of its imports are done.")
	errForbidden = forbidden(
		"Your role in this workspace only allows reading. Ask an owner or admin to make you an editor.")
)

// translate answers the errors of the token middleware and of row-level security.
func translate(err error) *problem.Error {
	switch {
	case token.IsUnauthenticated(err):
		return &problem.Error{
			Status: http.StatusUnauthorized, Code: "unauthorized", Message: sentence(err),
			Header: http.Header{"Www-Authenticate": {"Bearer"}},
		}
	case errors.Is(err, db.ErrDenied):
		return errForbidden
	}
	return nil
}

// sentence capitalizes an error's text and ends it with a full stop.
func sentence(err error) string {
	text := err.Error()
	return string(text[0]-'a'+'A') + text[1:] + "."
}
