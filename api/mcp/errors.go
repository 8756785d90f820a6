package mcp

import (
	"fmt"
	"net/http"
	"time"

	"research/api/admission"
	"research/api/problem"
	"research/db"
)

// codeInvalid is the code of requests and arguments that cannot be used, as of problem.Invalid.
const codeInvalid = "invalid_request"

// Responses to requests that do not pass the door.
var (
	errOrigin = &problem.Error{
		Status: http.StatusForbidden, Code: "forbidden",
		Message: "Pages of other origins may not use this: their server can.",
	}
	errTooLarge = &problem.Error{
		Status: http.StatusRequestEntityTooLarge, Code: "too_large",
		Message: "The body is larger than 1 MB.",
	}
	errBatch = &problem.Error{
		Status: http.StatusBadRequest, Code: codeInvalid,
		Message: "Send one JSON-RPC message at a time: batches are not accepted.",
	}
	errMessage = &problem.Error{
		Status: http.StatusBadRequest, Code: codeInvalid,
		Message: "The body must be a JSON-RPC 2.0 message.",
	}
	errBusy = &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_requests", RetryAfter: 5 * time.Second,
		Message: "You have too many requests under way. Try again in a few seconds.",
	}
)

// Answers of tools that cannot do what was asked. The model reads the message.
var (
	errNotFound = &problem.Error{
		Status: http.StatusNotFound, Code: problem.CodeNotFound,
		Message: "There is nothing with this id, or the user may not see it. list_projects has the ids of " +
			"projects; search and get_hypotheses have those of the rest.",
	}
	errDenied = &problem.Error{
		Status: http.StatusForbidden, Code: "forbidden",
		Message: "The user may read this workspace, but not change it: only its editors may.",
	}
	errTooLong = &problem.Error{
		Status: http.StatusGatewayTimeout, Code: problem.CodeTimeout,
		Message: "This took too long. Ask for less: name a project, or search for rarer words.",
	}
)

// tooManyCalls is the answer to a call above the limit; wait is the time until the next one.
func tooManyCalls(limit int, wait time.Duration) *problem.Error {
	return &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_requests", RetryAfter: wait,
		Message: fmt.Sprintf("The user's %d tool calls of an hour are used up. The next one is possible in %s.",
			limit, wait.Round(time.Second)),
	}
}

// invalid is the answer to an argument that cannot be used.
func invalid(argument, message string) *problem.Error { return problem.Invalid(argument, message) }

var translations = []problem.Translation{
	problem.Is(db.ErrNotFound, errNotFound),
	problem.Is(db.ErrDenied, errDenied),
	problem.Is(db.ErrTimeout, errTooLong),
	problem.Is(admission.ErrBusy, errBusy),
}
