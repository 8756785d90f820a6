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

func notSingular(rows int64) *Error {
	return failure(http.StatusNotAcceptable, "PGRST116", "Cannot coerce the result to a single JSON object").
		with(fmt.Sprintf("The result contains %d rows", rows), nil)
}

// sqlError turns what PostgreSQL refused into an answer: its own code, message, detail and hint, which PostgREST shows too; never the statement.
func sqlError(err error, anonymous bool) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		if errors.Is(err, db.ErrUnavailable) {
			return &Error{Status: http.StatusServiceUnavailable, Code: "PGRST001", Message: "Database client error. Retrying the connection.",
				Header: http.Header{"Retry-After": {"5"}}, cause: err}
		}
		if errors.Is(err, db.ErrDenied) {
			return &Error{Status: http.StatusUnauthorized, Code: "PGRST301", Message: "The role of the token is not allowed", cause: err}
		}
		return err
	}
	if pg.Code == "PGRST" {
		return raised(pg)
	}
	status, known := statusOf(pg.Code, anonymous)
	e := &Error{Status: status, Code: pg.Code, Message: pg.Message, Details: text(pg.Detail), Hint: text(pg.Hint), cause: err}
	if !known && strings.HasPrefix(pg.Code, "PT") {
		if n, err := strconv.Atoi(pg.Code[2:]); err == nil && n >= 200 && n <= 599 {
			e.Status = n
		}
	}
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

// statusOf maps SQLSTATEs to statuses, after PostgREST's table.
func statusOf(code string, anonymous bool) (status int, known bool) {
	switch code {
	case "23503", "23505":
		return http.StatusConflict, true
	case "25006":
		return http.StatusMethodNotAllowed, true
	case "21000":
		return http.StatusBadRequest, true
	case "22023":
		return http.StatusBadRequest, true
	case "42501":
		if anonymous {
			return http.StatusUnauthorized, true
		}
		return http.StatusForbidden, true
	case "42P17":
		return http.StatusInternalServerError, true
	case "42883", "42P01":
		return http.StatusNotFound, true
	case "42P10", "42703":
		return http.StatusBadRequest, true
	case "P0001":
		return http.StatusBadRequest, true
	case "53400":
		return http.StatusInternalServerError, true
	case "57P01":
		return http.StatusServiceUnavailable, true
	}
	switch code[:2] {
	case "08":
		return http.StatusServiceUnavailable, true
	case "09", "0L", "0P":
		return map[string]int{"09": http.StatusInternalServerError, "0L": http.StatusForbidden, "0P": http.StatusForbidden}[code[:2]], true
	case "25", "2D", "38", "39", "3B", "40", "53", "55", "57", "58", "F0", "HV", "P0", "XX":
		if code[:2] == "53" {
			return http.StatusServiceUnavailable, true
		}
		return http.StatusInternalServerError, true
	case "28":
		return http.StatusForbidden, true
	case "54": // too many columns, too deep: PostgREST's is 500, but it is the request that is too much
		return http.StatusBadRequest, true
	case "PT":
		return http.StatusInternalServerError, false
	}
	return http.StatusBadRequest, true
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
