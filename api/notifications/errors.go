package notifications

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

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
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }

var (
	errUnauthorized = &Error{Status: http.StatusUnauthorized, Code: "unauthorized", Message: "This endpoint wants Authorization: Bearer with the deployment's CRON_SECRET."}
	errFrequency    = &Error{Status: http.StatusBadRequest, Code: "invalid_request", Message: "The query parameter frequency must be given once, as daily or weekly.",
		Details: map[string]string{"frequency": "must be daily or weekly"}}
	errUnavailable = &Error{Status: http.StatusServiceUnavailable, Code: "unavailable", Message: "The service that sends the digests cannot be reached. Try again in a moment: nobody gets one twice.",
		RetryAfter: 5 * time.Second}
	errDigests = &Error{Status: http.StatusServiceUnavailable, Code: "digests_failed", Message: "The run ended before everything was sent. What is left goes out with the next run: nobody gets one twice.",
		RetryAfter: time.Minute}
	errTimeout  = &Error{Status: http.StatusGatewayTimeout, Code: "timeout", Message: "The request took too long. Try again in a moment.", RetryAfter: 5 * time.Second}
	errGone     = &Error{Status: statusGone, Code: "canceled", Message: "The client is gone."}
	errInternal = &Error{Status: http.StatusInternalServerError, Code: "internal", Message: "Something went wrong on our side. It is logged; tell the operator the request id."}
)

// statusGone is nginx's for a client that did not wait; nobody reads it but the log.
const statusGone = 499

// A handler returns its error; the adapter writes it.
type handler func(w http.ResponseWriter, r *http.Request) error

func (s *server) handle(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.writeError(w, r, err)
		}
	}
}

func (s *server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	var known *Error
	switch {
	case errors.As(err, &known):
	case errors.Is(err, workflows.ErrDigests):
		known = errDigests
	case errors.Is(err, workflows.ErrUnavailable), errors.Is(err, db.ErrUnavailable):
		known = errUnavailable
	case errors.Is(err, context.Canceled) && r.Context().Err() != nil:
		known = errGone
	case errors.Is(err, context.DeadlineExceeded):
		known = errTimeout
	default:
		known = errInternal
	}
	if known.Status >= http.StatusInternalServerError {
		s.Log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
	}
	if known.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if known.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(known.RetryAfter.Seconds())))
	}
	body := map[string]any{"error": known.Code, "message": known.Message}
	if known.Details != nil {
		body["details"] = known.Details
	}
	s.writeJSON(w, known.Status, body)
}
