package findings

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
	errForbidden = &problem.Error{
		Status: http.StatusForbidden, Code: "forbidden",
		Message: "Only editors of the workspace may share its findings.",
	}
	errNoHypothesis = &problem.Error{
		Status: http.StatusNotFound, Code: "hypothesis_not_found",
		Message: "There is no such hypothesis, or you are not a member of its workspace.",
	}
	errNoReport = &problem.Error{
		Status: http.StatusNotFound, Code: "report_not_found",
		Message: "There is no such report, or you are not a member of its workspace.",
	}
	errNoLink = &problem.Error{
		Status: http.StatusNotFound, Code: "link_not_found",
		Message: "This link does not work. It has expired or was revoked, or its address is not complete.",
	}
	errTooLarge = &problem.Error{
		Status: http.StatusUnprocessableEntity, Code: "findings_too_large",
		Message: "These findings are too large to be shown by a link. Ask whoever sent it for a document instead.",
	}
	errTooLong = &problem.Error{
		Status: http.StatusServiceUnavailable, Code: "findings_take_too_long", RetryAfter: 30 * time.Second,
		Message: "It takes too long to put these findings together. Try again later, or ask whoever sent the " +
			"link for a document instead.",
	}
	errBusy = &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_requests", RetryAfter: 5 * time.Second,
		Message: "Too many findings are being read at this moment. Try again in a few seconds.",
	}
	errBody = &problem.Error{
		Status: http.StatusBadRequest, Code: "invalid_request",
		Message: "The body must be a JSON object with hypothesisId or reportId, and optionally " +
			"expiresInDays and showNames.",
		Details: problem.Fields{"body": "not a JSON object"},
	}
)

var translations = []problem.Translation{
	problem.When(token.IsUnauthenticated, problem.Unauthorized),
	problem.Is(db.ErrDenied, errForbidden),
	problem.Is(db.ErrTimeout, errTooLong),
	problem.Is(admission.ErrBusy, errBusy),
}
