package token_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/token"
	"research/db/dbtest"
)

const issuer = "https://research.example/auth/v1"

// A clock is set by tests.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// catchUp sets the clock to the present, which is that of the database.
func (c *clock) catchUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = time.Now()
}

// A fixture is a database with the keys of one server.
type fixture struct {
	*dbtest.DB
	clock *clock
	keys  *token.Keys
}

func setup(t testing.TB, change ...func(*token.KeysConfig)) *fixture {
	t.Helper()
	h := &fixture{DB: dbtest.New(t), clock: &clock{now: time.Now()}}
	h.keys = h.server(t, change...)
	return h
}

// server returns the keys of another server with the same database.
func (h *fixture) server(t testing.TB, change ...func(*token.KeysConfig)) *token.Keys {
	t.Helper()
	cfg := token.KeysConfig{Issuer: issuer, Now: h.clock.Now}
	for _, c := range change {
		c(&cfg)
	}
	keys, err := token.NewKeys(context.Background(), h.Store, cfg)
	require.NoError(t, err)
	return keys
}

// sign signs the claims of a user, as api/auth does.
func sign(t testing.TB, k *token.Keys, claims jwt.MapClaims) string {
	t.Helper()
	all := jwt.MapClaims{"sub": uuid.NewString(), "role": "authenticated"}
	maps.Copy(all, claims)
	signed, _, err := k.Sign(context.Background(), all)
	require.NoError(t, err)
	return signed
}

// parts returns the header and the claims of a token.
func parts(t testing.TB, signed string) (header, claims map[string]any) {
	t.Helper()
	split := strings.Split(signed, ".")
	for i, into := range []*map[string]any{&header, &claims} {
		raw, err := base64.RawURLEncoding.DecodeString(split[i])
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(raw, into))
	}
	return header, claims
}

func encode(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// forge returns a token with any header and claims, signed by HMAC-SHA-256 with the given bytes.
func forge(t testing.TB, header, claims map[string]any, secret []byte) string {
	t.Helper()
	text := encode(t, header) + "." + encode(t, claims)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// forgeES is forge with an ECDSA key.
func forgeES(t testing.TB, header, claims map[string]any, key *ecdsa.PrivateKey) string {
	t.Helper()
	text := encode(t, header) + "." + encode(t, claims)
	return text + "." + signES(t, text, key)
}

// signES returns a signature by ES256.
func signES(t testing.TB, text string, key *ecdsa.PrivateKey) string {
	t.Helper()
	sum := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	require.NoError(t, err)
	raw := make([]byte, 64)
	r.FillBytes(raw[:32])
	s.FillBytes(raw[32:])
	return base64.RawURLEncoding.EncodeToString(raw)
}

// with returns a copy of m with some values replaced, given as name, value, name, value. A nil value removes
// the name.
func with(m map[string]any, pairs ...any) map[string]any {
	changed := maps.Clone(m)
	for i := 0; i < len(pairs); i += 2 {
		name := pairs[i].(string)
		if pairs[i+1] == nil {
			delete(changed, name)
		} else {
			changed[name] = pairs[i+1]
		}
	}
	return changed
}

func newECKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return key
}

// resign signs a header and claims with the server's own key.
func resign(t testing.TB, h *fixture, header, claims map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(claims)
	require.NoError(t, err)
	return resignRaw(t, h, header, string(raw))
}

func resignRaw(t testing.TB, h *fixture, header map[string]any, claims string) string {
	t.Helper()
	der := dbtest.Value[[]byte](t, h.DB,
		`select private_key from auth.signing_keys where kid = $1`, header["kid"])
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	require.NoError(t, err)
	text := encode(t, header) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	return text + "." + signES(t, text, parsed.(*ecdsa.PrivateKey))
}
