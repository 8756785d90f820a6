package token_test

import (
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/token"
)

func TestKeySet(t *testing.T) {
	t.Parallel()

	t.Run("must have usable keys", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		key := newECKey(t)
		offCurve := ecJWK(t, "off", &key.PublicKey)
		offCurve.Y = offCurve.X
		// It has 1024 bits; package rsa does not generate such a key.
		weak := token.JWK{
			KeyType: "RSA", KeyID: "weak", N: b64(append([]byte{0xff}, make([]byte, 127)...)), E: "AQAB",
		}
		even := rsaJWK("even", &rsa.PublicKey{N: rsaKey().N, E: 2})
		h := setup(t, trusting(token.Issuer{Issuer: p.URL, Algorithms: []string{"RS256", "ES256"}}))
		p.publish(offCurve, weak, token.JWK{KeyType: "oct", KeyID: "oct"}, even)
		for _, kid := range []string{"off", "weak", "oct", "even", ""} {
			_, err := h.keys.Verify(t.Context(), p.issueES(t, kid, key))
			require.ErrorIs(t, err, token.ErrInvalid, kid)
			h.clock.advance(11 * time.Second)
		}
	})

	t.Run("may have unusable keys beside usable ones", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		key := newECKey(t)
		h := setup(t, trusting(p.ec()))
		p.publish(token.JWK{KeyType: "AKP", KeyID: "new"}, ecJWK(t, "k", &key.PublicKey))
		_, err := h.keys.Verify(t.Context(), p.issueES(t, "k", key))
		require.NoError(t, err)
	})

	t.Run("may rotate", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		oldKey, newKey := newECKey(t), newECKey(t)
		h := setup(t, trusting(p.ec()))
		p.publish(ecJWK(t, "old", &oldKey.PublicKey))
		withOld, withNew := p.issueES(t, "old", oldKey), p.issueES(t, "new", newKey)
		_, err := h.keys.Verify(t.Context(), withOld)
		require.NoError(t, err)
		p.publish(ecJWK(t, "old", &oldKey.PublicKey), ecJWK(t, "new", &newKey.PublicKey))
		h.clock.advance(11 * time.Second)
		_, err = h.keys.Verify(t.Context(), withNew)
		require.NoError(t, err, "an unknown kid is fetched")
		// The old key was revoked. Its tokens, cached or not, are rejected within eleven minutes.
		p.publish(ecJWK(t, "new", &newKey.PublicKey))
		h.clock.advance(11 * time.Minute)
		require.Eventually(t, func() bool {
			_, err := h.keys.Verify(t.Context(), withOld)
			h.clock.advance(time.Second)
			return err != nil
		}, time.Minute, 10*time.Millisecond)
		_, err = h.keys.Verify(t.Context(), withNew)
		require.NoError(t, err)
	})

	t.Run("is fetched at most every ten seconds, however many kids arrive", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		key := newECKey(t)
		p.publish(ecJWK(t, "k", &key.PublicKey))
		h := setup(t, trusting(p.ec()))
		for range 50 {
			_, err := h.keys.Verify(t.Context(), p.issueES(t, uuid.NewString(), key))
			require.ErrorIs(t, err, token.ErrInvalid)
		}
		require.Equal(t, 1, p.requestCount())
	})

	t.Run("delays nobody while the issuer does not answer, and stays valid for a day", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		key := newECKey(t)
		p.publish(ecJWK(t, "k", &key.PublicKey))
		// A client without a timeout: a request that waits for it waits forever.
		h := setup(t, trusting(p.ec()), func(c *token.KeysConfig) { c.Client = &http.Client{} })
		_, err := h.keys.Verify(t.Context(), p.issueES(t, "k", key, "jti", "0"))
		require.NoError(t, err)
		asked, hang := make(chan struct{}, 1), make(chan struct{})
		p.answerWith(func(http.ResponseWriter, *http.Request) {
			asked <- struct{}{}
			<-hang
		})
		h.clock.advance(time.Hour)
		later := h.clock.Now().Add(48 * time.Hour).Unix()
		for i := range 20 {
			_, err := h.keys.Verify(t.Context(), p.issueES(t, "k", key, "jti", i, "exp", later))
			require.NoError(t, err, "the hanging fetch delays no request")
		}
		<-asked
		close(hang) // a request that had waited for this would have blocked the test
		p.answerWith(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
		h.clock.advance(24 * time.Hour)
		_, err = h.keys.Verify(t.Context(), p.issueES(t, "k", key, "jti", "late", "exp", later))
		require.ErrorIs(t, err, token.ErrInvalid)
	})

	t.Run("must be a key set", func(t *testing.T) {
		t.Parallel()
		p := newProvider(t)
		key := newECKey(t)
		h := setup(t, trusting(p.ec()))
		signed := p.issueES(t, "k", key)
		write := func(body string) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
		}
		redirect := func(address string) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, address, http.StatusFound)
			}
		}
		for name, answer := range map[string]http.HandlerFunc{
			"an error":           func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) },
			"a page":             write("<html>"),
			"an empty set":       write(`{"keys":[]}`),
			"2 MB":               write(`{"keys":[` + strings.Repeat(" ", 2<<20) + `]}`),
			"a redirect off TLS": redirect("http://192.0.2.1/keys"),
			"endless redirects":  redirect("/again"),
		} {
			p.answerWith(answer)
			h.clock.advance(11 * time.Second)
			before := p.requestCount()
			_, err := h.keys.Verify(t.Context(), signed)
			require.ErrorIs(t, err, token.ErrInvalid, name)
			require.LessOrEqual(t, p.requestCount()-before, 5, name)
		}
		p.answerWith(nil)
		p.publish(ecJWK(t, "k", &key.PublicKey))
		h.clock.advance(11 * time.Second)
		_, err := h.keys.Verify(t.Context(), signed)
		require.NoError(t, err, "it is trusted once it is one")
	})
}

