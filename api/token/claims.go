package token

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"

	"research/db"
)

// Claims are the claims that this package reads.
type Claims struct {
	jwt.RegisteredClaims
	Role         string
	SessionID    string
	ClientID     string // of an app
	Scope        string // of an app, separated by spaces (RFC 9068)
	Email        string
	UserMetadata json.RawMessage
}

// UnmarshalJSON matches the names of claims exactly. Package json would accept "Sub" for "sub", and an issuer
// may let its users choose the former.
func (c *Claims) UnmarshalJSON(raw []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return claimError("")
	}
	for _, claim := range []struct {
		name string
		into any
	}{
		{"iss", &c.Issuer}, {"sub", &c.Subject}, {"aud", &c.Audience},
		{"exp", &c.ExpiresAt}, {"nbf", &c.NotBefore}, {"iat", &c.IssuedAt},
		{"role", &c.Role}, {"session_id", &c.SessionID}, {"email", &c.Email},
		{"client_id", &c.ClientID}, {"scope", &c.Scope},
	} {
		if value, found := all[claim.name]; found {
			if err := json.Unmarshal(value, claim.into); err != nil {
				return claimError(claim.name)
			}
		}
	}
	c.UserMetadata = all["user_metadata"]
	return nil
}

// Parse reads a JWT and checks its signature, exp, nbf and what the options require. All tokens are read with
// it. Callers decide which issuers and claims they accept.
//
// Errors: ErrExpired; ErrInvalid, usually as a *ValidationError.
func Parse(bearer string, key jwt.Keyfunc, options ...jwt.ParserOption) (Claims, error) {
	if strings.Count(bearer, ".") != 2 {
		return Claims{}, partsError(bearer)
	}
	var claims Claims
	parser := jwt.NewParser(append(options, jwt.WithStrictDecoding())...)
	_, err := parser.ParseWithClaims(bearer, &claims, key)
	return claims, explain(bearer, err)
}

// An unverifiedToken holds the contents of a token whose signature was not checked. It is used only to choose
// the key and the checks.
type unverifiedToken struct {
	algorithm string
	issuer    string
	payload   []byte // the claims
}

func readUnverified(bearer string) (token unverifiedToken, ok bool) {
	parts := strings.Split(bearer, ".")
	if len(parts) != 3 {
		return token, false
	}
	head, err := base64.RawURLEncoding.Strict().DecodeString(parts[0])
	if err != nil {
		return token, false
	}
	payload, err := base64.RawURLEncoding.Strict().DecodeString(parts[1])
	// The claims become jsonb in PostgreSQL, which accepts only UTF-8 without NUL.
	if err != nil || !utf8.Valid(payload) || db.HasNUL(payload) {
		return token, false
	}
	var header, claims map[string]json.RawMessage
	if json.Unmarshal(head, &header) != nil || json.Unmarshal(payload, &claims) != nil {
		return token, false
	}
	if header == nil || claims == nil {
		return token, false
	}
	// RFC 7515 §4.1.11: an unsupported extension makes the token invalid, and we support none.
	if _, critical := header["crit"]; critical {
		return token, false
	}
	token.payload = payload
	if json.Unmarshal(header["alg"], &token.algorithm) != nil {
		return token, false
	}
	if issuer, found := claims["iss"]; found && json.Unmarshal(issuer, &token.issuer) != nil {
		return token, false
	}
	return token, true
}
