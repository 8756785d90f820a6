package token

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/golang-jwt/jwt/v5"
)

// A Problem is an ErrInvalid that says which check a token did not pass. Its texts are PostgREST's (Error.hs, instance ErrorBody JwtError), for clients that look for
// them; they tell nothing of keys.
type Problem struct {
	// Text says what is wrong, Detail more of it; the latter may be empty.
	Text, Detail string
	// Claims tells that the token could be read and a claim of it is refused.
	Claims bool
}

func (p *Problem) Error() string { return ErrInvalid.Error() + ": " + p.Text }
func (p *Problem) Unwrap() error { return ErrInvalid }

// The problems that do not depend on the token's text.
var (
	ErrEmpty     error = &Problem{Text: "Empty JWT is sent in Authorization header"}
	ErrAudience  error = &Problem{Text: "JWT not in audience", Claims: true}
	errNotYet    error = &Problem{Text: "JWT not yet valid", Claims: true}
	errFuture    error = &Problem{Text: "JWT issued at future", Claims: true}
	errUnread    error = &Problem{Text: "JWT cryptographic operation failed"}
	errSignature error = &Problem{Text: "No suitable key or wrong key type", Detail: "None of the keys was able to decode the JWT"}
)

// partsProblem counts the parts of what should have three.
func partsProblem(bearer string) error {
	return &Problem{Text: fmt.Sprintf("Expected 3 parts in JWT; got %d", strings.Count(bearer, ".")+1)}
}

// keyProblem is a token that no key of ours verifies, because of its algorithm or not.
func keyProblem(algorithm string) error {
	switch {
	case algorithm == jwt.SigningMethodNone.Alg():
		return &Problem{Text: "Wrong or unsupported encoding algorithm", Detail: "JWT is unsecured but expected 'alg' was not 'none'"}
	case jwt.GetSigningMethod(algorithm) == nil:
		return &Problem{Text: "Wrong or unsupported encoding algorithm"}
	}
	return errSignature
}

// claimProblem is a claim of another type than RFC 7519 §4.1 wants.
func claimProblem(name string) error {
	switch name {
	case "exp", "nbf", "iat":
		return &Problem{Text: "The JWT '" + name + "' claim must be a number", Claims: true}
	case "aud":
		return &Problem{Text: "The JWT 'aud' claim must be a string or an array of strings", Claims: true}
	}
	return &Problem{Text: "Parsing claims failed", Claims: true}
}

// Parse reads a JWT, and checks its signature, exp, nbf and what the options want. It is how every token is read; who may have signed it, and what its claims must
// hold, is its callers' matter. Errors: ErrExpired; ErrInvalid, mostly as a *Problem.
func Parse(bearer string, key jwt.Keyfunc, options ...jwt.ParserOption) (Claims, error) {
	if strings.Count(bearer, ".") != 2 {
		return Claims{}, partsProblem(bearer)
	}
	var claims Claims
	_, err := jwt.NewParser(append(options, jwt.WithStrictDecoding())...).ParseWithClaims(bearer, &claims, key)
	return claims, explain(bearer, err)
}

// explain turns an error of the JWT library into one of ours.
func explain(bearer string, err error) error {
	var known *Problem
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
		said, _ := peek(bearer)
		return keyProblem(said.algorithm)
	}
	return ErrInvalid
}

// Claims are those that we read ourselves.
type Claims struct {
	jwt.RegisteredClaims
	Role         string
	SessionID    string
	Email        string
	UserMetadata json.RawMessage
}

// UnmarshalJSON reads names as they are: package json would take "Sub" for "sub", and an issuer may let people choose the former.
func (c *Claims) UnmarshalJSON(raw []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return claimProblem("")
	}
	for _, one := range []struct {
		name string
		into any
	}{
		{"iss", &c.Issuer}, {"sub", &c.Subject}, {"exp", &c.ExpiresAt}, {"nbf", &c.NotBefore}, {"iat", &c.IssuedAt}, {"aud", &c.Audience},
		{"role", &c.Role}, {"session_id", &c.SessionID}, {"email", &c.Email},
	} {
		if value, there := all[one.name]; there {
			if err := json.Unmarshal(value, one.into); err != nil {
				return claimProblem(one.name)
			}
		}
	}
	c.UserMetadata = all["user_metadata"]
	return nil
}
