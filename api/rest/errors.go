package rest

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"research/api/admission"
	"research/api/problem"
	"research/api/rest/query"
	"research/api/token"
)

// statuses are those of the errors that the grammar and the planner report.
var statuses = map[string]int{
	query.CodeSyntax:                  http.StatusBadRequest,
	query.CodeInvalidFunctionMethod:   http.StatusMethodNotAllowed,
	query.CodeInvalidBody:             http.StatusBadRequest,
	query.CodeInvalidRange:            http.StatusRequestedRangeNotSatisfiable,
	query.CodeInvalidPutFilters:       http.StatusMethodNotAllowed,
	query.CodeInvalidSchema:           http.StatusNotAcceptable,
	query.CodeNotAcceptable:           http.StatusNotAcceptable,
	query.CodeNotEmbedded:             http.StatusBadRequest,
	query.CodeLimitedPut:              http.StatusBadRequest,
	query.CodePutMismatch:             http.StatusBadRequest,
	query.CodeNotSingular:             http.StatusNotAcceptable,
	query.CodeUnsupportedMethod:       http.StatusMethodNotAllowed,
	query.CodeUnrelatedOrder:          http.StatusBadRequest,
	query.CodeInvalidPreference:       http.StatusBadRequest,
	query.CodeNoAggregates:            http.StatusBadRequest,
	query.CodeMaxAffected:             http.StatusBadRequest,
	query.CodeInvalidPath:             http.StatusNotFound,
	query.CodeNoDescription:           http.StatusNotFound,
	query.CodeNotImplemented:          http.StatusBadRequest,
	query.CodeMaxAffectedNeedsSet:     http.StatusBadRequest,
	query.CodeUnknownRelationship:     http.StatusBadRequest,
	query.CodeAmbiguousRelationship:   http.StatusMultipleChoices,
	query.CodeUnknownFunction:         http.StatusNotFound,
	query.CodeAmbiguousFunction:       http.StatusMultipleChoices,
	query.CodeUnknownColumn:           http.StatusBadRequest,
	query.CodeUnknownTable:            http.StatusNotFound,
	query.CodeUnfilteredWrite:         http.StatusBadRequest,
	query.CodeDuplicateEmbeddingAlias: http.StatusBadRequest,
}

// The codes of errors from outside the grammar and the planner. Those with an X are not PostgREST's.
const (
	codeUnavailable   = "PGRST001"
	codeTimeout       = "PGRST003"
	codeInvalidToken  = "PGRST301"
	codeNoToken       = "PGRST302"
	codeInvalidClaims = "PGRST303"
	codeInternal      = "PGRSTX00"
	codeCanceled      = "PGRSTX01"
	codeBusy          = "PGRSTX02" // the caller's share of the service is in use
	codeTooLarge      = "PGRSTX03" // of the answer
	codeTooCostly     = "PGRSTX04" // of the select
)

// renamed are PostgREST's names for the errors of problem.Edge.
var renamed = map[string]struct{ code, message string }{
	problem.CodeUnavailable: {codeUnavailable, "Database client error. Retrying the connection."},
	problem.CodeTimeout:     {codeTimeout, "The request took too long"},
	problem.CodeCanceled:    {codeCanceled, "The client is gone"},
	problem.CodeTooMany:     {codeBusy, "Too many tokens that do not exist came from this network"},
	problem.CodeInternal:    {codeInternal, "Something went wrong on our side. It is logged."},
}

// extra are the Details of a problem.Error of this edge. Nil is null.
type extra struct{ Details, Hint any }

// format is a problem.Format: the body of PostgREST's errors
// (https://docs.postgrest.org/en/stable/references/errors.html).
func (h *Handler) format(w http.ResponseWriter, _ *http.Request, e *problem.Error) any {
	code, message := e.Code, e.Message
	more, ours := e.Details.(extra)
	if name, known := renamed[code]; known && !ours {
		code, message = name.code, name.message
	}
	w.Header().Set("Proxy-Status", "PostgREST; error="+code)
	if h.cfg.TerseErrors {
		return struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		}{code, message}
	}
	return struct {
		Code    string `json:"code"`
		Details any    `json:"details"`
		Hint    any    `json:"hint"`
		Message string `json:"message"`
	}{code, more.Details, more.Hint, message}
}

// translations map the errors of the steps below HTTP and of the token middleware to responses.
var translations = []problem.Translation{
	problem.As(func(rejected *query.Error) *problem.Error {
		return &problem.Error{
			Status: statuses[rejected.Code], Code: rejected.Code, Message: rejected.Message,
			Details: extra{rejected.Details, orNull(rejected.Hint)},
		}
	}),
	problem.Is(admission.ErrBusy, &problem.Error{
		Status: http.StatusTooManyRequests, Code: codeBusy, Details: extra{}, RetryAfter: busyRetryAfter,
		Message: "Too many requests of this user or workspace at once. Try again in a moment.",
	}),
	problem.As(func(lacking *token.ScopeError) *problem.Error {
		answer := problem.InsufficientScope(lacking.Scope)
		if lacking.Scope == token.ScopeWrite {
			answer.Details = extra{Hint: "Call functions that only read with GET (in supabase-js: { get: true })."}
		}
		return answer
	}),
	problem.Is(token.ErrExpired, invalidToken(codeInvalidClaims, "JWT expired", "")),
	problem.As(func(invalid *token.ValidationError) *problem.Error {
		code := codeInvalidToken
		if invalid.InClaims {
			code = codeInvalidClaims
		}
		return invalidToken(code, invalid.Message, invalid.Detail)
	}),
	problem.When(isInvalidToken, func(err error) *problem.Error {
		return invalidToken(codeInvalidToken, err.Error(), "")
	}),
	problem.When(token.IsUnauthenticated, func(err error) *problem.Error {
		return &problem.Error{
			Status: http.StatusUnauthorized, Code: codeNoToken, Message: err.Error(), Details: extra{},
			Header: http.Header{"Www-Authenticate": {"Bearer"}},
		}
	}),
}

func isInvalidToken(err error) bool { return errors.Is(err, token.ErrInvalid) }

func invalidToken(code, message, details string) *problem.Error {
	challenge := fmt.Sprintf("Bearer error=%q, error_description=%q", "invalid_token", message)
	return &problem.Error{
		Status: http.StatusUnauthorized, Code: code, Message: message, Details: extra{Details: orNull(details)},
		Header: http.Header{"Www-Authenticate": {challenge}},
	}
}

func bodyTooLarge(most int64) error {
	return &problem.Error{
		Status: http.StatusRequestEntityTooLarge, Code: query.CodeInvalidBody,
		Message: fmt.Sprintf("The body is larger than %d bytes", most), Details: extra{},
	}
}

// busyRetryAfter is when a caller whose share is in use should retry.
const busyRetryAfter = 2 * time.Second

func (h *Handler) answerTooLarge() error {
	return &problem.Error{
		Status: http.StatusBadRequest, Code: codeTooLarge,
		Message: fmt.Sprintf("The answer is larger than %d bytes", h.cfg.MaxAnswerBytes),
		Details: extra{Hint: "Ask for fewer rows (limit), fewer columns, or fewer embedded resources."},
	}
}

// errTooCostly is the error of a select above the limit. It has no estimate, which is made from the rows of
// all tenants.
var errTooCostly = &problem.Error{
	Status: http.StatusBadRequest, Code: codeTooCostly, Message: "The select is too costly",
	Details: extra{Hint: "Embed fewer lists in lists, filter or limit them, or ask for them by requests of " +
		"their own."},
}

// orNull returns nil for an empty string.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
