package token_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/token"
	"research/db"
	"research/db/dbtest"
)

const issuer = "https://research.example/auth/v1"

// A clock that tests turn.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) turn(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// A house is a database with the keys of one server.
type house struct {
	*dbtest.DB
	clock *clock
	keys  *token.Keys
}

func setup(t testing.TB, change ...func(*token.KeysConfig)) *house {
	t.Helper()
	h := &house{DB: dbtest.New(t), clock: &clock{now: time.Now()}}
	h.keys = h.server(t, change...)
	return h
}

// server is another server's keys over the same database.
func (h *house) server(t testing.TB, change ...func(*token.KeysConfig)) *token.Keys {
	t.Helper()
	cfg := token.KeysConfig{Issuer: issuer, Now: h.clock.Now}
	for _, c := range change {
		c(&cfg)
	}
	keys, err := token.NewKeys(context.Background(), h.Store, cfg)
	require.NoError(t, err)
	return keys
}

// sign signs claims of a user, as identity does.
func sign(t testing.TB, k *token.Keys, claims jwt.MapClaims) string {
	t.Helper()
	all := jwt.MapClaims{"sub": uuid.NewString(), "role": "authenticated"}
	maps.Copy(all, claims)
	signed, _, err := k.Sign(context.Background(), all)
	require.NoError(t, err)
	return signed
}

// parts are header and claims of a token, to be changed.
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

// forge makes a token of any header and claims, signed by HMAC-SHA-256 with the given bytes.
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
	sum := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	require.NoError(t, err)
	raw := make([]byte, 64)
	r.FillBytes(raw[:32])
	s.FillBytes(raw[32:])
	return text + "." + base64.RawURLEncoding.EncodeToString(raw)
}

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

