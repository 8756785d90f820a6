package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"research/db"
)

// An Error is an answer of this edge in PostgREST's shape (https://docs.postgrest.org/en/stable/references/errors.html). The cause is logged, never sent.
type Error struct {
	Status  int
	Code    string
	Message string
	Details any // a string, a list, or nil
	Hint    any
	Header  http.Header
	cause   error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }
func (e *Error) Unwrap() error { return e.cause }

func failure(status int, code, message string) *Error {
	return &Error{Status: status, Code: code, Message: message}
}

func (e *Error) with(details, hint any) *Error {
	e.Details, e.Hint = details, hint
	return e
}

// unparsable is a query parameter that does not follow the grammar.
func unparsable(parameter, value string, position int, problem string) *Error {
	return failure(http.StatusBadRequest, "PGRST100", fmt.Sprintf("%q (line 1, column %d)", fmt.Sprintf("failed to parse %s (%s)", parameter, value), position+1)).with(problem, nil)
}

func bodyTooLarge(most int64) *Error {
	return failure(http.StatusRequestEntityTooLarge, "PGRST102", fmt.Sprintf("The body is larger than %d bytes", most))
}

func badBody(message string) *Error { return failure(http.StatusBadRequest, "PGRST102", message) }

func badToken(code, message string) *Error {
	return &Error{Status: http.StatusUnauthorized, Code: code, Message: message, Header: http.Header{"Www-Authenticate": {fmt.Sprintf("Bearer error=%q, error_description=%q", "invalid_token", message)}}}
}

func notSingular(rows int64) *Error {
	return failure(http.StatusNotAcceptable, "PGRST116", "Cannot coerce the result to a single JSON object").
		with(fmt.Sprintf("The result contains %d rows", rows), nil)
}

// sqlError turns what PostgreSQL refused into an answer: its own code, message, detail and hint, which PostgREST shows too; never the statement.
func (h *Handler) sqlError(err error, subject db.Subject) error {
	anonymous := subject.Role == "" || subject.Role == h.cfg.Anonymous
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		if errors.Is(err, db.ErrUnavailable) {
			return &Error{Status: http.StatusServiceUnavailable, Code: "PGRST001", Message: "Database client error. Retrying the connection.",
				Header: http.Header{"Retry-After": {"5"}}, cause: err}
		}
		if errors.Is(err, db.ErrDenied) { // a role that requests may not have is none, as PostgreSQL would say
			return &Error{Status: http.StatusUnauthorized, Code: "22023", Message: fmt.Sprintf("role %q does not exist", subject.Role), cause: err}
		}
		return err
	}
	if pg.Code == "PGRST" {
		return raised(pg)
	}
	e := &Error{Status: statusOf(pg, anonymous), Code: pg.Code, Message: pg.Message, Details: text(pg.Detail), Hint: text(pg.Hint), cause: err}
	if pg.Code == "42501" && anonymous {
		e.Header = http.Header{"WWW-Authenticate": {"Bearer"}}
	}
	return e
}

func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// statusOf maps SQLSTATEs to statuses, after PostgREST's table (Error.hs, mapSQLtoHTTP). Where that calls what a request brought about our fault, it does not.
func statusOf(pg *pgconn.PgError, anonymous bool) int {
	switch pg.Code {
	case "23503", "23505":
		return http.StatusConflict
	case "25006":
		return http.StatusMethodNotAllowed
	case "21000":
		if pg.Hint != "" || strings.HasSuffix(pg.Message, "requires a WHERE clause") { // an upsert that gives a row twice has a hint; the latter is pg-safeupdate's
			return http.StatusBadRequest
		}
		return http.StatusInternalServerError // a view or a function
	case "22023":
		if strings.HasPrefix(pg.Message, "role ") && strings.HasSuffix(pg.Message, " does not exist") {
			return http.StatusUnauthorized
		}
	case "42501":
		if anonymous {
			return http.StatusUnauthorized
		}
		return http.StatusForbidden
	case "42P17", "53400":
		return http.StatusInternalServerError
	case "42883":
		if strings.HasPrefix(pg.Message, "function xmlagg(") {
			return http.StatusNotAcceptable
		}
		return http.StatusNotFound
	case "42P01":
		return http.StatusNotFound
	case "54001":
		if pg.Where != "" { // a function or trigger that calls itself, not a value that is nested too deep
			return http.StatusInternalServerError
		}
	case "57P01":
		return http.StatusServiceUnavailable
	case "P0001":
		return http.StatusBadRequest
	}
	if n, err := strconv.Atoi(pg.Code[2:]); err == nil && pg.Code[:2] == "PT" && n >= 200 && n <= 599 {
		return n
	}
	switch pg.Code[:2] {
	case "08", "53":
		return http.StatusServiceUnavailable
	case "0L", "0P", "28":
		return http.StatusForbidden
	case "09", "25", "2D", "38", "39", "3B", "40", "55", "57", "58", "F0", "HV", "P0", "PT", "XX":
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

// raised reads `RAISE SQLSTATE 'PGRST'`, whose message is the answer's body and whose detail holds status and headers.
func raised(pg *pgconn.PgError) error {
	broken := func(details, hint string) error {
		return failure(http.StatusInternalServerError, "PGRST121", `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`).with(details, hint)
	}
	var body struct {
		Code    *string `json:"code"`
		Message *string `json:"message"`
		Details *string `json:"details"`
		Hint    *string `json:"hint"`
	}
	if json.Unmarshal([]byte(pg.Message), &body) != nil || body.Code == nil || body.Message == nil {
		return broken("Invalid JSON value for MESSAGE: '"+pg.Message+"'", "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.")
	}
	if pg.Detail == "" {
		return broken("DETAIL is missing in the RAISE statement", "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.")
	}
	var detail struct {
		Status  *int               `json:"status"`
		Headers *map[string]string `json:"headers"`
	}
	if json.Unmarshal([]byte(pg.Detail), &detail) != nil || detail.Status == nil || detail.Headers == nil {
		return broken("Invalid JSON value for DETAIL: '"+pg.Detail+"'", "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.")
	}
	e := &Error{Status: *detail.Status, Code: *body.Code, Message: *body.Message, Header: http.Header{}}
	if body.Details != nil {
		e.Details = *body.Details
	}
	if body.Hint != nil {
		e.Hint = *body.Hint
	}
	for name, value := range *detail.Headers {
		e.Header.Set(name, value)
	}
	return e
}
