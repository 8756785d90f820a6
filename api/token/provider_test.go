package token_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"research/api/token"
)

// A provider is an OpenID provider.
type provider struct {
	*httptest.Server
	mu       sync.Mutex
	keys     []token.JWK
	requests int              // for the key set
	answer   http.HandlerFunc // instead of the key set; nil means none
}

func newProvider(t testing.TB) *provider {
	t.Helper()
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/.well-known/openid-configuration" {
			_ = json.NewEncoder(w).Encode(map[string]string{"issuer": p.URL, "jwks_uri": p.URL + "/keys"})
			return
		}
		p.mu.Lock()
		p.requests++
		answer, keys := p.answer, p.keys
		p.mu.Unlock()
		if answer != nil {
			answer(w, r)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": keys})
	}))
	t.Cleanup(p.Close)
	return p
}

// newRSAProvider returns a provider that signs with rsaKey under the kid "r".
func newRSAProvider(t testing.TB) *provider {
	t.Helper()
	p := newProvider(t)
	p.publish(rsaJWK("r", &rsaKey().PublicKey))
	return p
}

func (p *provider) publish(keys ...token.JWK) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = keys
}

func (p *provider) answerWith(answer http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

func (p *provider) requestCount() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests
}

// issue returns a token of the provider. The changes are those of with.
func (p *provider) issue(
	t testing.TB, method jwt.SigningMethod, kid string, key any, changes ...any,
) string {
	t.Helper()
	claims := jwt.MapClaims(with(map[string]any{
		"iss": p.URL, "aud": token.Audience, "sub": "google|42", "email": "ada@example.com",
		"exp": time.Now().Add(time.Hour).Unix(), "role": "authenticated",
	}, changes...))
	unsigned := jwt.NewWithClaims(method, claims)
	if kid != "" {
		unsigned.Header["kid"] = kid
	}
	signed, err := unsigned.SignedString(key)
	require.NoError(t, err)
	return signed
}

// issueRS returns a token that is signed with rsaKey.
func (p *provider) issueRS(t testing.TB, changes ...any) string {
	t.Helper()
	return p.issue(t, jwt.SigningMethodRS256, "r", rsaKey(), changes...)
}

// issueES returns a token that is signed by ES256.
func (p *provider) issueES(t testing.TB, kid string, key *ecdsa.PrivateKey, changes ...any) string {
	t.Helper()
	return p.issue(t, jwt.SigningMethodES256, kid, key, changes...)
}

// rsa returns the provider as an issuer that signs by RS256.
func (p *provider) rsa() token.Issuer {
	return token.Issuer{Issuer: p.URL, Algorithms: []string{"RS256"}}
}

// ec returns the provider as an issuer that signs by ES256.
func (p *provider) ec() token.Issuer {
	return token.Issuer{Issuer: p.URL, Algorithms: []string{"ES256"}}
}

func trusting(issuers ...token.Issuer) func(*token.KeysConfig) {
	return func(c *token.KeysConfig) { c.External = issuers }
}

var rsaKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func b64(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func rsaJWK(kid string, key *rsa.PublicKey) token.JWK {
	return token.JWK{
		KeyType: "RSA", KeyID: kid, N: b64(key.N.Bytes()), E: b64(big.NewInt(int64(key.E)).Bytes()),
	}
}

func edJWK(kid string, key ed25519.PublicKey) token.JWK {
	return token.JWK{KeyType: "OKP", Curve: "Ed25519", KeyID: kid, X: b64(key)}
}

func ecJWK(t testing.TB, kid string, key *ecdsa.PublicKey) token.JWK {
	t.Helper()
	point, err := key.Bytes()
	require.NoError(t, err)
	size := (len(point) - 1) / 2
	return token.JWK{
		KeyType: "EC", Curve: key.Params().Name, KeyID: kid, X: b64(point[1 : 1+size]), Y: b64(point[1+size:]),
	}
}
