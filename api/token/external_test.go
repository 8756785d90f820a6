package token_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
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

func TestExternalIssuer(t *testing.T) {
	t.Parallel()

	t.Run("may use any of its algorithms, and is found by discovery or by JWKSURL", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		edPublic, edKey, err := ed25519.GenerateKey(rand.Reader)
		require.NoError(t, err)
		p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
		require.NoError(t, err)
		p256 := newECKey(t)
		p.publish(
			rsaJWK("r", &rsaKey().PublicKey), ecJWK(t, "e256", &p256.PublicKey),
			ecJWK(t, "e384", &p384.PublicKey), edJWK("d", edPublic),
		)
		algorithms := []string{"RS256", "PS256", "ES256", "ES384", "EdDSA"}
		for _, issuer := range []token.Issuer{
			{Issuer: p.URL, Algorithms: algorithms},
			{Issuer: p.URL, Algorithms: algorithms, JWKSURL: p.URL + "/keys"},
		} {
			h := setup(t, trusting(issuer))
			for algorithm, signed := range map[string]string{
				"RS256": p.issueRS(t),
				"PS256": p.issue(t, jwt.SigningMethodPS256, "r", rsaKey()),
				"ES256": p.issueES(t, "e256", p256),
				"ES384": p.issue(t, jwt.SigningMethodES384, "e384", p384),
				"EdDSA": p.issue(t, jwt.SigningMethodEdDSA, "d", edKey),
			} {
				principal, err := h.keys.Verify(t.Context(), signed)
				require.NoError(t, err, algorithm)
				require.True(t, principal.External)
				require.Equal(t, uuid.Nil, principal.SessionID)
			}
		}
	})

	t.Run("names the role, or the configuration does; never the service's", func(t *testing.T) {
		t.Parallel()
		p := newRSAProvider(t)
		withRole := p.rsa()
		withRole.Role = "authenticated"
		unconfigured, configured := setup(t, trusting(p.rsa())), setup(t, trusting(withRole))
		noRole := p.issueRS(t, "role", nil)
		_, err := unconfigured.keys.Verify(t.Context(), noRole)
		require.ErrorIs(t, err, token.ErrInvalid)
		principal, err := configured.keys.Verify(t.Context(), noRole)
		require.NoError(t, err)
		require.Equal(t, db.RoleAuthenticated, principal.Subject.Role)
		require.Contains(t, string(principal.Subject.Claims), `"role":"authenticated"`)
		for _, role := range []string{"service_role", "postgres", "authenticator"} {
			_, err := configured.keys.Verify(t.Context(), p.issueRS(t, "role", role))
			require.ErrorIs(t, err, token.ErrInvalid, role)
		}
	})

	t.Run("is the only one that is trusted if identity is off", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		key := newECKey(t)
		p.publish(ecJWK(t, "k", &key.PublicKey))
		h := setup(t)
		own := sign(t, h.keys, nil)
		off := h.server(t, trusting(p.ec()), func(c *token.KeysConfig) { c.Off = true })
		_, err := off.Verify(t.Context(), own)
		require.ErrorIs(t, err, token.ErrInvalid)
		_, err = off.Verify(t.Context(), p.issueES(t, "", key))
		require.NoError(t, err, "the only key needs no kid")
	})
}