func TestVerify(t *testing.T) {
	t.Parallel()
	const secret = "the secret of a project that was brought over"
	es := setup(t)
	hs := setup(t, func(c *token.KeysConfig) { c.Secret = secret })
	user := uuid.New()

	t.Run("takes what was signed here", func(t *testing.T) {
		t.Parallel()
		session := uuid.New()
		for _, h := range []*house{es, hs} {
			v, err := h.keys.Verify(t.Context(), sign(t, h.keys, jwt.MapClaims{"sub": user.String(), "session_id": session.String(), "email": "ada@example.com"}))
			require.NoError(t, err)
			require.Equal(t, user, v.Subject.UserID)
			require.Equal(t, db.RoleAuthenticated, v.Subject.Role)
			require.Equal(t, session, v.SessionID)
			require.False(t, v.External)
			require.WithinDuration(t, h.clock.Now().Add(token.Lifetime), v.Expires, time.Second)
			require.Contains(t, string(v.Subject.Claims), "ada@example.com")
		}
	})

	t.Run("takes what others signed with JWT_SECRET, whatever their issuer, and asks for no session of theirs", func(t *testing.T) {
		t.Parallel()
		_, claims := parts(t, sign(t, hs.keys, nil))
		v, err := hs.keys.Verify(t.Context(), forge(t, map[string]any{"alg": "HS256", "typ": "JWT"}, with(claims, "iss", "https://old.supabase.co/auth/v1", "session_id", "7"), []byte(secret)))
		require.NoError(t, err)
		require.Equal(t, uuid.Nil, v.SessionID)
	})

	header, claims := parts(t, sign(t, es.keys, jwt.MapClaims{"sub": user.String()}))
	headerHS := map[string]any{"alg": "HS256", "typ": "JWT"}
	kid := header["kid"].(string)
	public := es.keys.Public(t.Context())
	require.Len(t, public, 1)
	require.Equal(t, kid, public[0].KeyID)
	require.Empty(t, hs.keys.Public(t.Context()), "a secret is in no key set")
	x, err := base64.RawURLEncoding.DecodeString(public[0].X)
	require.NoError(t, err)
	y, err := base64.RawURLEncoding.DecodeString(public[0].Y)
	require.NoError(t, err)
	point := append(append([]byte{4}, x...), y...)
	publicKey, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	require.NoError(t, err)
	der, err := x509.MarshalPKIXPublicKey(crypto.PublicKey(publicKey))
	require.NoError(t, err)
	jwk, err := json.Marshal(public[0])
	require.NoError(t, err)
	attackers := newECKey(t)
	good := sign(t, es.keys, jwt.MapClaims{"sub": user.String()})
	split := strings.Split(good, ".")
	now := es.clock.Now().Unix()

	forgeries := map[string]string{
		"no token":                                   "",
		"garbage":                                    "a.b.c",
		"two parts":                                  split[0] + "." + split[1],
		"four parts":                                 good + ".x",
		"a token with padding":                       split[0] + "." + split[1] + "." + split[2] + "==",
		"a token in other base64 letters":            split[0] + "." + split[1] + "." + base64.RawStdEncoding.EncodeToString([]byte{251, 255, 191}),
		"alg none, unsigned":                         encode(t, with(header, "alg", "none")) + "." + split[1] + ".",
		"alg none with the old signature":            encode(t, with(header, "alg", "none")) + "." + split[1] + "." + split[2],
		"alg NONE":                                   encode(t, with(header, "alg", "NONE")) + "." + split[1] + ".",
		"alg nOnE":                                   encode(t, with(header, "alg", "nOnE")) + "." + split[1] + ".",
		"no alg":                                     encode(t, with(header, "alg", nil)) + "." + split[1] + "." + split[2],
		"alg as a list":                              encode(t, with(header, "alg", []string{"ES256"})) + "." + split[1] + "." + split[2],
		"HS256 with the public key's point":          forge(t, with(header, "alg", "HS256"), claims, point),
		"HS256 with the public key in DER":           forge(t, with(header, "alg", "HS256"), claims, der),
		"HS256 with the public key in PEM":           forge(t, with(header, "alg", "HS256"), claims, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})),
		"HS256 with the JWK":                         forge(t, with(header, "alg", "HS256"), claims, jwk),
		"HS256 with nothing":                         forge(t, with(header, "alg", "HS256"), claims, nil),
		"HS256 where ES256 is used":                  forge(t, headerHS, claims, []byte(secret)),
		"another's signature under our kid":          forgeES(t, header, claims, attackers),
		"another's signature under its kid":          forgeES(t, with(header, "kid", "attacker"), claims, attackers),
		"another's signature under no kid":           forgeES(t, with(header, "kid", nil), claims, attackers),
		"a key brought along":                        forgeES(t, with(header, "jwk", map[string]any{"kty": "EC", "crv": "P-256", "x": public[0].X, "y": public[0].Y}, "kid", nil), claims, attackers),
		"a key set's address brought along":          forgeES(t, with(header, "jku", "https://attacker.example/jwks.json"), claims, attackers),
		"a kid that is a path":                       forge(t, with(header, "alg", "HS256", "kid", "../../../../dev/null"), claims, nil),
		"a kid that is SQL":                          forgeES(t, with(header, "kid", "x' union select 'a"), claims, attackers),
		"a kid that is no string":                    forgeES(t, with(header, "kid", 7), claims, attackers),
		"extensions that nobody understands":         resign(t, es, with(header, "crit", []string{"b64"}, "b64", false), claims),
		"changed claims":                             split[0] + "." + encode(t, with(claims, "sub", uuid.NewString())) + "." + split[2],
		"a signature of another length":              split[0] + "." + split[1] + "." + base64.RawURLEncoding.EncodeToString(make([]byte, 65)),
		"a signature of zeros (CVE-2022-21449)":      split[0] + "." + split[1] + "." + base64.RawURLEncoding.EncodeToString(make([]byte, 64)),
		"another issuer":                             resign(t, es, header, with(claims, "iss", "https://elsewhere.example/auth/v1")),
		"no issuer":                                  resign(t, es, header, with(claims, "iss", nil)),
		"an issuer that is a list":                   resign(t, es, header, with(claims, "iss", []string{issuer})),
		"another audience":                           resign(t, es, header, with(claims, "aud", "somebody")),
		"no audience":                                resign(t, es, header, with(claims, "aud", nil)),
		"an audience in capitals":                    resign(t, es, header, with(claims, "aud", nil, "AUD", token.Audience)),
		"no end":                                     resign(t, es, header, with(claims, "exp", nil)),
		"an end in words":                            resign(t, es, header, with(claims, "exp", "tomorrow")),
		"a time that has not come":                   resign(t, es, header, with(claims, "nbf", now+60)),
		"a subject that is no UUID":                  resign(t, es, header, with(claims, "sub", "root")),
		"no subject":                                 resign(t, es, header, with(claims, "sub", nil)),
		"a subject in capitals":                      resign(t, es, header, with(claims, "sub", nil, "Sub", user.String())),
		"another role":                               resign(t, es, header, with(claims, "role", "postgres")),
		"no role":                                    resign(t, es, header, with(claims, "role", nil)),
		"a role in capitals":                         resign(t, es, header, with(claims, "role", nil, "ROLE", "service_role")),
		"a session that is no UUID":                  resign(t, es, header, with(claims, "session_id", "7")),
		"NUL in a claim":                             resign(t, es, header, with(claims, "email", "a\x00b")),
		"claims that are no object":                  resignRaw(t, es, header, `["x"]`),
		"claims that are null":                       resignRaw(t, es, header, `null`),
		"claims that are no JSON":                    resignRaw(t, es, header, `{"sub":`),
		"claims that are not UTF-8":                  resignRaw(t, es, header, "{\"a\":\"\xff\"}"),
		"a token that would fill the log":            good + strings.Repeat("A", 64<<10),
		"a refresh token in an access token's place": base64.RawURLEncoding.EncodeToString(point[:32]),
	}
	for name, forged := range forgeries {
		t.Run("refuses "+name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // what is refused once must not be remembered as good
				_, err := es.keys.Verify(t.Context(), forged)
				require.ErrorIs(t, err, token.ErrInvalid)
			}
		})
	}
	// The forgeries above are refused for what their names say: signed alike, but unchanged, a token passes.
	t.Run("takes a token that was signed again without a change", func(t *testing.T) {
		t.Parallel()
		_, err := es.keys.Verify(t.Context(), resign(t, es, header, claims))
		require.NoError(t, err)
	})

	t.Run("where a secret signs, refuses other algorithms and secrets", func(t *testing.T) {
		t.Parallel()
		for name, forged := range map[string]string{
			"another secret": forge(t, headerHS, claims, []byte("another secret, which is as long as ours")),
			"HS512":          forge(t, map[string]any{"alg": "HS512"}, claims, []byte(secret)),
			"no audience":    forge(t, headerHS, with(claims, "aud", nil), []byte(secret)),
			"no end":         forge(t, headerHS, with(claims, "exp", nil), []byte(secret)),
			"another role":   forge(t, headerHS, with(claims, "role", "authenticator"), []byte(secret)),
			"alg none":       encode(t, map[string]any{"alg": "none"}) + "." + encode(t, claims) + ".",
			"ES256":          forgeES(t, map[string]any{"alg": "ES256"}, claims, attackers),
		} {
			_, err := hs.keys.Verify(t.Context(), forged)
			require.ErrorIs(t, err, token.ErrInvalid, name)
		}
	})

	t.Run("says what is wrong with a token", func(t *testing.T) {
		t.Parallel()
		for text, bad := range map[string]string{
			"Expected 3 parts in JWT; got 2":                              "a.b",
			"JWT cryptographic operation failed":                          "x.y.z",
			"Wrong or unsupported encoding algorithm":                     encode(t, map[string]any{"alg": "none"}) + "." + encode(t, claims) + ".",
			"No suitable key or wrong key type":                           forge(t, headerHS, claims, []byte("another secret, which is as long as ours")),
			"JWT not in audience":                                         forge(t, headerHS, with(claims, "aud", "somebody"), []byte(secret)),
			"JWT not yet valid":                                           forge(t, headerHS, with(claims, "nbf", 1<<40), []byte(secret)),
			"The JWT 'exp' claim must be a number":                        forge(t, headerHS, with(claims, "exp", "tomorrow"), []byte(secret)),
			"The JWT 'aud' claim must be a string or an array of strings": forge(t, headerHS, with(claims, "aud", []any{1}), []byte(secret)),
			"Parsing claims failed":                                       forge(t, headerHS, with(claims, "role", 1), []byte(secret)),
		} {
			_, err := hs.keys.Verify(t.Context(), bad)
			require.ErrorIs(t, err, token.ErrInvalid, text)
			require.EqualError(t, err, token.ErrInvalid.Error()+": "+text)
		}
	})

	t.Run("tells that a token has expired, to the second, remembered or not", func(t *testing.T) {
		t.Parallel()
		h := setup(t)
		signed, fresh := sign(t, h.keys, nil), sign(t, h.keys, nil)
		_, err := h.keys.Verify(t.Context(), signed)
		require.NoError(t, err)
		h.clock.turn(token.Lifetime - 2*time.Second)
		_, err = h.keys.Verify(t.Context(), signed)
		require.NoError(t, err)
		h.clock.turn(3 * time.Second)
		for _, one := range []string{signed, fresh} {
			_, err = h.keys.Verify(t.Context(), one)
			require.ErrorIs(t, err, token.ErrExpired)
		}
		header, claims := parts(t, fresh)
		_, err = h.keys.Verify(t.Context(), resign(t, h, header, with(claims, "aud", "somebody")))
		require.ErrorIs(t, err, token.ErrInvalid, "expired and of another audience")
	})
}

