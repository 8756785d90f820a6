package imports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"research/api/token"
	"research/db"
	"research/workflows"
)

// An Error is an answer of this edge. The cause is logged, never sent.
type Error struct {
	Status     int
	Code       string
	Message    string
	Details    map[string]string // field → what is wrong with it
	RetryAfter time.Duration
	cause      error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }
func (e *Error) Unwrap() error { return e.cause }

func invalid(field, problem string) *Error {
	return &Error{Status: http.StatusBadRequest, Code: "invalid_request", Message: problem, Details: map[string]string{field: problem}}
}

func unprocessable(code, message string) *Error {
	return &Error{Status: http.StatusUnprocessableEntity, Code: code, Message: message}
}

// queueRetry is when to come again where the queue is full: in that time some imports end.
const queueRetry = 30 * time.Second

// The answers that are given in several places.
var (
	errImportNotFound = unprocessable("import_not_found", "There is no such import, or you are not a member of its workspace.")
	errNothingRuns    = unprocessable("import_not_parsing", "Nothing is running that could be cancelled.")
	errQueueFull      = &Error{Status: http.StatusTooManyRequests, Code: "queue_full", RetryAfter: queueRetry,
		Message: "The service has as many interviews to read as it takes at once. Nothing was changed; try again in a while."}
	errWorkspaceQueueFull = &Error{Status: http.StatusTooManyRequests, Code: "queue_full", RetryAfter: queueRetry,
		Message: "This workspace has as many interviews to read as it may have at once. Nothing was changed; try again when some are done."}
	errForbidden = &Error{Status: http.StatusForbidden, Code: "forbidden", Message: "Your role in this workspace only allows reading. Ask an owner or admin to make you an editor."}
)

func unavailable(cause error) *Error {
	return &Error{Status: http.StatusServiceUnavailable, Code: "unavailable",
		Message: "The service that runs the parsing cannot be reached. Nothing was changed; try again in a moment.", RetryAfter: 5 * time.Second, cause: cause}
}

// statusGone is nginx's for a client that did not wait; nobody reads it but the log.
const statusGone = 499

// A handler returns its error; the adapter writes it.
type handler func(w http.ResponseWriter, r *http.Request) error

func (s *Server) handle(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.writeError(w, r, err)
		}
	}
}

func (s *Server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	var known *Error
	switch {
	case errors.As(err, &known):
	case errors.Is(err, token.ErrNoAPIKey), errors.Is(err, token.ErrBadAPIKey), errors.Is(err, token.ErrNoToken), errors.Is(err, token.ErrExpired), errors.Is(err, token.ErrInvalid):
		known = &Error{Status: http.StatusUnauthorized, Code: "unauthorized", Message: sentence(err)}
		w.Header().Set("WWW-Authenticate", "Bearer")
	case errors.Is(err, workflows.ErrUnavailable), errors.Is(err, db.ErrUnavailable):
		known = unavailable(err)
	case errors.Is(err, db.ErrDenied):
		known = errForbidden
	case errors.Is(err, context.Canceled) && r.Context().Err() != nil:
		known = &Error{Status: statusGone, Code: "canceled", Message: "The client is gone."}
	case errors.Is(err, context.DeadlineExceeded):
		known = &Error{Status: http.StatusGatewayTimeout, Code: "timeout", Message: "The request took too long. Try again in a moment.", RetryAfter: 5 * time.Second}
	default:
		known = &Error{Status: http.StatusInternalServerError, Code: "internal", Message: "Something went wrong on our side. It is logged; try again, or tell the operator the request id."}
	}
	if known.Status >= http.StatusInternalServerError {
		s.log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
	}
	if known.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(known.RetryAfter.Seconds())))
	}
	body := map[string]any{"error": known.Code, "message": known.Message}
	if known.Details != nil {
		body["details"] = known.Details
	}
	writeJSON(w, s.log, known.Status, body)
}

// sentence makes an answer of an error's text.
func sentence(err error) string {
	text := err.Error()
	return string(text[0]-'a'+'A') + text[1:] + "."
}

func writeJSON(w http.ResponseWriter, log *slog.Logger, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		log.Debug("the client went away", "error", err)
	}
}
