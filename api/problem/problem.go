// Package problem writes error responses. It has the error type of the JSON edges, the adapter from handlers
// that return errors to net/http, and the table of transient errors.
//
// Each edge keeps its own codes and its own body: PostgREST's, Supabase Auth's, or the one of FormatAPI.
package problem

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
)

// An Error is the response to a failed request. Everything but Cause is sent to the client.
type Error struct {
	Status     int
	Code       string
	Message    string        // a sentence for a person
	Details    any           // more, in the type that the edge's Format expects; nil means none
	Header     http.Header   // of the response; nil means none
	RetryAfter time.Duration // sent as Retry-After, in whole seconds; 0 means none
	Cause      error         // logged, never sent
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }
func (e *Error) Unwrap() error { return e.Cause }

// Codes of errors that every edge may return. A Format may rename them.
const (
	CodeNotFound         = "not_found"
	CodeMethodNotAllowed = "method_not_allowed"
	CodeUnavailable      = "unavailable"
	CodeCanceled         = "canceled"
	CodeTimeout          = "timeout"
	CodeInternal         = "internal"
	CodeUnsupportedMedia = "unsupported_media_type"
	CodeScope            = "insufficient_scope" // RFC 6750, section 3.1
	CodeTooMany          = "too_many_requests"
)

// StatusClientClosedRequest is nginx's status for a client that closed the connection first. It appears in
// logs and metrics only.
const StatusClientClosedRequest = 499

// retryAfter is when a client should retry after an outage or a timeout.
const retryAfter = 5 * time.Second