func TestExternalIssuerIsBound(t *testing.T) {
	t.Parallel()
	p, q := newProvider(t), newProvider(t)
	edPublic, edKey, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	foreign, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	encryption, pinned := rsaJWK("enc", &rsaKey().PublicKey), rsaJWK("pinned", &rsaKey().PublicKey)
	encryption.Use, pinned.Algorithm = "enc", "RS512"
	p.publish(rsaJWK("r", &rsaKey().PublicKey), encryption, pinned, edJWK("d", edPublic))
	q.publish(rsaJWK("q", &foreign.PublicKey))
	const audience, secretIssuer = "research", "https://secretive.example"
	withAudience := p.rsa()
	withAudience.Audience = audience
	h := setup(t, trusting(withAudience, q.rsa(), token.Issuer{
		Issuer: secretIssuer, Secret: sharedSecret, Algorithms: []string{"HS256"},
	}))
	der, err := x509.MarshalPKIXPublicKey(crypto.PublicKey(&rsaKey().PublicKey))
	require.NoError(t, err)
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})

	// issue returns a token of p for the right audience.
	issue := func(method jwt.SigningMethod, kid string, key any, changes ...any) string {
		return p.issue(t, method, kid, key, append([]any{"aud", audience}, changes...)...)
	}
	issueRS := func(changes ...any) string {
		return issue(jwt.SigningMethodRS256, "r", rsaKey(), changes...)
	}
	bySecret := p.issue(t, jwt.SigningMethodHS256, "", []byte(sharedSecret), "iss", secretIssuer)
	for _, valid := range []string{issueRS(), bySecret} {
		_, err = h.keys.Verify(t.Context(), valid)
		require.NoError(t, err)
	}
	const noKey = jwt.UnsafeAllowNoneSignatureType
	for name, signed := range map[string]string{
		"HS256 with the public key":             issue(jwt.SigningMethodHS256, "r", publicPEM),
		"HS256 with another issuer's secret":    issue(jwt.SigningMethodHS256, "", []byte(sharedSecret)),
		"RS256 with the name of another issuer": p.issueRS(t, "iss", secretIssuer),
		"an algorithm that is not configured":   issue(jwt.SigningMethodRS384, "r", rsaKey()),
		"a key type that is not configured":     issue(jwt.SigningMethodEdDSA, "d", edKey),
		"alg none":                              issue(jwt.SigningMethodNone, "r", noKey),
		"the default audience":                  p.issueRS(t),
		"no audience":                           issueRS("aud", nil),
		"no exp":                                issueRS("exp", nil),
		"no subject":                            issueRS("sub", nil),
		"a subject that is too long":            issueRS("sub", strings.Repeat("x", 256)),
		"another issuer's key with its kid":     issue(jwt.SigningMethodRS256, "q", foreign),
		"another issuer's key with our kid":     issue(jwt.SigningMethodRS256, "r", foreign),
		"a key for encryption":                  issue(jwt.SigningMethodRS256, "enc", rsaKey()),
		"a key for another algorithm":           issue(jwt.SigningMethodRS256, "pinned", rsaKey()),
		"no kid and several keys":               issue(jwt.SigningMethodRS256, "", rsaKey()),
		"an additional slash":                   issueRS("iss", p.URL+"/"),
		"an unknown issuer":                     issueRS("iss", "https://evil.example"),
		"our own name":                          p.issueRS(t, "iss", issuer),
	} {
		_, err := h.keys.Verify(t.Context(), signed)
		require.ErrorIs(t, err, token.ErrInvalid, name)
	}
	_, err = h.keys.Verify(t.Context(), issueRS("exp", time.Now().Add(-time.Minute).Unix()))
	require.ErrorIs(t, err, token.ErrExpired)
	require.Equal(t, 2, dbtest.Value[int](t, h.DB, `select count(*)::int from auth.users`),
		"a rejected subject gets no row")
}

