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

const importNotFound = "There is no such import, or you are not a member of its workspace."

// Answers to requests that cannot be carried out.
var (
	errNoSuchImport = &problem.Error{
		Status: http.StatusNotFound, Code: "import_not_found", Message: importNotFound,
	}
	errImportNotFound     = unprocessable("import_not_found", importNotFound)
	errHypothesisNotFound = unprocessable("hypothesis_not_found",
		"At least one of the hypotheses does not exist in the project of the import.")
	errAlreadyParsed  = unprocessable("import_already_parsed", "This import is already parsed.")
	errAlreadyParsing = unprocessable("import_already_parsing", "This import is being parsed.")
	errNotParsing     = unprocessable("import_not_parsing",
		"The import is not being parsed, so there is nothing to cancel.")
	errForbidden = forbidden(
		"Your role in this workspace only allows reading. Ask an owner or admin to make you an editor.")
	errProjectForbidden   = forbidden("There is no such project, or you are not a member of its workspace.")
	errWorkspaceQueueFull = queueFull(
		"The queue of this workspace is full. Nothing was changed; try again when some of its imports are done.")
	errQueueFull = queueFull("The queue of the service is full. Nothing was changed; try again in a while.")
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

// sentence capitalizes the text of an error and ends it with a full stop.
func sentence(err error) string {
	text := err.Error()
	return string(text[0]-'a'+'A') + text[1:] + "."
}
