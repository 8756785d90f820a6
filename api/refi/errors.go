package refi

import (
	"fmt"
	"net/http"
	"time"

	"research/api/admission"
	"research/api/problem"
	"research/api/refi/qdpx"
	"research/db"
)

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
	errBusy = &problem.Error{
		Status: http.StatusTooManyRequests, Code: problem.CodeTooMany, RetryAfter: 10 * time.Second,
		Message: "Another export or import of a project is in progress. Try again when it is finished.",
	}
	errProjectTooLarge = &problem.Error{
		Status: http.StatusUnprocessableEntity, Code: "project_too_large",
		Message: fmt.Sprintf("The project has more than %d quotes, or more than %d of something else, which is "+
			"more than other programs read.", maxQuotes, maxRows),
	}
	errTooManyUploads = &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_uploads", RetryAfter: 10 * time.Minute,
		Message: "With the interviews of this file, the limit of uploads within an hour would be exceeded. " +
			"Nothing was stored; try again later.",
	}
	errTooLarge = &problem.Error{
		Status: http.StatusRequestEntityTooLarge, Code: "too_large",
		Message: fmt.Sprintf("The file is larger than %d MB. Export it without media, or in parts.", maxFile>>20),
		Details: problem.Fields{"file": "too large"},
	}
	errChanged = &problem.Error{
		Status: http.StatusConflict, Code: "project_changed", RetryAfter: time.Second,
		Message: "Somebody else has changed the project meanwhile. Nothing was stored; try again.",
	}
	errForm = problem.Invalid("body", "The body must be multipart/form-data with the field file.")
	errFile = problem.Invalid("file", "file is missing: attach a .qdpx or a .qdc.")
	errMode = problem.Invalid("dry_run", "dry_run must be given once, as true or false.")
)

// tooManyTries answers a dry run above the limit; wait is the time until the next one.
func tooManyTries(wait time.Duration) *problem.Error {
	return &problem.Error{
		Status: http.StatusTooManyRequests, Code: problem.CodeTooMany, RetryAfter: wait,
		Message: "You have reached the limit of files tried within an hour. Try again later.",
	}
}

// unreadable answers a file that is not one of REFI-QDA, or exceeds a limit.
func unreadable(e *qdpx.Error) *problem.Error {
	answer := &problem.Error{
		Status: http.StatusUnprocessableEntity, Code: "unreadable_project",
		Message: "This file cannot be read as a project or codebook of REFI-QDA. " + e.Reason,
		Details: problem.Fields{"file": e.Reason}, Cause: e.Cause,
	}
	if e.TooLarge {
		answer.Status, answer.Code = http.StatusRequestEntityTooLarge, "too_large"
		answer.Message = "This file is too large. " + e.Reason
	}
	return answer
}

// limited answers a write that exceeds a limit of the database.
func limited(e *db.LimitError) *problem.Error {
	answer := &problem.Error{
		Status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: e.Message + " " + e.Hint, Cause: e,
	}
	if e.Passes {
		answer.Status, answer.Code = http.StatusTooManyRequests, problem.CodeTooMany
		answer.RetryAfter = time.Minute
	}
	return answer
}

var translations = []problem.Translation{
	problem.Is(db.ErrNotFound, errNoProject),
	problem.Is(db.ErrDenied, errForbidden),
	problem.Is(admission.ErrBusy, errBusy),
	problem.As(unreadable),
	problem.As(limited),
}