// transient maps errors from outside an edge to responses. The first match wins; the last row matches
// everything.
var transient = []struct {
	matches func(r *http.Request, err error) bool
	answer  Error
}{
	{func(_ *http.Request, err error) bool { return isReadOnly(err) }, Error{
		Status: http.StatusServiceUnavailable, Code: CodeUnavailable, RetryAfter: time.Minute,
		Message: "For now everything can be read and nothing changed: the database is read-only. The operator " +
			"has to act; nothing was changed.",
	}},
	{func(_ *http.Request, err error) bool { return needsOperator(err) }, Error{
		Status: http.StatusServiceUnavailable, Code: CodeUnavailable, RetryAfter: time.Minute,
		Message: "For now this cannot be done: a service that it depends on refuses it. The operator has to act; " +
			"nothing was changed.",
	}},
	{func(_ *http.Request, err error) bool { return IsUnavailable(err) }, Error{
		Status: http.StatusServiceUnavailable, Code: CodeUnavailable, RetryAfter: retryAfter,
		Message: "The service is busy, or a service that it depends on cannot be reached. Nothing was changed; " +
			"try again in a moment.",
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

// ofToken returns the response to an error of a token that may be valid, or nil: an error in the chain has
// the method NeededScope() string, or UnknownTokens() time.Duration, which is when a retry may succeed.
func ofToken(err error) *Error {
	if lacking, ok := errors.AsType[interface {
		error
		NeededScope() string
	}](err); ok {
		return InsufficientScope(lacking.NeededScope())
	}
	if limited, ok := errors.AsType[interface {
		error
		UnknownTokens() time.Duration
	}](err); ok {
		return &Error{
			Status: http.StatusTooManyRequests, Code: CodeTooMany, Cause: err, RetryAfter: limited.UnknownTokens(),
			Message: "Too many tokens that do not exist came from your network. Try again in a moment.",
		}
	}
	return nil
}

// IsUnavailable reports whether a dependency could not be reached, or there is no memory for a body: an error
// in the chain has the method Unavailable() bool, and it returns true.
func IsUnavailable(err error) bool {
	var unavailable interface{ Unavailable() bool }
	return errors.As(err, &unavailable) && unavailable.Unavailable()
}

// isReadOnly reports whether a database refused to be written to: an error in the chain has the method
// ReadOnly() bool, and it returns true.
func isReadOnly(err error) bool {
	var readOnly interface{ ReadOnly() bool }
	return errors.As(err, &readOnly) && readOnly.ReadOnly()
}

// needsOperator reports whether a dependency responds and refuses, so that it does not help to try again: an
// error in the chain has the method NeedsOperator() bool, and it returns true.
func needsOperator(err error) bool {
	var refused interface{ NeedsOperator() bool }
	return errors.As(err, &refused) && refused.NeedsOperator()
}

func isClientGone(r *http.Request, err error) bool {
	return errors.Is(err, context.Canceled) && errors.Is(r.Context().Err(), context.Canceled)
}

// isTimeout also matches a request whose own deadline made something below report context.Canceled.
func isTimeout(r *http.Request, err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(r.Context().Err(), context.DeadlineExceeded)
}

// A Handler is an http.Handler that returns its error instead of writing it. Then it must not have written
// anything.
type Handler func(w http.ResponseWriter, r *http.Request) error

// A Format returns the body of a response. It may set headers.
type Format func(w http.ResponseWriter, r *http.Request, e *Error) any

// An Edge writes the errors of one mount. It is safe for concurrent use.
type Edge struct {
	Log    *slog.Logger
	Format Format
	// Translations are for errors that are not an *Error. The first that returns a response wins.
	Translations []Translation
	// Lenient leaves queries to the handlers: those of copied wires, and those that authenticate first.
	Lenient bool
}

// A Translation returns the response to an error of the packages below an edge, or nil if it is for others.
type Translation func(err error) *Error

// Is returns the translation of an error that callers test for with errors.Is.
func Is(target error, answer *Error) Translation {
	return When(func(err error) bool { return errors.Is(err, target) }, func(error) *Error { return answer })
}

// As returns the translation of errors of a type.
func As[T error](answer func(T) *Error) Translation {
	return func(err error) *Error {
		if typed, ok := errors.AsType[T](err); ok {
			return answer(typed)
		}
		return nil
	}
}

// When returns the translation of the errors for which matches returns true.
func When(matches func(error) bool, answer func(error) *Error) Translation {
	return func(err error) *Error {
		if matches(err) {
			return answer(err)
		}
		return nil
	}
}

// Handle adapts h. An error becomes a response, and is logged if its status is 500 or above. Unless the edge
// is Lenient, a request with other query parameters than those named is rejected: see CheckQuery.
func (e Edge) Handle(h Handler, parameters ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var err error
		if !e.Lenient {
			err = CheckQuery(r, parameters...)
		}
		if err == nil {
			err = h(w, r)
		}
		if err != nil {
			e.Write(w, r, err)
		}
	}
}

// Write responds with err.
func (e Edge) Write(w http.ResponseWriter, r *http.Request, err error) {
	answer := e.Answer(r, err)
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

// Known returns the response to err if it is an *Error or has a translation, and nil for the errors that
// every edge may have.
func (e Edge) Known(err error) *Error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	for _, translate := range e.Translations {
		if known := translate(err); known != nil {
			return known
		}
	}
	return nil
}

// Answer returns the response to err, for edges that do not write it as it is.
func (e Edge) Answer(r *http.Request, err error) *Error {
	if known := e.Known(err); known != nil {
		return known
	}
	if known := ofToken(err); known != nil {
		return known
	}
	for _, row := range transient {
		if row.matches(r, err) {
			answer := row.answer
			answer.Cause = err
			return &answer
		}
	}
	panic("unreachable: the last row matches everything")
}

// WriteJSON responds with body. Caches must not store the response, unless the handler set Cache-Control.
func (e Edge) WriteJSON(w http.ResponseWriter, status int, body any) {
	answer, err := Encode(body)
	if err != nil {
		e.Log.Error("answer not encoded", "error", err)
		status = http.StatusInternalServerError
	}
	e.WriteEncoded(w, status, answer)
}

// WriteEncoded is WriteJSON for the result of Encode.
func (e Edge) WriteEncoded(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	if _, err := w.Write(body); err != nil {
		e.Log.Debug("answer not sent", "error", err)
	}
}

// Encode returns the JSON of a body as WriteJSON sends it.
func Encode(body any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // the response is never embedded in a page
	err := encoder.Encode(body)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// Fallbacks makes a router respond with errors of the edge to requests for which it has no route.
func (e Edge) Fallbacks(r chi.Router) {
	r.NotFound(e.NotFound)
	r.MethodNotAllowed(func(w http.ResponseWriter, request *http.Request) {
		path := cmp.Or(chi.RouteContext(request.Context()).RoutePath, request.URL.RawPath, request.URL.Path)
		var allowed []string
		for _, method := range methods {
			if !r.Match(chi.NewRouteContext(), method, path) {
				continue
			}
			allowed = append(allowed, method)
			if method == http.MethodGet {
				allowed = append(allowed, http.MethodHead)
			}
		}
		e.rejectMethod(w, request, allowed...)
	})
}

// methods are those that routes may have, without HEAD, which is supported where GET is.
var methods = []string{
	http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
}

// NotFound responds to requests for a path that does not exist.
func (e Edge) NotFound(w http.ResponseWriter, r *http.Request) {
	e.Write(w, r, &Error{
		Status: http.StatusNotFound, Code: CodeNotFound, Message: "There is nothing at this path.",
	})
}

// ReadOnly returns a handler that answers GET and HEAD by h, and rejects other methods.
func (e Edge) ReadOnly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			e.rejectMethod(w, r, http.MethodGet, http.MethodHead)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// rejectMethod responds to a request with a method that its path does not support.
func (e Edge) rejectMethod(w http.ResponseWriter, r *http.Request, allowed ...string) {
	list := strings.Join(allowed, ", ")
	e.Write(w, r, &Error{
		Status: http.StatusMethodNotAllowed, Code: CodeMethodNotAllowed,
		Message: "This path does not support " + methodName(r.Method) + ", but " + list + ".",
		Header:  http.Header{"Allow": {list}},
	})
}

// methodName returns a method for a message, or words for one that no client sends by design.
func methodName(method string) string {
	if len(method) > len(http.MethodOptions) {
		return "this method"
	}
	return method
}

// FormatAPI is the Format of the edges below /api: error, message and, if a field is invalid, details.
func FormatAPI(_ http.ResponseWriter, _ *http.Request, e *Error) any {
	return struct {
		Error   string `json:"error"`
		Message string `json:"message"`
		Details any    `json:"details,omitempty"`
	}{e.Code, e.Message, e.Details}
}

// Fields are the Details of an *Error: the problem with each invalid field of a request.
type Fields map[string]string

// Invalid is the response to a request with a missing or invalid field.
func Invalid(field, message string) *Error {
	return &Error{
		Status: http.StatusBadRequest, Code: "invalid_request", Message: message, Details: Fields{field: message},
	}
}

// InsufficientScope is the response to a request with a valid token that does not have a scope (RFC 6750,
// section 3.1).
func InsufficientScope(scope string) *Error {
	return &Error{
		Status: http.StatusForbidden, Code: CodeScope,
		Message: "This token does not have the scope " + scope + ", which this request needs.",
		Header:  http.Header{"Www-Authenticate": {`Bearer error="insufficient_scope", scope="` + scope + `"`}},
	}
}

// Unauthorized is the response to a request without a valid API key or access token. The message is the text
// of err.
func Unauthorized(err error) *Error {
	text := err.Error()
	return &Error{
		Status: http.StatusUnauthorized, Code: "unauthorized", Message: strings.ToUpper(text[:1]) + text[1:] + ".",
		Header: http.Header{"Www-Authenticate": {"Bearer"}},
	}
}
