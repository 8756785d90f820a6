package findings

import (
	"net/http"

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
	errNoLink = &problem.Error{
		Status: http.StatusNotFound, Code: "link_not_found",
		Message: "This link does not work. It has expired or was revoked, or its address is not complete.",
	}
	errBody = &problem.Error{
		Status: http.StatusBadRequest, Code: "invalid_request",
		Message: "The body must be a JSON object with hypothesisId, and optionally expiresInDays and showNames.",
	}
)

var translations = []problem.Translation{
	problem.When(token.IsUnauthenticated, problem.Unauthorized),
	problem.Is(db.ErrDenied, errForbidden),
}
