package token_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/token"
	"research/db"
)

const (
	sharedSecret = "the secret of a project that was imported"
	otherSecret  = "another secret, which is as long as ours"
)

func withSecret(c *token.KeysConfig) { c.Secret = sharedSecret }

func TestVerify(t *testing.T) {
	t.Parallel()
	es, hs := setup(t), setup(t, withSecret)

	t.Run("accepts our own tokens", func(t *testing.T) {
		t.Parallel()
		user, session := uuid.New(), uuid.New()
		for _, h := range []*fixture{es, hs} {
			p, err := h.keys.Verify(t.Context(), sign(t, h.keys, jwt.MapClaims{
				"sub": user.String(), "session_id": session.String(), "email": "ada@example.com",
			}))
			require.NoError(t, err)
			require.Equal(t, user, p.Subject.UserID)
			require.Equal(t, db.RoleAuthenticated, p.Subject.Role)
			require.Equal(t, session, p.SessionID)
			require.False(t, p.External)
			require.WithinDuration(t, h.clock.Now().Add(token.Lifetime), p.Expires, time.Second)
			require.Contains(t, string(p.Subject.Claims), "ada@example.com")
		}
	})

	t.Run("accepts tokens of any issuer that has JWT_SECRET, and ignores their sessions", func(t *testing.T) {
		t.Parallel()
		_, claims := parts(t, sign(t, hs.keys, nil))
		claims = with(claims, "iss", "https://old.supabase.co/auth/v1", "session_id", "7")
		p, err := hs.keys.Verify(t.Context(), forge(t, headerHS, claims, []byte(sharedSecret)))
		require.NoError(t, err)
		require.Equal(t, uuid.Nil, p.SessionID)
	})

	t.Run("reports expired tokens to the second, cached or not", func(t *testing.T) {
		t.Parallel()
		h := setup(t)
		cached, fresh := sign(t, h.keys, nil), sign(t, h.keys, nil)
		_, err := h.keys.Verify(t.Context(), cached)
		require.NoError(t, err)
		h.clock.advance(token.Lifetime - 2*time.Second)
		_, err = h.keys.Verify(t.Context(), cached)
		require.NoError(t, err)
		h.clock.advance(3 * time.Second)
		for _, expired := range []string{cached, fresh} {
			_, err = h.keys.Verify(t.Context(), expired)
			require.ErrorIs(t, err, token.ErrExpired)
		}
		header, claims := parts(t, fresh)
		_, err = h.keys.Verify(t.Context(), resign(t, h, header, with(claims, "aud", "somebody")))
		require.ErrorIs(t, err, token.ErrInvalid, "expired and of another audience")
	})
}

var headerHS = map[string]any{"alg": "HS256", "typ": "JWT"}

func TestVerifyRejectsForgedSignatures(t *testing.T) {
	t.Parallel()
	h := setup(t)
	good := sign(t, h.keys, nil)
	header, claims := parts(t, good)
	split := strings.Split(good, ".")
	payload, signature := split[1], split[2]
	public := publicKeyForms(t, h)
	attacker := newECKey(t)
	headerWith := func(pairs ...any) string { return encode(t, with(header, pairs...)) }
	forgeHS := func(secret []byte, pairs ...any) string {
		return forge(t, with(with(header, "alg", "HS256"), pairs...), claims, secret)
	}
	foreign := func(pairs ...any) string { return forgeES(t, with(header, pairs...), claims, attacker) }
	zeros := func(n int) string { return base64.RawURLEncoding.EncodeToString(make([]byte, n)) }
	critical := with(header, "crit", []string{"b64"}, "b64", false)
	changed := encode(t, with(claims, "sub", uuid.New()))
	requireRejected(t, h, map[string]string{
		"an empty token":                    "",
		"garbage":                           "a.b.c",
		"two parts":                         split[0] + "." + payload,
		"four parts":                        good + ".x",
		"a token with padding":              good + "==",
		"a signature in standard base64":    split[0] + "." + payload + ".+/+/",
		"a token of 64 KB":                  good + strings.Repeat("A", 64<<10),
		"a refresh token":                   base64.RawURLEncoding.EncodeToString(public.point[:32]),
		"alg none, unsigned":                headerWith("alg", "none") + "." + payload + ".",
		"alg none with the old signature":   headerWith("alg", "none") + "." + payload + "." + signature,
		"alg NONE":                          headerWith("alg", "NONE") + "." + payload + ".",
		"alg nOnE":                          headerWith("alg", "nOnE") + "." + payload + ".",
		"no alg":                            headerWith("alg", nil) + "." + payload + "." + signature,
		"alg as a list":                     headerWith("alg", []any{"ES256"}) + "." + payload + "." + signature,
		"HS256 with the public key's point": forgeHS(public.point),
		"HS256 with the public key in DER":  forgeHS(public.der),
		"HS256 with the public key in PEM":  forgeHS(public.pem),
		"HS256 with the JWK":                forgeHS(public.json),
		"HS256 with nothing":                forgeHS(nil),
		"HS256 where ES256 is used":         forge(t, headerHS, claims, []byte(sharedSecret)),
		"a foreign signature with our kid":  foreign(),
		"a foreign signature with its kid":  foreign("kid", "attacker"),
		"a foreign signature without kid":   foreign("kid", nil),
		"an embedded key":                   foreign("kid", nil, "jwk", public.jwk),
		"an embedded key set address":       foreign("jku", "https://attacker.example/jwks.json"),
		"a kid that is a path":              forgeHS(nil, "kid", "../../../../dev/null"),
		"a kid that is SQL":                 foreign("kid", "x' union select 'a"),
		"a kid that is a number":            foreign("kid", 7),
		"an unknown critical extension":     resign(t, h, critical, claims),
		"changed claims":                    split[0] + "." + changed + "." + signature,
		"a signature of another length":     split[0] + "." + payload + "." + zeros(65),
		"a zero signature (CVE-2022-21449)": split[0] + "." + payload + "." + zeros(64),
	})
}

