package token_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/api/token"
	"research/db"
	"research/db/dbtest"
)

// A provider plays an OpenID provider.
type provider struct {
	*httptest.Server
	mu    sync.Mutex
	keys  []token.JWK
	asked int
	serve http.HandlerFunc // in place of the key set
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
		p.asked++
		serve, keys := p.serve, p.keys
		p.mu.Unlock()
		if serve != nil {
			serve(w, r)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": keys})
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *provider) publish(keys ...token.JWK) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keys = keys
}

func (p *provider) answer(serve http.HandlerFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.serve = serve
}

func (p *provider) requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

func b64(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func rsaJWK(kid string, key *rsa.PublicKey) token.JWK {
	return token.JWK{KeyType: "RSA", KeyID: kid, N: b64(key.N.Bytes()), E: b64(big.NewInt(int64(key.E)).Bytes())}
}

func ecJWK(t testing.TB, kid string, key *ecdsa.PublicKey) token.JWK {
	t.Helper()
	point, err := key.Bytes()
	require.NoError(t, err)
	size := (len(point) - 1) / 2
	return token.JWK{KeyType: "EC", Curve: key.Params().Name, KeyID: kid, X: b64(point[1 : 1+size]), Y: b64(point[1+size:])}
}

// issued makes a token of the provider.
func (p *provider) issued(t testing.TB, method jwt.SigningMethod, kid string, key any, changes ...any) string {
	t.Helper()
	claims := jwt.MapClaims(with(map[string]any{
		"iss": p.URL, "aud": token.Audience, "sub": "google|42", "email": "ada@example.com", "exp": time.Now().Add(time.Hour).Unix(), "role": "authenticated",
	}, changes...))
	one := jwt.NewWithClaims(method, claims)
	if kid != "" {
		one.Header["kid"] = kid
	}
	signed, err := one.SignedString(key)
	require.NoError(t, err)
	return signed
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

func TestExternalIssuer(t *testing.T) {
	t.Parallel()

	t.Run("is found by discovery, or by the address of its keys, and signs with any of its algorithms", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		edPublic, edKey, err := ed25519.GenerateKey(rand.Reader)
		require.NoError(t, err)
		p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
		require.NoError(t, err)
		p256 := newECKey(t)
		p.publish(rsaJWK("r", &rsaKey().PublicKey), ecJWK(t, "e256", &p256.PublicKey), ecJWK(t, "e384", &p384.PublicKey), token.JWK{KeyType: "OKP", Curve: "Ed25519", KeyID: "d", X: b64(edPublic)})
		algorithms := []string{"RS256", "PS256", "ES256", "ES384", "EdDSA"}
		for _, one := range []token.Issuer{{Issuer: p.URL, Algorithms: algorithms}, {Issuer: p.URL, JWKSURL: p.URL + "/keys", Algorithms: algorithms}} {
			h := setup(t, trusting(one))
			for kid, signed := range map[string]string{
				"RS256": p.issued(t, jwt.SigningMethodRS256, "r", rsaKey()), "PS256": p.issued(t, jwt.SigningMethodPS256, "r", rsaKey()),
				"ES256": p.issued(t, jwt.SigningMethodES256, "e256", p256), "ES384": p.issued(t, jwt.SigningMethodES384, "e384", p384), "EdDSA": p.issued(t, jwt.SigningMethodEdDSA, "d", edKey),
			} {
				v, err := h.keys.Verify(t.Context(), signed)
				require.NoError(t, err, kid)
				require.True(t, v.External)
				require.Equal(t, uuid.Nil, v.SessionID)
			}
		}
	})

	t.Run("gets a user and a profile for each subject, once, and never another's", func(t *testing.T) {
		t.Parallel()
		p, q := newProvider(t), newProvider(t)
		p.publish(rsaJWK("r", &rsaKey().PublicKey))
		q.publish(rsaJWK("r", &rsaKey().PublicKey))
		h := setup(t, trusting(token.Issuer{Issuer: p.URL, Algorithms: []string{"RS256"}}, token.Issuer{Issuer: q.URL, Algorithms: []string{"RS256"}}))
		ours := h.User(t, "ada@example.com")
		first, err := h.keys.Verify(t.Context(), p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "user_metadata", map[string]any{"display_name": "Ada"}))
		require.NoError(t, err)
		require.NotEqual(t, ours, first.Subject.UserID, "an address that an issuer names is no proof of being our user")
		var claims map[string]any
		require.NoError(t, json.Unmarshal(first.Subject.Claims, &claims))
		require.Equal(t, first.Subject.UserID.String(), claims["sub"], "policies read our id")
		require.Equal(t, "google|42", claims["external_sub"])
		again, err := h.keys.Verify(t.Context(), p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "iat", 1))
		require.NoError(t, err)
		require.Equal(t, first.Subject.UserID, again.Subject.UserID)
		other, err := h.keys.Verify(t.Context(), q.issued(t, jwt.SigningMethodRS256, "r", rsaKey()))
		require.NoError(t, err)
		require.NotEqual(t, first.Subject.UserID, other.Subject.UserID, "the same subject of another issuer is somebody else")
		require.Equal(t, 1, dbtest.Value[int](t, h.DB, `select count(*)::int from profiles where id = $1`, first.Subject.UserID))

		// A subject that is the id of a user of ours, or of another issuer's, speaks for nobody.
		for _, taken := range []uuid.UUID{ours, other.Subject.UserID} {
			_, err = h.keys.Verify(t.Context(), p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "sub", taken.String()))
			require.ErrorIs(t, err, token.ErrInvalid)
		}
		free := uuid.New()
		v, err := h.keys.Verify(t.Context(), p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "sub", free.String()))
		require.NoError(t, err)
		require.Equal(t, free, v.Subject.UserID)
	})

	t.Run("may speak for users that were brought over, where that is set", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		p.publish(rsaJWK("r", &rsaKey().PublicKey))
		h := setup(t, trusting(token.Issuer{Issuer: p.URL, Algorithms: []string{"RS256"}, LinkUsers: true}))
		ours := h.User(t, "ada@example.com")
		v, err := h.keys.Verify(t.Context(), p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "sub", ours.String()))
		require.NoError(t, err)
		require.Equal(t, ours, v.Subject.UserID)
	})

	t.Run("first requests at once make one user", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		p.publish(rsaJWK("r", &rsaKey().PublicKey))
		h := setup(t, trusting(token.Issuer{Issuer: p.URL, Algorithms: []string{"RS256"}}))
		users := make([]uuid.UUID, 10)
		var all sync.WaitGroup
		for i := range users {
			all.Go(func() {
				v, err := h.keys.Verify(t.Context(), p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "iat", i))
				require.NoError(t, err)
				users[i] = v.Subject.UserID
			})
		}
		all.Wait()
		for _, u := range users {
			require.Equal(t, users[0], u)
		}
		require.Equal(t, 1, dbtest.Value[int](t, h.DB, `select count(*)::int from auth.users`))
		require.LessOrEqual(t, p.requests(), 1, "and ask the issuer once")
	})

	t.Run("a first request that waits for another one finds what that one made", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		p.publish(rsaJWK("r", &rsaKey().PublicKey))
		h := setup(t, trusting(token.Issuer{Issuer: p.URL, Algorithms: []string{"RS256"}}))
		for name, made := range map[string]bool{"made": true, "given up": false} {
			id := uuid.New()
			h.DB.AsOwner(t, func(other *pgx.Conn) {
				tx, err := other.Begin(t.Context())
				require.NoError(t, err)
				_, err = tx.Exec(t.Context(), `insert into auth.users (id, is_sso_user) values ($1, true)`, id)
				require.NoError(t, err)
				_, err = tx.Exec(t.Context(), `insert into auth.identities (provider, provider_id, user_id, identity_data) values ($1, $2, $3, '{}')`, p.URL, id.String(), id)
				require.NoError(t, err)
				type verified struct {
					token.Verified
					err error
				}
				done := make(chan verified, 1)
				go func() {
					v, err := h.keys.Verify(t.Context(), p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "sub", id.String()))
					done <- verified{v, err}
				}()
				require.Eventually(t, func() bool {
					return dbtest.Value[bool](t, h.DB, `select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')`)
				}, time.Minute, 10*time.Millisecond, "the other's insert waits for ours")
				if made {
					require.NoError(t, tx.Commit(t.Context()))
				} else {
					require.NoError(t, tx.Rollback(t.Context()))
				}
				v := <-done
				require.NoError(t, v.err, name)
				require.Equal(t, id, v.Subject.UserID, name)
				require.Equal(t, 1, dbtest.Value[int](t, h.DB, `select count(*)::int from auth.identities where user_id = $1`, id), name)
			})
		}
	})

	t.Run("says the role, or the setting does; never the service's", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		p.publish(rsaJWK("r", &rsaKey().PublicKey))
		silent := setup(t, trusting(token.Issuer{Issuer: p.URL, Algorithms: []string{"RS256"}}))
		set := setup(t, trusting(token.Issuer{Issuer: p.URL, Algorithms: []string{"RS256"}, Role: "authenticated"}))
		none := p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "role", nil)
		_, err := silent.keys.Verify(t.Context(), none)
		require.ErrorIs(t, err, token.ErrInvalid)
		v, err := set.keys.Verify(t.Context(), none)
		require.NoError(t, err)
		require.Equal(t, db.RoleAuthenticated, v.Subject.Role)
		require.Contains(t, string(v.Subject.Claims), `"role":"authenticated"`)
		for _, role := range []string{"service_role", "postgres", "authenticator"} {
			_, err := set.keys.Verify(t.Context(), p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "role", role))
			require.ErrorIs(t, err, token.ErrInvalid, role)
		}
	})

	t.Run("is held to its algorithms, its audience, its name and its keys", func(t *testing.T) {
		t.Parallel()
		p, q := newProvider(t), newProvider(t)
		edPublic, edKey, err := ed25519.GenerateKey(rand.Reader)
		require.NoError(t, err)
		strangers, err := rsa.GenerateKey(rand.Reader, 2048)
		require.NoError(t, err)
		encryption, pinned := rsaJWK("enc", &rsaKey().PublicKey), rsaJWK("pinned", &rsaKey().PublicKey)
		encryption.Use, pinned.Algorithm = "enc", "RS512"
		p.publish(rsaJWK("r", &rsaKey().PublicKey), encryption, pinned, token.JWK{KeyType: "OKP", Curve: "Ed25519", KeyID: "d", X: b64(edPublic)})
		q.publish(rsaJWK("q", &strangers.PublicKey))
		const secret = "a secret that the second issuer signs with"
		h := setup(t, trusting(token.Issuer{Issuer: p.URL, Algorithms: []string{"RS256"}, Audience: "research"}, token.Issuer{Issuer: q.URL, Algorithms: []string{"RS256"}},
			token.Issuer{Issuer: "https://secretive.example", Secret: secret, Algorithms: []string{"HS256"}}))
		der, err := x509.MarshalPKIXPublicKey(crypto.PublicKey(&rsaKey().PublicKey))
		require.NoError(t, err)
		public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
		us := []any{"aud", "research"}
		_, err = h.keys.Verify(t.Context(), p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), us...))
		require.NoError(t, err)
		_, err = h.keys.Verify(t.Context(), p.issued(t, jwt.SigningMethodHS256, "", []byte(secret), "iss", "https://secretive.example"))
		require.NoError(t, err)
		for name, signed := range map[string]string{
			"HS256 with the public key":              p.issued(t, jwt.SigningMethodHS256, "r", public, us...),
			"HS256 with another issuer's secret":     p.issued(t, jwt.SigningMethodHS256, "", []byte(secret), us...),
			"RS256 in the name of who has a secret":  p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "iss", "https://secretive.example"),
			"an algorithm that is not named":         p.issued(t, jwt.SigningMethodRS384, "r", rsaKey(), us...),
			"a key's kind that is not named":         p.issued(t, jwt.SigningMethodEdDSA, "d", edKey, us...),
			"alg none":                               p.issued(t, jwt.SigningMethodNone, "r", jwt.UnsafeAllowNoneSignatureType, us...),
			"the default audience where one is set":  p.issued(t, jwt.SigningMethodRS256, "r", rsaKey()),
			"no audience":                            p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "aud", nil),
			"no end":                                 p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "aud", "research", "exp", nil),
			"no subject":                             p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "aud", "research", "sub", nil),
			"an endless subject":                     p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "aud", "research", "sub", strings.Repeat("x", 256)),
			"another issuer's key under its own kid": p.issued(t, jwt.SigningMethodRS256, "q", strangers, us...),
			"another issuer's key under our kid":     p.issued(t, jwt.SigningMethodRS256, "r", strangers, us...),
			"a key for encryption":                   p.issued(t, jwt.SigningMethodRS256, "enc", rsaKey(), us...),
			"a key that is for another algorithm":    p.issued(t, jwt.SigningMethodRS256, "pinned", rsaKey(), us...),
			"no kid where there are several keys":    p.issued(t, jwt.SigningMethodRS256, "", rsaKey(), us...),
			"an issuer with a slash more":            p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "aud", "research", "iss", p.URL+"/"),
			"an issuer that nobody named":            p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "aud", "research", "iss", "https://evil.example"),
			"our own name":                           p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "iss", issuer),
		} {
			_, err := h.keys.Verify(t.Context(), signed)
			require.ErrorIs(t, err, token.ErrInvalid, name)
		}
		_, err = h.keys.Verify(t.Context(), p.issued(t, jwt.SigningMethodRS256, "r", rsaKey(), "aud", "research", "exp", time.Now().Add(-time.Minute).Unix()))
		require.ErrorIs(t, err, token.ErrExpired)
		require.Equal(t, 2, dbtest.Value[int](t, h.DB, `select count(*)::int from auth.users`), "who was refused got no row")
	})

	t.Run("publishes no key that proves nothing", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		ec := newECKey(t)
		offCurve := ecJWK(t, "off", &ec.PublicKey)
		offCurve.Y = offCurve.X
		// 1024 bits; golang's own rsa package refuses to make one so small.
		weak := token.JWK{KeyType: "RSA", KeyID: "weak", N: b64(append([]byte{0xff}, make([]byte, 127)...)), E: "AQAB"}
		h := setup(t, trusting(token.Issuer{Issuer: p.URL, Algorithms: []string{"RS256", "ES256"}}))
		p.publish(offCurve, weak, token.JWK{KeyType: "oct", KeyID: "oct"}, rsaJWK("even", &rsa.PublicKey{N: rsaKey().N, E: 2}))
		for _, kid := range []string{"off", "weak", "oct", "even", ""} {
			_, err := h.keys.Verify(t.Context(), p.issued(t, jwt.SigningMethodES256, kid, ec))
			require.ErrorIs(t, err, token.ErrInvalid, kid)
			h.clock.turn(11 * time.Second)
		}
	})

	t.Run("rotates its keys", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		old, fresh := newECKey(t), newECKey(t)
		h := setup(t, trusting(token.Issuer{Issuer: p.URL, Algorithms: []string{"ES256"}}))
		p.publish(ecJWK(t, "old", &old.PublicKey))
		withOld, withNew := p.issued(t, jwt.SigningMethodES256, "old", old), p.issued(t, jwt.SigningMethodES256, "new", fresh)
		_, err := h.keys.Verify(t.Context(), withOld)
		require.NoError(t, err)
		p.publish(ecJWK(t, "old", &old.PublicKey), ecJWK(t, "new", &fresh.PublicKey))
		h.clock.turn(11 * time.Second)
		_, err = h.keys.Verify(t.Context(), withNew)
		require.NoError(t, err, "a kid that is new is asked for")
		// The old key leaked and was taken away: what it signed, remembered or not, is refused within eleven minutes.
		p.publish(ecJWK(t, "new", &fresh.PublicKey))
		h.clock.turn(11 * time.Minute)
		require.Eventually(t, func() bool {
			_, err := h.keys.Verify(t.Context(), withOld)
			h.clock.turn(time.Second)
			return err != nil
		}, 10*time.Second, 10*time.Millisecond)
		_, err = h.keys.Verify(t.Context(), withNew)
		require.NoError(t, err)
	})

	t.Run("is asked at most every ten seconds, whatever kids come", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		key := newECKey(t)
		p.publish(ecJWK(t, "k", &key.PublicKey))
		h := setup(t, trusting(token.Issuer{Issuer: p.URL, Algorithms: []string{"ES256"}}))
		for range 50 {
			_, err := h.keys.Verify(t.Context(), p.issued(t, jwt.SigningMethodES256, uuid.NewString(), key))
			require.ErrorIs(t, err, token.ErrInvalid)
		}
		require.Equal(t, 1, p.requests())
	})

	t.Run("keeps nobody waiting while it does not answer, and its keys stay good for a day", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		key := newECKey(t)
		p.publish(ecJWK(t, "k", &key.PublicKey))
		// A client without a time limit of its own: who waits for it waits for ever.
		h := setup(t, trusting(token.Issuer{Issuer: p.URL, Algorithms: []string{"ES256"}}), func(c *token.KeysConfig) { c.Client = &http.Client{} })
		_, err := h.keys.Verify(t.Context(), p.issued(t, jwt.SigningMethodES256, "k", key, "jti", "0"))
		require.NoError(t, err)
		asked, hang := make(chan struct{}, 1), make(chan struct{})
		p.answer(func(http.ResponseWriter, *http.Request) {
			asked <- struct{}{}
			<-hang
		})
		h.clock.turn(time.Hour)
		later := h.clock.Now().Add(48 * time.Hour).Unix()
		for i := range 20 {
			_, err := h.keys.Verify(t.Context(), p.issued(t, jwt.SigningMethodES256, "k", key, "jti", i, "exp", later))
			require.NoError(t, err, "the fetch that hangs is nobody's business")
		}
		<-asked
		close(hang) // had one of them waited for this, the test would not have come here
		p.answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
		h.clock.turn(24 * time.Hour)
		_, err = h.keys.Verify(t.Context(), p.issued(t, jwt.SigningMethodES256, "k", key, "jti", "late", "exp", later))
		require.ErrorIs(t, err, token.ErrInvalid)
	})

	t.Run("is not believed when what it serves is no key set", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		key := newECKey(t)
		h := setup(t, trusting(token.Issuer{Issuer: p.URL, Algorithms: []string{"ES256"}}))
		signed := p.issued(t, jwt.SigningMethodES256, "k", key)
		for name, serve := range map[string]http.HandlerFunc{
			"an error":     func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
			"a page":       func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
			"an empty set": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"keys":[]}`)) },
			"a flood": func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte(`{"keys":[` + strings.Repeat(" ", 2<<20) + `]}`))
			},
			"a way off TLS": func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://192.0.2.1/keys", http.StatusFound)
			},
			"an endless way": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) },
		} {
			p.answer(serve)
			h.clock.turn(11 * time.Second)
			before := p.requests()
			_, err := h.keys.Verify(t.Context(), signed)
			require.ErrorIs(t, err, token.ErrInvalid, name)
			require.LessOrEqual(t, p.requests()-before, 5, name)
		}
		p.answer(nil)
		p.publish(ecJWK(t, "k", &key.PublicKey))
		h.clock.turn(11 * time.Second)
		_, err := h.keys.Verify(t.Context(), signed)
		require.NoError(t, err, "and is, once it serves one")
	})

	t.Run("never leads from TLS to this machine's own servers", func(t *testing.T) {
		t.Parallel()
		inner := newProvider(t) // what only this machine can reach
		key := newECKey(t)
		inner.publish(ecJWK(t, "k", &key.PublicKey))
		var s *httptest.Server
		s = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/redirects" {
				http.Redirect(w, r, inner.URL+"/keys", http.StatusFound)
				return
			}
			_ = json.NewEncoder(w).Encode(map[string]string{"issuer": s.URL, "jwks_uri": inner.URL + "/keys"})
		}))
		t.Cleanup(s.Close)
		for name, address := range map[string]string{"by a redirect": s.URL + "/redirects", "by discovery": ""} {
			h := setup(t, trusting(token.Issuer{Issuer: s.URL, JWKSURL: address, Algorithms: []string{"ES256"}}), func(c *token.KeysConfig) { c.Client = s.Client() })
			_, err := h.keys.Verify(t.Context(), (&provider{Server: s}).issued(t, jwt.SigningMethodES256, "k", key))
			require.ErrorIs(t, err, token.ErrInvalid, name)
		}
		require.Zero(t, inner.requests())
	})

	t.Run("must name itself in its discovery document", func(t *testing.T) {
		t.Parallel()
		key := newECKey(t)
		for name, said := range map[string]map[string]string{
			"another issuer": {"issuer": "https://elsewhere.example", "jwks_uri": "/keys"},
			"keys off TLS":   {"jwks_uri": "http://192.0.2.1/keys"},
		} {
			var s *httptest.Server
			s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/keys" {
					_ = json.NewEncoder(w).Encode(map[string]any{"keys": []token.JWK{ecJWK(t, "k", &key.PublicKey)}})
					return
				}
				doc := map[string]string{"issuer": s.URL, "jwks_uri": s.URL + "/keys"}
				for k, v := range said {
					if strings.HasPrefix(v, "/") {
						v = s.URL + v
					}
					doc[k] = v
				}
				_ = json.NewEncoder(w).Encode(doc)
			}))
			t.Cleanup(s.Close)
			h := setup(t, trusting(token.Issuer{Issuer: s.URL, Algorithms: []string{"ES256"}}))
			_, err := h.keys.Verify(t.Context(), (&provider{Server: s}).issued(t, jwt.SigningMethodES256, "k", key))
			require.ErrorIs(t, err, token.ErrInvalid, name)
		}
	})

	t.Run("alone is trusted where our own identity is off", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		key := newECKey(t)
		p.publish(ecJWK(t, "k", &key.PublicKey))
		h := setup(t)
		own := sign(t, h.keys, nil)
		off := h.server(t, trusting(token.Issuer{Issuer: p.URL, Algorithms: []string{"ES256"}}), func(c *token.KeysConfig) { c.Off = true })
		_, err := off.Verify(t.Context(), own)
		require.ErrorIs(t, err, token.ErrInvalid)
		_, err = off.Verify(t.Context(), p.issued(t, jwt.SigningMethodES256, "", key)) // the only key needs no kid
		require.NoError(t, err)
	})
}

func TestParseIssuers(t *testing.T) {
	t.Parallel()
	list, err := token.ParseIssuers(`[{"issuer":"https://x.supabase.co/auth/v1","algorithms":["ES256"],"link_users":true},{"issuer":"y","secret":"` + strings.Repeat("s", 32) + `","algorithms":["HS256"],"audience":"a","role":"anon"}]`)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.True(t, list[0].LinkUsers)
	none, err := token.ParseIssuers("  ")
	require.NoError(t, err)
	require.Empty(t, none)
	for name, text := range map[string]string{
		"no JSON":                        `issuer=x`,
		"an object":                      `{"issuer":"https://x.example","algorithms":["ES256"]}`,
		"something behind":               `[] []`,
		"a field that is misspelt":       `[{"issuer":"https://x.example","algorithm":["ES256"]}]`,
		"no issuer":                      `[{"algorithms":["ES256"]}]`,
		"no algorithm":                   `[{"issuer":"https://x.example"}]`,
		"alg none":                       `[{"issuer":"https://x.example","algorithms":["none"]}]`,
		"HMAC with public keys":          `[{"issuer":"https://x.example","algorithms":["ES256","HS256"]}]`,
		"public keys with a secret":      `[{"issuer":"https://x.example","secret":"` + strings.Repeat("s", 32) + `","algorithms":["HS256","RS256"]}]`,
		"a short secret":                 `[{"issuer":"https://x.example","secret":"sssshort","algorithms":["HS256"]}]`,
		"both a secret and keys":         `[{"issuer":"https://x.example","secret":"` + strings.Repeat("s", 32) + `","jwks_url":"https://x.example/k","algorithms":["HS256"]}]`,
		"keys off TLS":                   `[{"issuer":"http://x.example","algorithms":["ES256"]}]`,
		"keys of a file":                 `[{"issuer":"https://x.example","jwks_url":"file:///etc/passwd","algorithms":["ES256"]}]`,
		"an issuer that cannot be found": `[{"issuer":"x","algorithms":["ES256"]}]`,
		"the service's role":             `[{"issuer":"https://x.example","algorithms":["ES256"],"role":"service_role"}]`,
		"one twice":                      `[{"issuer":"https://x.example","algorithms":["ES256"]},{"issuer":"https://x.example","algorithms":["RS256"]}]`,
	} {
		_, err := token.ParseIssuers(text)
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), "ssss", name)
	}
}

func FuzzParseIssuers(f *testing.F) {
	f.Add(`[{"issuer":"https://x.supabase.co/auth/v1","algorithms":["ES256"],"link_users":true}]`)
	f.Add(`[{"issuer":"https://x.example","secret":"ssssssssssssssssssssssssssssssss","algorithms":["HS256"]}]`)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := token.ParseIssuers(text)
		for _, one := range list {
			require.NoError(t, err)
			require.NotEmpty(t, one.Issuer)
			require.NotEmpty(t, one.Algorithms)
			require.NotContains(t, one.Algorithms, "none")
		}
	})
}