func TestDiscovery(t *testing.T) {
	t.Parallel()

	t.Run("cannot lead from TLS to servers of this machine", func(t *testing.T) {
		t.Parallel()
		inner := newProvider(t) // only this machine can reach it
		key := newECKey(t)
		inner.publish(ecJWK(t, "k", &key.PublicKey))
		var outer *httptest.Server
		outer = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/redirects" {
				http.Redirect(w, r, inner.URL+"/keys", http.StatusFound)
				return
			}
			_ = json.NewEncoder(w).Encode(map[string]string{
				"issuer": outer.URL, "jwks_uri": inner.URL + "/keys",
			})
		}))
		t.Cleanup(outer.Close)
		p := &provider{Server: outer}
		for name, address := range map[string]string{"redirect": outer.URL + "/redirects", "discovery": ""} {
			issuer := p.ec()
			issuer.JWKSURL = address
			h := setup(t, trusting(issuer), func(c *token.KeysConfig) { c.Client = outer.Client() })
			_, err := h.keys.Verify(t.Context(), p.issueES(t, "k", key))
			require.ErrorIs(t, err, token.ErrInvalid, name)
		}
		require.Zero(t, inner.requestCount())
	})

	t.Run("must name the issuer, and keys with TLS", func(t *testing.T) {
		t.Parallel()
		key := newECKey(t)
		for name, wrong := range map[string]map[string]string{
			"another issuer": {"issuer": "https://elsewhere.example"},
			"keys off TLS":   {"jwks_uri": "http://192.0.2.1/keys"},
		} {
			var server *httptest.Server
			server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/keys" {
					keys := []token.JWK{ecJWK(t, "k", &key.PublicKey)}
					_ = json.NewEncoder(w).Encode(map[string]any{"keys": keys})
					return
				}
				document := map[string]string{"issuer": server.URL, "jwks_uri": server.URL + "/keys"}
				for field, value := range wrong {
					document[field] = value
				}
				_ = json.NewEncoder(w).Encode(document)
			}))
			t.Cleanup(server.Close)
			p := &provider{Server: server}
			h := setup(t, trusting(p.ec()))
			_, err := h.keys.Verify(t.Context(), p.issueES(t, "k", key))
			require.ErrorIs(t, err, token.ErrInvalid, name)
		}
	})
}