// The clock of a program that signs tokens with JWT_SECRET may be ahead.
func TestVerifyAllowsForClocks(t *testing.T) {
	t.Parallel()
	h := setup(t)
	header, claims := parts(t, sign(t, h.keys, nil))
	now := h.clock.Now().Unix()
	_, err := h.keys.Verify(t.Context(), resign(t, h, header, with(claims, "nbf", now+25, "iat", now+25)))
	require.NoError(t, err)
	_, err = h.keys.Verify(t.Context(), resign(t, h, header, with(claims, "nbf", now+35)))
	require.ErrorContains(t, err, "JWT not yet valid")
	_, err = h.keys.Verify(t.Context(), resign(t, h, header, with(claims, "exp", now)))
	require.ErrorIs(t, err, token.ErrExpired)
}

func TestVerifyRejectsClaims(t *testing.T) {
	t.Parallel()
	h := setup(t)
	header, claims := parts(t, sign(t, h.keys, nil))
	changed := func(pairs ...any) string { return resign(t, h, header, with(claims, pairs...)) }
	raw := func(claims string) string { return resignRaw(t, h, header, claims) }
	requireRejected(t, h, map[string]string{
		"another issuer":               changed("iss", "https://elsewhere.example/auth/v1"),
		"no issuer":                    changed("iss", nil),
		"an issuer that is a list":     changed("iss", []string{issuer}),
		"another audience":             changed("aud", "somebody"),
		"no audience":                  changed("aud", nil),
		"a capitalized audience":       changed("aud", nil, "AUD", token.Audience),
		"no exp":                       changed("exp", nil),
		"exp as text":                  changed("exp", "tomorrow"),
		"nbf in the future":            changed("nbf", h.clock.Now().Unix()+60),
		"a subject that is not a UUID": changed("sub", "root"),
		"no subject":                   changed("sub", nil),
		"a capitalized subject":        changed("sub", nil, "Sub", uuid.New()),
		"another role":                 changed("role", "postgres"),
		"no role":                      changed("role", nil),
		"a capitalized role":           changed("role", nil, "ROLE", "service_role"),
		"a session that is not a UUID": changed("session_id", "7"),
		"NUL in a claim":               changed("email", "a\x00b"),
		"claims that are an array":     raw(`["x"]`),
		"claims that are null":         raw(`null`),
		"claims that are not JSON":     raw(`{"sub":`),
		"claims that are not UTF-8":    raw("{\"a\":\"\xff\"}"),
	})
	// These claims are rejected for the reason in their names: the same signature over unchanged claims is
	// valid.
	_, err := h.keys.Verify(t.Context(), changed())
	require.NoError(t, err)
}

// requireRejected requires that tokens are invalid, also when they are sent again.
func requireRejected(t *testing.T, h *fixture, tokens map[string]string) {
	t.Helper()
	for name, bearer := range tokens {
		t.Run("rejects "+name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // the cache must not accept what was rejected
				_, err := h.keys.Verify(t.Context(), bearer)
				require.ErrorIs(t, err, token.ErrInvalid)
			}
		})
	}
}

