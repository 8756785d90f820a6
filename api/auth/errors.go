package auth

import (
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

	"github.com/jackc/pgx/v5/pgconn"

	"research/api/token"
	"research/db"
	"research/temporalclient"
)

// An Error is an answer of this edge. The cause is logged, never sent.
type Error struct {
	Status     int
	Code       string // GoTrue's error_code
	OAuth      string // the owner's error: RFC 6749's where it has one
	Message    string
	RetryAfter time.Duration // of a 429 or 503
	Reasons    []string      // of weak_password
	cause      error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }
func (e *Error) Unwrap() error { return e.cause }

func fail(status int, code, message string) *Error {
	return &Error{Status: status, Code: code, OAuth: code, Message: message}
}

func invalidGrant(code, message string) *Error {
	return &Error{Status: http.StatusBadRequest, Code: code, OAuth: "invalid_grant", Message: message}
}

func tooMany(code, message string, wait time.Duration) *Error {
	return &Error{Status: http.StatusTooManyRequests, Code: code, OAuth: code, Message: message, RetryAfter: wait}
}

// The answers that are given in several places, in GoTrue's words.
var (
	errInvalidCredentials = invalidGrant("invalid_credentials", "Invalid login credentials")
	errBanned             = invalidGrant("user_banned", "User is banned")
	errNotConfirmed       = invalidGrant("email_not_confirmed", "Email not confirmed")
	errTokenNotFound      = invalidGrant("refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")
	errTokenUsed          = invalidGrant("refresh_token_already_used", "Invalid Refresh Token: Already Used")
	errSessionExpired     = invalidGrant("session_expired", "Invalid Refresh Token: Session Expired")
	errGrantType          = fail(http.StatusBadRequest, "unsupported_grant_type", "grant_type must be password or refresh_token")
	errSessionGone        = fail(http.StatusForbidden, "session_not_found", "Session from session_id claim in JWT does not exist")
	errUserNotFound       = fail(http.StatusNotFound, "user_not_found", "User not found")
	errEmailExists        = fail(http.StatusUnprocessableEntity, "email_exists", "A user with this email address has already been registered")
	errUserGone           = invalidGrant("user_not_found", "User not found")
	errTimeout            = &Error{Status: http.StatusGatewayTimeout, Code: "request_timeout", OAuth: "temporarily_unavailable", Message: "The request took too long. Try again in a moment.", RetryAfter: 5 * time.Second}
	errLink               = fail(http.StatusForbidden, "otp_expired", "Email link is invalid or has expired")
)

// statusGone is nginx's for a client that did not wait; nobody reads it but the log.
const statusGone = 499

// sessionOwner is the constraint that refuses the session of a user who was deleted while signing in.
const sessionOwner = "sessions_user_id_fkey"

// apiVersionHeader is echoed to clients that know versions, and changes the body's code.
const (
	apiVersionHeader = "X-Supabase-Api-Version"
	apiVersion       = "2024-01-01"
	errorCodeHeader  = "x-sb-error-code"
)

// A handler returns its error; the adapter writes it.
type handler func(w http.ResponseWriter, r *http.Request) error

func (s *Server) handle(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.writeError(w, r, err)
		}
	}
}

// known finds the answer to an error.
func known(err error) *Error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, token.ErrNoAPIKey), errors.Is(err, token.ErrBadAPIKey), errors.Is(err, token.ErrNoToken):
		return fail(http.StatusUnauthorized, "no_authorization", err.Error())
	case errors.Is(err, token.ErrExpired), errors.Is(err, token.ErrInvalid):
		return fail(http.StatusForbidden, "bad_jwt", err.Error())
	case errors.Is(err, db.ErrUnavailable):
		e = fail(http.StatusServiceUnavailable, "unexpected_failure", "The database cannot be reached. Try again in a moment.")
		e.RetryAfter = 5 * time.Second
		return e
	case errors.Is(err, context.Canceled):
		return fail(statusGone, "request_canceled", "The client is gone.")
	case errors.Is(err, context.DeadlineExceeded):
		return errTimeout
	case db.Constraint(err) == sessionOwner:
		return errUserGone
	case errors.Is(err, temporalclient.ErrUnavailable):
		e = fail(http.StatusServiceUnavailable, "unexpected_failure", "Mails cannot be sent right now. Nothing was changed; try again in a moment.")
		e.RetryAfter = 5 * time.Second
		return e
	}
	// A value that Go takes and PostgreSQL does not: a number beyond numeric, JSON nested too deep.
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "57014" { // a statement that took longer than the operator allows
		return errTimeout
	}
	if errors.As(err, &refused) && (strings.HasPrefix(refused.Code, "22") || refused.Code == "54001") {
		return fail(http.StatusBadRequest, "validation_failed", "A value cannot be stored.")
	}
	return fail(http.StatusInternalServerError, "unexpected_failure", "Unexpected failure, please check server logs for more information")
}

func (s *Server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	e := known(err)
	if e.Status >= http.StatusInternalServerError {
		s.log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
	}
	body := map[string]any{
		"error": e.OAuth, "error_description": e.Message,
		"code": e.Status, "error_code": e.Code, "msg": e.Message, "message": e.Message,
	}
	if r.Header.Get(apiVersionHeader) >= apiVersion {
		w.Header().Set(apiVersionHeader, apiVersion)
		body["code"] = e.Code
	}
	if e.Reasons != nil {
		body["weak_password"] = map[string]any{"message": e.Message, "reasons": e.Reasons}
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	w.Header().Set(errorCodeHeader, e.Code)
	s.writeJSON(w, e.Status, body)
}

func (s *Server) writeJSON(w http.ResponseWriter, status int, body any) {
	writeJSON(w, s.log, status, body)
}

func writeJSON(w http.ResponseWriter, log *slog.Logger, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		log.Debug("the client went away", "error", err)
	}
}
