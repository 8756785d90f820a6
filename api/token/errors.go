package token

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// The errors of authentication. Each edge returns them in its own format.
var (
	ErrNoAPIKey  = errors.New("the header apikey is missing: send the project's anonymous key")
	ErrBadAPIKey = errors.New("the header apikey is not a key of this project")
	ErrNoToken   = errors.New("the header Authorization is missing: sign in and send `Bearer <access token>`")
	ErrExpired   = errors.New("the access token has expired")
	// ErrInvalid means that an access token was rejected for any other reason. A *ValidationError says which.
	ErrInvalid = errors.New("the access token is not valid")
	// ErrSecretInBrowser is an ErrBadAPIKey.
	ErrSecretInBrowser error = &specificError{
		"a browser sent a secret key: use it on servers only, and replace it now",
		ErrBadAPIKey,
	}
	// ErrSecretInAddress is an ErrBadAPIKey.
	ErrSecretInAddress error = &specificError{
		"a secret key in the address ends up in logs: send it in the header apikey, and replace it now",
		ErrBadAPIKey,
	}
	// errPersonalToken does not say which it is, since the one who sent the token may not know either.
	errPersonalToken error = &specificError{
		"the personal access token does not exist, was revoked, or belongs to a user who may not use it",
		ErrInvalid,
	}
	// ErrSessionEnded is an ErrInvalid.
	ErrSessionEnded error = &specificError{
		"the session of this access token has ended: sign in again",
		ErrInvalid,
	}
)

// A LimitError rejects a personal access token that was not looked up, since too many of the same network do
// not exist. It may be a valid one.
type LimitError struct{ Wait time.Duration }

func (e *LimitError) Error() string {
	return "too many tokens that do not exist came from this network"
}

// UnknownTokens returns when a retry may succeed, for package problem.
func (e *LimitError) UnknownTokens() time.Duration { return e.Wait }

// IsUnauthenticated reports whether err means that a request has no valid API key or access token.
func IsUnauthenticated(err error) bool {
	for _, known := range []error{ErrNoAPIKey, ErrBadAPIKey, ErrNoToken, ErrExpired, ErrInvalid} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// A specificError is a case of a more general error, for edges that do not distinguish the two.
type specificError struct {
	message string
	general error
}

func (e *specificError) Error() string { return e.message }
func (e *specificError) Unwrap() error { return e.general }

// A ValidationError is an ErrInvalid that names the check that failed. Its texts are PostgREST's (Error.hs,
// instance ErrorBody JwtError), for clients that look for them. They reveal nothing about keys.
type ValidationError struct {
	Message string
	Detail  string // may be empty
	// InClaims reports whether the signature was valid and a claim was rejected.
	InClaims bool
}

func (e *ValidationError) Error() string { return ErrInvalid.Error() + ": " + e.Message }
func (e *ValidationError) Unwrap() error { return ErrInvalid }

// The validation errors that do not depend on the text of the token.
var (
	// ErrAudience means that aud does not name the expected audience.
	ErrAudience error = &ValidationError{Message: "JWT not in audience", InClaims: true}

	errEmpty     error = &ValidationError{Message: "Empty JWT is sent in Authorization header"}
	errNotYet    error = &ValidationError{Message: "JWT not yet valid", InClaims: true}
	errFuture    error = &ValidationError{Message: "JWT issued at future", InClaims: true}
	errUnread    error = &ValidationError{Message: "JWT cryptographic operation failed"}
	errSignature error = &ValidationError{
		Message: "No suitable key or wrong key type", Detail: "None of the keys was able to decode the JWT",
	}
)

// partsError is the error of a token that does not have three parts.
func partsError(bearer string) error {
	parts := strings.Count(bearer, ".") + 1
	return &ValidationError{Message: fmt.Sprintf("Expected 3 parts in JWT; got %d", parts)}
}

// keyError is the error of a token that no key validates, because of its algorithm or otherwise.
func keyError(algorithm string) error {
	switch {
	case algorithm == jwt.SigningMethodNone.Alg():
		return &ValidationError{
			Message: "Wrong or unsupported encoding algorithm",
			Detail:  "JWT is unsecured but expected 'alg' was not 'none'",
		}
	case jwt.GetSigningMethod(algorithm) == nil:
		return &ValidationError{Message: "Wrong or unsupported encoding algorithm"}
	}
	return errSignature
}

// claimError is the error of a claim with another type than RFC 7519 §4.1 requires.
func claimError(name string) error {
	switch name {
	case "exp", "nbf", "iat":
		return &ValidationError{Message: "The JWT '" + name + "' claim must be a number", InClaims: true}
	case "aud":
		return &ValidationError{
			Message: "The JWT 'aud' claim must be a string or an array of strings", InClaims: true,
		}
	}
	return &ValidationError{Message: "Parsing claims failed", InClaims: true}
}

// explain converts an error of the JWT library into one of this package.
func explain(bearer string, err error) error {
	var known *ValidationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return known
	case errors.Is(err, jwt.ErrTokenInvalidIssuer):
		return ErrInvalid
	case errors.Is(err, jwt.ErrTokenInvalidAudience):
		return ErrAudience
	case errors.Is(err, jwt.ErrTokenExpired):
		return ErrExpired
	case errors.Is(err, jwt.ErrTokenNotValidYet):
		return errNotYet
	case errors.Is(err, jwt.ErrTokenUsedBeforeIssued):
		return errFuture
	case errors.Is(err, jwt.ErrTokenMalformed):
		return errUnread
	case errors.Is(err, jwt.ErrTokenSignatureInvalid), errors.Is(err, jwt.ErrTokenUnverifiable):
		content, _ := readUnverified(bearer)
		return keyError(content.algorithm)
	}
	return ErrInvalid
}
