package events

import (
	"net/http"
	"time"

	"research/api/admission"
	"research/api/problem"
	"research/api/token"
)

// Responses to requests that open no stream.
var (
	errNoSuchImport = &problem.Error{
		Status: http.StatusNotFound, Code: "import_not_found",
		Message: "There is no such import, or you are not a member of its workspace.",
	}
	errNoSuchAnswer = &problem.Error{
		Status: http.StatusNotFound, Code: "answer_not_found",
		Message: "There is no such answer, or you are not a member of its workspace.",
	}
	errTooManyStreams = &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_streams", RetryAfter: 30 * time.Second,
		Message: "You have reached the limit of open streams. Close one of them first.",
	}
	errFull = &problem.Error{
		Status: http.StatusServiceUnavailable, Code: "too_many_streams", RetryAfter: 10 * time.Second,
		Message: "The server has reached its limit of open streams. Try again in a moment.",
	}
	errStopping = &problem.Error{
		Status: http.StatusServiceUnavailable, Code: problem.CodeUnavailable, RetryAfter: time.Second,
		Message: "The server is about to stop. Connect again.",
	}
)

var translations = []problem.Translation{
	problem.When(token.IsUnauthenticated, problem.Unauthorized),
	problem.Is(admission.ErrBusy, errTooManyStreams),
}