func TestExternalUser(t *testing.T) {
	t.Parallel()

	t.Run("is provisioned once for each subject, and is never another user", func(t *testing.T) {
		t.Parallel()
		p, q := newRSAProvider(t), newRSAProvider(t)
		h := setup(t, trusting(p.rsa(), q.rsa()))
		ours := h.User(t, "ada@example.com")
		metadata := map[string]any{"display_name": "Ada"}
		first, err := h.keys.Verify(t.Context(), p.issueRS(t, "user_metadata", metadata))
		require.NoError(t, err)
		id := first.Subject.UserID
		require.NotEqual(t, ours, id, "an address in a token does not prove to be our user")
		var claims map[string]any
		require.NoError(t, json.Unmarshal(first.Subject.Claims, &claims))
		require.Equal(t, id.String(), claims["sub"], "policies read our id")
		require.Equal(t, "google|42", claims["external_sub"])
		again, err := h.keys.Verify(t.Context(), p.issueRS(t, "iat", 1))
		require.NoError(t, err)
		require.Equal(t, id, again.Subject.UserID)
		other, err := h.keys.Verify(t.Context(), q.issueRS(t))
		require.NoError(t, err)
		require.NotEqual(t, id, other.Subject.UserID, "the same subject of another issuer is another user")
		require.Equal(t, 1,
			dbtest.Value[int](t, h.DB, `select count(*)::int from profiles where id = $1`, id))

		// A subject that is the id of one of our users, or of another issuer's, is rejected.
		for _, taken := range []uuid.UUID{ours, other.Subject.UserID} {
			_, err = h.keys.Verify(t.Context(), p.issueRS(t, "sub", taken.String()))
			require.ErrorIs(t, err, token.ErrInvalid)
		}
		free := uuid.New()
		principal, err := h.keys.Verify(t.Context(), p.issueRS(t, "sub", free.String()))
		require.NoError(t, err)
		require.Equal(t, free, principal.Subject.UserID)
	})

	t.Run("may be an imported user with link_users", func(t *testing.T) {
		t.Parallel()
		p := newRSAProvider(t)
		linking := p.rsa()
		linking.LinkUsers = true
		h := setup(t, trusting(linking))
		ours := h.User(t, "ada@example.com")
		principal, err := h.keys.Verify(t.Context(), p.issueRS(t, "sub", ours.String()))
		require.NoError(t, err)
		require.Equal(t, ours, principal.Subject.UserID)
	})

	t.Run("is provisioned once by concurrent first requests", func(t *testing.T) {
		t.Parallel()
		p := newRSAProvider(t)
		h := setup(t, trusting(p.rsa()))
		users := make([]uuid.UUID, 10)
		errs := make([]error, len(users))
		var group sync.WaitGroup
		for i := range users {
			signed := p.issueRS(t, "iat", i)
			group.Go(func() {
				var principal token.Principal
				principal, errs[i] = h.keys.Verify(t.Context(), signed)
				users[i] = principal.Subject.UserID
			})
		}
		group.Wait()
		for i, user := range users {
			require.NoError(t, errs[i])
			require.Equal(t, users[0], user)
		}
		require.Equal(t, 1, dbtest.Value[int](t, h.DB, `select count(*)::int from auth.users`))
		require.LessOrEqual(t, p.requestCount(), 1, "the issuer is asked once")
	})

	t.Run("is the one that a concurrent transaction created, unless that is rolled back", func(t *testing.T) {
		t.Parallel()
		p := newRSAProvider(t)
		h := setup(t, trusting(p.rsa()))
		for name, committed := range map[string]bool{"committed": true, "rolled back": false} {
			id := uuid.New()
			h.AsOwner(t, func(other *pgx.Conn) {
				tx, err := other.Begin(t.Context())
				require.NoError(t, err)
				_, err = tx.Exec(t.Context(), `insert into auth.users (id, is_sso_user) values ($1, true)`, id)
				require.NoError(t, err)
				_, err = tx.Exec(t.Context(),
					`insert into auth.identities (provider, provider_id, user_id, identity_data)
					values ($1, $2, $3, '{}')`, p.URL, id.String(), id)
				require.NoError(t, err)
				type result struct {
					token.Principal
					err error
				}
				done := make(chan result, 1)
				signed := p.issueRS(t, "sub", id.String())
				go func() {
					principal, err := h.keys.Verify(t.Context(), signed)
					done <- result{principal, err}
				}()
				h.AwaitLock(t)
				if committed {
					require.NoError(t, tx.Commit(t.Context()))
				} else {
					require.NoError(t, tx.Rollback(t.Context()))
				}
				r := <-done
				require.NoError(t, r.err, name)
				require.Equal(t, id, r.Subject.UserID, name)
				require.Equal(t, 1, dbtest.Value[int](t, h.DB,
					`select count(*)::int from auth.identities where user_id = $1`, id), name)
			})
		}
	})
}
