package projects

import (
	"net/http"
	"time"

	"research/api/admission"
	"research/api/problem"
	"research/api/token"
	"research/db"
)

// Responses to requests that cannot be carried out.
var (
	errNoProject = &problem.Error{
		Status: http.StatusNotFound, Code: "project_not_found",
		Message: "There is no such project, or you are not a member of its workspace.",
	}
	errBusy = &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_requests", RetryAfter: 5 * time.Second,
		Message: "You have too many requests under way. Try again in a few seconds.",
	}
	errFormat = &problem.Error{
		Status: http.StatusBadRequest, Code: "invalid_request",
		Message: "format must be given once, as json or markdown.",
		Details: problem.Fields{"format": "must be json or markdown"},
	}
	errBody = &problem.Error{
		Status: http.StatusBadRequest, Code: "invalid_request",
		Message: "The body must be a JSON object with text.",
		Details: problem.Fields{"body": "not a JSON object"},
	}
)

// tooManyChecks answers a check above the limit; wait is the time until the next one.
func tooManyChecks(wait time.Duration) *problem.Error {
	return &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_requests", RetryAfter: wait,
		Message: "Too many questions were checked. Try again in a moment.",
	}
}

var translations = []problem.Translation{
	problem.When(token.IsUnauthenticated, problem.Unauthorized),
	problem.Is(db.ErrNotFound, errNoProject),
	problem.Is(admission.ErrBusy, errBusy),
}
