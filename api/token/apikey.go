package token

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"research/db"
)

// The prefixes of Supabase's newer API keys.
const (
	publishablePrefix = "sb_publishable_"
	secretPrefix      = "sb_secret_"
)

// NewAnonKey returns a random API key in Supabase's newer format. It is safe in client code.
func NewAnonKey() string { return publishablePrefix + randomText() }

// NewServiceKey returns a random API key that bypasses row-level security. It must never be in client code.
func NewServiceKey() string { return secretPrefix + randomText() }

// randomText returns 192 random bits.
func randomText() string {
	b := make([]byte, 24)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b)
}

// apiKeyLifetime is the lifetime of Supabase's JWT keys.
const apiKeyLifetime = 10 * 365 * 24 * time.Hour

// MintAPIKey returns an API key in Supabase's older format: a JWT with the claim role, signed with JWT_SECRET
// by HS256. The role must be anon or service_role.
func MintAPIKey(secret, role string, now time.Time) (string, error) {
	if secret == "" || role != db.RoleAnon && role != db.RoleService {
		return "", errors.New("token: a JWT as an API key requires JWT_SECRET and the role anon or service_role")
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"iss": "research", "role": role, "iat": now.Unix(), "exp": now.Add(apiKeyLifetime).Unix(),
	}).SignedString([]byte(secret))
}

type apiKey struct {
	hash tokenHash
	role string
}

// apiKeys are the API keys of the project.
type apiKeys []apiKey

// newAPIKeys checks the configured keys. No key may have two roles. A key that is a JWT must have the role
// for which it is configured, since a service key in place of the anonymous one would make everything public.
func newAPIKeys(cfg AuthenticatorConfig, now time.Time) (apiKeys, error) {
	if cfg.AnonKey == "" || cfg.ServiceKey == "" {
		return nil, errors.New("token: ANON_KEY and SERVICE_ROLE_KEY are required")
	}
	var keys apiKeys
	for _, configured := range []struct{ setting, key, role string }{
		{"ANON_KEY", cfg.AnonKey, db.RoleAnon},
		{"PUBLISHABLE_KEY", cfg.PublishableKey, db.RoleAnon},
		{"SERVICE_ROLE_KEY", cfg.ServiceKey, db.RoleService},
		{"SECRET_KEY", cfg.SecretKey, db.RoleService},
	} {
		if configured.key == "" {
			continue
		}
		if err := checkAPIKey(configured.key, configured.role, now); err != nil {
			return nil, fmt.Errorf("%s %w", configured.setting, err)
		}
		hash := sha256.Sum256([]byte(configured.key))
		if role, known := keys.role(hash); known && role != configured.role {
			return nil, fmt.Errorf("%s is also the key of another role", configured.setting)
		}
		keys = append(keys, apiKey{hash, configured.role})
	}
	return keys, nil
}

// checkAPIKey rejects a key that contradicts its role.
func checkAPIKey(key, role string, now time.Time) error {
	switch {
	case strings.HasPrefix(key, publishablePrefix) && role != db.RoleAnon,
		strings.HasPrefix(key, secretPrefix) && role != db.RoleService:
		return errors.New("is a key of another role")
	case strings.Count(key, ".") != 2 || !strings.HasPrefix(key, "eyJ"):
		return nil
	}
	var claims struct {
		jwt.RegisteredClaims
		Role string `json:"role"`
	}
	if _, _, err := jwt.NewParser().ParseUnverified(key, &claims); err != nil {
		return nil // an opaque key that looks like a JWT
	}
	if claims.Role != role {
		return fmt.Errorf("is a JWT whose role is not %s", role)
	}
	if claims.ExpiresAt != nil && !now.Before(claims.ExpiresAt.Time) {
		return errors.New("has expired")
	}
	return nil
}

// role returns the role of the key with the given hash. It compares all hashes, each in constant time.
func (a apiKeys) role(hash tokenHash) (role string, known bool) {
	for _, k := range a {
		if subtle.ConstantTimeCompare(k.hash[:], hash[:]) == 1 {
			role, known = k.role, true
		}
	}
	return role, known
}