// publicForms are the forms of a public key that an attacker might use as a secret.
type publicForms struct {
	jwk                   token.JWK
	point, der, pem, json []byte
}

func publicKeyForms(t *testing.T, h *fixture) publicForms {
	t.Helper()
	keys := h.keys.Public(t.Context())
	require.Len(t, keys, 1)
	forms := publicForms{jwk: keys[0]}
	x, err := base64.RawURLEncoding.DecodeString(forms.jwk.X)
	require.NoError(t, err)
	y, err := base64.RawURLEncoding.DecodeString(forms.jwk.Y)
	require.NoError(t, err)
	forms.point = append(append([]byte{4}, x...), y...)
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), forms.point)
	require.NoError(t, err)
	forms.der, err = x509.MarshalPKIXPublicKey(crypto.PublicKey(key))
	require.NoError(t, err)
	forms.pem = pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: forms.der})
	forms.json, err = json.Marshal(forms.jwk)
	require.NoError(t, err)
	return forms
}

func TestVerifyWithSecret(t *testing.T) {
	t.Parallel()
	h := setup(t, withSecret)
	_, claims := parts(t, sign(t, setup(t).keys, nil))
	signed := func(header, claims map[string]any) string {
		return forge(t, header, claims, []byte(sharedSecret))
	}
	unsigned := encode(t, map[string]any{"alg": "none"}) + "." + encode(t, claims) + "."

	t.Run("rejects other algorithms, secrets and claims", func(t *testing.T) {
		t.Parallel()
		requireRejected(t, h, map[string]string{
			"another secret": forge(t, headerHS, claims, []byte(otherSecret)),
			"HS512":          signed(map[string]any{"alg": "HS512"}, claims),
			"no audience":    signed(headerHS, with(claims, "aud", nil)),
			"no exp":         signed(headerHS, with(claims, "exp", nil)),
			"another role":   signed(headerHS, with(claims, "role", "authenticator")),
			"alg none":       unsigned,
			"ES256":          forgeES(t, map[string]any{"alg": "ES256"}, claims, newECKey(t)),
		})
	})

	t.Run("names the check that failed", func(t *testing.T) {
		t.Parallel()
		for message, bearer := range map[string]string{
			"Expected 3 parts in JWT; got 2":          "a.b",
			"JWT cryptographic operation failed":      "x.y.z",
			"Wrong or unsupported encoding algorithm": unsigned,
			"No suitable key or wrong key type":       forge(t, headerHS, claims, []byte(otherSecret)),
			"JWT not in audience":                     signed(headerHS, with(claims, "aud", "somebody")),
			"JWT not yet valid":                       signed(headerHS, with(claims, "nbf", 1<<40)),
			"The JWT 'exp' claim must be a number":    signed(headerHS, with(claims, "exp", "tomorrow")),
			"The JWT 'aud' claim must be a string or an array of strings": signed(
				headerHS, with(claims, "aud", []any{1})),
			"Parsing claims failed": signed(headerHS, with(claims, "role", 1)),
		} {
			_, err := h.keys.Verify(t.Context(), bearer)
			require.ErrorIs(t, err, token.ErrInvalid, message)
			require.EqualError(t, err, token.ErrInvalid.Error()+": "+message)
		}
	})

	t.Run("publishes no key", func(t *testing.T) {
		t.Parallel()
		require.Empty(t, h.keys.Public(t.Context()), "a key set has no secret")
	})
}

func FuzzVerify(f *testing.F) {
	h := setup(f, func(c *token.KeysConfig) {
		c.External = []token.Issuer{{
			Issuer: "https://other.example", Secret: strings.Repeat("s", 32), Algorithms: []string{"HS256"},
		}}
	})
	good := sign(f, h.keys, nil)
	split := strings.Split(good, ".")
	f.Add(good)
	f.Add("..")
	f.Add(encode(f, map[string]any{"alg": "none"}) + "." + split[1] + ".")
	f.Add(forge(f, headerHS, map[string]any{"iss": "https://other.example", "sub": "x"}, nil))
	f.Fuzz(func(t *testing.T, bearer string) {
		p, err := h.keys.Verify(t.Context(), bearer)
		if err == nil && bearer != good {
			t.Fatalf("a token that nobody signed is accepted for %v", p.Subject.UserID)
		}
		if err != nil {
			require.True(t, token.IsUnauthenticated(err), err)
		}
	})
}
