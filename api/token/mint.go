package token

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"research/db"
)

// The forms of Supabase's newer API keys.
const (
	publishablePrefix = "sb_publishable_"
	secretPrefix      = "sb_secret_"
)

// NewAnonKey makes an API key in Supabase's newer form; it is safe in client code.
func NewAnonKey() string { return publishablePrefix + random() }

// NewServiceKey makes an API key that passes row-level security; it never belongs into client code.
func NewServiceKey() string { return secretPrefix + random() }

// random is 192 bits.
func random() string {
	b := make([]byte, 24)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b)
}

// apiKeyLifetime is Supabase's for its JWT keys.
const apiKeyLifetime = 10 * 365 * 24 * time.Hour

// MintAPIKey makes an API key in Supabase's older form: a JWT with the claim role, signed by HS256 with JWT_SECRET. The role is anon or service_role.
func MintAPIKey(secret, role string, now time.Time) (string, error) {
	if secret == "" || role != db.RoleAnon && role != db.RoleService {
		return "", errors.New("token: an API key as a JWT needs JWT_SECRET, and the role anon or service_role")
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"iss": "research", "role": role, "iat": now.Unix(), "exp": now.Add(apiKeyLifetime).Unix(),
	}).SignedString([]byte(secret))
}
