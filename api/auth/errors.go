package auth

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"research/api/token"
	"research/db"
)

// An Error is an answer of this edge. The cause is logged, never sent.
type Error struct {
	Status  int
	Code    string // GoTrue's error_code
	OAuth   string // the owner's error: RFC 6749's where it has one
	Message string
	cause   error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }
func (e *Error) Unwrap() error { return e.cause }

func fail(status int, code, message string) *Error {
	return &Error{Status: status, Code: code, OAuth: code, Message: message}
}

// The answers that have a name elsewhere.
var (
	errInvalidCredentials = &Error{http.StatusBadRequest, "invalid_credentials", "invalid_grant", "Invalid login credentials", nil}
	errTokenNotFound      = &Error{http.StatusBadRequest, "refresh_token_not_found", "invalid_grant", "Invalid Refresh Token: Refresh Token Not Found", nil}
	errTokenUsed          = &Error{http.StatusBadRequest, "refresh_token_already_used", "invalid_grant", "Invalid Refresh Token: Already Used", nil}
	errGrantType          = &Error{http.StatusBadRequest, "unsupported_grant_type", "unsupported_grant_type", "grant_type must be password or refresh_token", nil}
)

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

func (s *Server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	var known *Error
	switch {
	case errors.As(err, &known):
	case errors.Is(err, token.ErrNoAPIKey), errors.Is(err, token.ErrBadAPIKey):
		known = fail(http.StatusUnauthorized, "no_authorization", err.Error())
	case errors.Is(err, token.ErrNoToken):
		known = fail(http.StatusUnauthorized, "no_authorization", err.Error())
	case errors.Is(err, token.ErrExpired), errors.Is(err, token.ErrInvalid):
		known = fail(http.StatusForbidden, "bad_jwt", err.Error())
	case errors.Is(err, db.ErrUnavailable):
		known = fail(http.StatusServiceUnavailable, "unexpected_failure", "The database cannot be reached. Try again in a moment.")
		w.Header().Set("Retry-After", "5")
	default:
		known = fail(http.StatusInternalServerError, "unexpected_failure", "Unexpected failure, please check server logs for more information")
	}
	if known.Status >= http.StatusInternalServerError {
		s.log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
	}
	body := map[string]any{
		"error": known.OAuth, "error_description": known.Message,
		"code": known.Status, "error_code": known.Code, "msg": known.Message, "message": known.Message,
	}
	if r.Header.Get(apiVersionHeader) >= apiVersion {
		w.Header().Set(apiVersionHeader, apiVersion)
		body["code"] = known.Code
	}
	w.Header().Set(errorCodeHeader, known.Code)
	writeJSON(w, s.log, known.Status, body)
}

func writeJSON(w http.ResponseWriter, log *slog.Logger, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		log.Debug("the client went away", "error", err)
	}
}
