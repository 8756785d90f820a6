// Package problem answers requests that failed. It has the one error type of the JSON edges, the adapter from
// handlers that return errors to net/http, and the one table of errors that a retry may help with.
//
// Each edge keeps its own codes and its own body: PostgREST's, Supabase Auth's, or the one of FormatAPI.
package problem

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"
)

// An Error is the answer to a request that failed. Everything but Cause is sent to the client.
type Error struct {
	Status     int
	Code       string
	Message    string        // a sentence for a person
	Details    any           // more, in the type that the edge's Format expects; nil means none
	Header     http.Header   // set on the answer; nil means none
	RetryAfter time.Duration // sent as Retry-After, in whole seconds; 0 means none
	Cause      error         // logged, never sent
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }
func (e *Error) Unwrap() error { return e.Cause }

// Codes of the errors that every edge may answer. A Format may rename them.
const (
	CodeNotFound         = "not_found"
	CodeMethodNotAllowed = "method_not_allowed"
	CodeUnavailable      = "unavailable"
	CodeCanceled         = "canceled"
	CodeTimeout          = "timeout"
	CodeInternal         = "internal"
)

// StatusClientClosedRequest is nginx's status for a client that closed the connection first. Only logs and metrics
// see it.
const StatusClientClosedRequest = 499

// retryAfter is when a client should retry after an outage or a timeout.
const retryAfter = 5 * time.Second

// transient is the table of errors that no edge causes and any edge may meet. The first match wins; the last row
// matches everything.
var transient = []struct {
	matches func(r *http.Request, err error) bool
	answer  Error
}{
	{isUnavailable, Error{
		Status: http.StatusServiceUnavailable, Code: CodeUnavailable, RetryAfter: retryAfter,
		Message: "A service that this request depends on cannot be reached. Nothing was changed; try again in a moment.",
	}},
	{isClientGone, Error{
		Status: StatusClientClosedRequest, Code: CodeCanceled, Message: "The client closed the connection.",
	}},
	{isTimeout, Error{
		Status: http.StatusGatewayTimeout, Code: CodeTimeout, RetryAfter: retryAfter,
		Message: "The request took too long. Try again in a moment.",
	}},
	{func(*http.Request, error) bool { return true }, Error{
		Status: http.StatusInternalServerError, Code: CodeInternal,
		Message: "Something went wrong on our side. It is logged; try again, or send the operator the request id.",
	}},
}

// isUnavailable reports whether a dependency could not be reached: an error in the chain has the method
// Unavailable() bool, and it returns true.
func isUnavailable(_ *http.Request, err error) bool {
	var unavailable interface{ Unavailable() bool }
	return errors.As(err, &unavailable) && unavailable.Unavailable()
}

func isClientGone(r *http.Request, err error) bool {
	return errors.Is(err, context.Canceled) && errors.Is(r.Context().Err(), context.Canceled)
}

// isTimeout also matches a request whose own deadline made something below report context.Canceled.
func isTimeout(r *http.Request, err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(r.Context().Err(), context.DeadlineExceeded)
}

// A Handler is an http.Handler that returns its error instead of writing it. Then it must not have written anything.
type Handler func(w http.ResponseWriter, r *http.Request) error

// A Format makes the body of an answer. It may set headers.
type Format func(w http.ResponseWriter, r *http.Request, e *Error) any

// An Edge writes the errors of one mount. It is safe for concurrent use.
type Edge struct {
	Log    *slog.Logger
	Format Format
	// Translate returns the answer to an error of the packages below the edge, or nil where there is none. It is
	// consulted for errors that are not an *Error; nil means no translation.
	Translate func(err error) *Error
}

// Handle adapts h. An error becomes an answer; one with a status from 500 on is logged.
func (e Edge) Handle(h Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			e.Write(w, r, err)
		}
	}
}

// Write answers with err.
func (e Edge) Write(w http.ResponseWriter, r *http.Request, err error) {
	answer := e.answer(r, err)
	if answer.Status >= http.StatusInternalServerError {
		e.Log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
	}
	for name, values := range answer.Header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	if answer.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(answer.RetryAfter.Seconds()))))
	}
	e.WriteJSON(w, answer.Status, e.Format(w, r, answer))
}

// answer finds what to tell the client.
func (e Edge) answer(r *http.Request, err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if e.Translate != nil {
		if known := e.Translate(err); known != nil {
			return known
		}
	}
	for _, row := range transient {
		if row.matches(r, err) {
			answer := row.answer
			answer.Cause = err
			return &answer
		}
	}
	panic("unreachable: the last row matches")
}

// WriteJSON answers with body. Unless the handler said otherwise, the answer must not be stored by caches.
func (e Edge) WriteJSON(w http.ResponseWriter, status int, body any) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // the answer is never part of a page
	if err := encoder.Encode(body); err != nil {
		e.Log.Error("answer not encoded", "error", err)
		status = http.StatusInternalServerError
	}
	answer := bytes.TrimSuffix(text.Bytes(), []byte("\n"))
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	if _, err := w.Write(answer); err != nil {
		e.Log.Debug("answer not sent", "error", err)
	}
}

// NotFound answers requests for a path that does not exist.
func (e Edge) NotFound(w http.ResponseWriter, r *http.Request) {
	e.Write(w, r, &Error{Status: http.StatusNotFound, Code: CodeNotFound, Message: "There is nothing at this path."})
}

// MethodNotAllowed answers requests with a method that the path does not support.
func (e Edge) MethodNotAllowed(w http.ResponseWriter, r *http.Request) {
	e.Write(w, r, &Error{
		Status: http.StatusMethodNotAllowed, Code: CodeMethodNotAllowed,
		Message: "This path does not support this method.",
	})
}

// FormatAPI is the body of the edges below /api: error, message and, where a field is to blame, details.
func FormatAPI(_ http.ResponseWriter, _ *http.Request, e *Error) any {
	return struct {
		Error   string `json:"error"`
		Message string `json:"message"`
		Details any    `json:"details,omitempty"`
	}{e.Code, e.Message, e.Details}
}

// Fields are the Details of an *Error: what is wrong with each field of a request.
type Fields map[string]string

// Invalid is the answer to a request with a field that is missing or wrong.
func Invalid(field, message string) *Error {
	return &Error{
		Status: http.StatusBadRequest, Code: "invalid_request", Message: message, Details: Fields{field: message},
	}
}