// resign signs a header and claims with the key that the server signs with.
func resign(t testing.TB, h *house, header, claims map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(claims)
	require.NoError(t, err)
	return resignRaw(t, h, header, string(raw))
}

func resignRaw(t testing.TB, h *house, header map[string]any, claims string) string {
	t.Helper()
	parsed, err := x509.ParsePKCS8PrivateKey(dbtest.Value[[]byte](t, h.DB, `select private_key from auth.signing_keys where kid = $1`, header["kid"]))
	require.NoError(t, err)
	text := encode(t, header) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	sum := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, parsed.(*ecdsa.PrivateKey), sum[:])
	require.NoError(t, err)
	raw := make([]byte, 64)
	r.FillBytes(raw[:32])
	s.FillBytes(raw[32:])
	return text + "." + base64.RawURLEncoding.EncodeToString(raw)
}

func FuzzVerify(f *testing.F) {
	h := setup(f, func(c *token.KeysConfig) {
		c.External = []token.Issuer{{Issuer: "https://other.example", Secret: strings.Repeat("s", 32), Algorithms: []string{"HS256"}}}
	})
	good := sign(f, h.keys, nil)
	split := strings.Split(good, ".")
	f.Add(good)
	f.Add("..")
	f.Add(encode(f, map[string]any{"alg": "none"}) + "." + split[1] + ".")
	f.Add(forge(f, map[string]any{"alg": "HS256"}, map[string]any{"iss": "https://other.example", "sub": "x"}, nil))
	f.Fuzz(func(t *testing.T, bearer string) {
		v, err := h.keys.Verify(t.Context(), bearer)
		if err == nil && bearer != good {
			t.Fatalf("a token nobody signed stands for %v", v.Subject.UserID)
		}
		if err != nil {
			require.True(t, errorsIsAny(err, token.ErrInvalid, token.ErrExpired), err)
		}
	})
}
