package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"research/api/problem"
	"research/db"
)

// sqlError converts an error of PostgreSQL to a response with its code, message, details and hint, as
// PostgREST does, but never with the statement. It returns other errors unchanged.
func sqlError(err error, role string, anonymous bool) error {
	var pg *pgconn.PgError
	switch {
	case errors.Is(err, db.ErrUnavailable): // a fault of the server, a pooler or the network, whatever its state
		return err
	case errors.As(err, &pg):
	case errors.Is(err, db.ErrDenied): // reported like a role that does not exist
		return &problem.Error{
			Status: http.StatusUnauthorized, Code: "22023", Message: fmt.Sprintf("role %q does not exist", role),
			Details: extra{}, Cause: err,
		}
	default:
		return err
	}
	if pg.Code == "PGRST" {
		return raised(pg)
	}
	e := &problem.Error{
		Status: statusOf(pg, anonymous), Code: pg.Code, Message: shorten(pg.Message),
		Details: extra{orNull(shorten(pg.Detail)), orNull(shorten(pg.Hint))}, Cause: err,
	}
	if pg.Code == "42501" && anonymous {
		e.Header = http.Header{"Www-Authenticate": {"Bearer"}}
	}
	return e
}

// shorten cuts a text of PostgreSQL, which repeats values of a request in full.
func shorten(text string) string {
	const most = 1000 // bytes
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// statusOf maps SQLSTATEs to statuses, after PostgREST's table (Error.hs, mapSQLtoHTTP). Errors that a
// request caused are 400 or 405 here, even if that table has 500.
func statusOf(pg *pgconn.PgError, anonymous bool) int {
	switch pg.Code {
	case "23503", "23505":
		return http.StatusConflict
	case "25006":
		return http.StatusMethodNotAllowed
	case "21000":
		// An upsert that contains a row twice has a hint. The message is pg-safeupdate's. Other causes are in a
		// view or a function.
		if pg.Hint != "" || strings.HasSuffix(pg.Message, "requires a WHERE clause") {
			return http.StatusBadRequest
		}
		return http.StatusInternalServerError
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
		if pg.Where != "" { // a function or trigger that calls itself, not a value that is nested too deeply
			return http.StatusInternalServerError
		}
	case "55000":
		if strings.Contains(pg.Hint, "INSTEAD OF") { // a view that can only be read
			return http.StatusMethodNotAllowed
		}
	case "57P01":
		return http.StatusServiceUnavailable
	case "P0001":
		return http.StatusBadRequest
	}
	if n, err := strconv.Atoi(pg.Code[2:]); err == nil && pg.Code[:2] == "PT" && n >= 200 && n <= 599 {
		return n
	}
	return statusOfClass(pg.Code[:2])
}

func statusOfClass(class string) int {
	switch class {
	case "08", "53":
		return http.StatusServiceUnavailable
	case "0L", "0P", "28":
		return http.StatusForbidden
	case "09", "25", "2D", "38", "39", "3B", "40", "55", "57", "58", "F0", "HV", "P0", "PT", "XX":
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

// raised reads `RAISE SQLSTATE 'PGRST'`, whose message is the answer's body and whose detail has the status
// and the headers.
func raised(pg *pgconn.PgError) error {
	const (
		messageHint = "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: " +
			"'details', 'hint'."
		detailHint = "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: " +
			"'status_text'."
	)
	var body struct {
		Code    *string `json:"code"`
		Message *string `json:"message"`
		Details *string `json:"details"`
		Hint    *string `json:"hint"`
	}
	if json.Unmarshal([]byte(pg.Message), &body) != nil || body.Code == nil || body.Message == nil {
		return notRaisable("Invalid JSON value for MESSAGE: '"+pg.Message+"'", messageHint)
	}
	if pg.Detail == "" {
		return notRaisable("DETAIL is missing in the RAISE statement", detailHint)
	}
	var detail struct {
		Status  *int               `json:"status"`
		Headers *map[string]string `json:"headers"`
	}
	if json.Unmarshal([]byte(pg.Detail), &detail) != nil || detail.Status == nil || detail.Headers == nil {
		return notRaisable("Invalid JSON value for DETAIL: '"+pg.Detail+"'", detailHint)
	}
	e := &problem.Error{
		Status: *detail.Status, Code: *body.Code, Message: *body.Message,
		Details: extra{body.Details, body.Hint}, Header: http.Header{},
	}
	for name, value := range *detail.Headers {
		e.Header.Set(name, value)
	}
	return e
}

func notRaisable(details, hint string) error {
	return &problem.Error{
		Status: http.StatusInternalServerError, Code: "PGRST121",
		Message: `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`, Details: extra{details, hint},
	}
}
