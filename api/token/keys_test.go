package token_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/api/token"
	"research/db/dbtest"
)

func kids(t testing.TB, k *token.Keys) []string {
	t.Helper()
	var list []string
	for _, jwk := range k.Public(t.Context()) {
		list = append(list, jwk.KeyID)
	}
	return list
}

func kidOf(t testing.TB, signed string) string {
	t.Helper()
	header, _ := parts(t, signed)
	return header["kid"].(string)
}

func encodePEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func TestRotate(t *testing.T) {
	t.Parallel()

	t.Run("signs nobody out, on any server", func(t *testing.T) {
		t.Parallel()
		h := setup(t)
		servers := []*token.Keys{h.keys, h.server(t)}
		requireGood := func(signed string) {
			t.Helper()
			for _, s := range servers {
				_, err := s.Verify(t.Context(), signed)
				require.NoError(t, err)
			}
		}
		old := sign(t, h.keys, nil)
		requireGood(old)
		kid, err := token.Rotate(t.Context(), h.Store, false)
		require.NoError(t, err)
		h.clock.catchUp()

		h.clock.advance(11 * time.Second)
		for _, s := range servers {
			require.ElementsMatch(t, []string{kidOf(t, old), kid}, kids(t, s),
				"every server publishes the new key within ten seconds")
			require.Equal(t, kidOf(t, old), kidOf(t, sign(t, s, nil)), "the old key still signs")
		}
		h.clock.advance(21 * time.Second)
		last := old
		for _, s := range servers {
			signed := sign(t, s, nil)
			require.Equal(t, kid, kidOf(t, signed), "every server signs with it after half a minute")
			requireGood(signed)
			requireGood(old)
		}
		h.clock.advance(token.Lifetime - 40*time.Second)
		requireGood(last)
		h.clock.advance(time.Minute)
		for _, s := range servers {
			require.Equal(t, []string{kid}, kids(t, s), "the old key is gone once its last token has expired")
		}
	})

	t.Run("may happen twice in a row, before the first new key signs", func(t *testing.T) {
		t.Parallel()
		h := setup(t)
		first := sign(t, h.keys, nil)
		for range 2 {
			_, err := token.Rotate(t.Context(), h.Store, false)
			require.NoError(t, err)
		}
		for range 8 { // there is always a key that signs, and every key that signed still verifies
			h.clock.advance(5 * time.Second)
			for _, signed := range []string{first, sign(t, h.keys, nil)} {
				_, err := h.keys.Verify(t.Context(), signed)
				require.NoError(t, err)
			}
		}
		list, err := token.List(t.Context(), h.Store)
		require.NoError(t, err)
		require.Len(t, list, 3)
	})

	t.Run("revokes a leaked key within ten seconds, for cached tokens as well", func(t *testing.T) {
		t.Parallel()
		h := setup(t)
		other := h.server(t)
		leaked := sign(t, h.keys, nil)
		for _, s := range []*token.Keys{h.keys, other} {
			_, err := s.Verify(t.Context(), leaked)
			require.NoError(t, err)
		}
		_, err := token.Rotate(t.Context(), h.Store, true)
		require.NoError(t, err)
		h.clock.advance(11 * time.Second)
		for _, s := range []*token.Keys{h.keys, other} {
			_, err := s.Verify(t.Context(), leaked)
			require.ErrorIs(t, err, token.ErrInvalid)
			_, err = s.Verify(t.Context(), sign(t, s, nil))
			require.NoError(t, err)
		}
	})

	t.Run("deletes old keys", func(t *testing.T) {
		t.Parallel()
		h := setup(t)
		h.Exec(t, `update auth.signing_keys
			set created_at = now() - interval '90 days', retired_at = now() - interval '31 days'`)
		_, err := token.Rotate(t.Context(), h.Store, false)
		require.NoError(t, err)
		require.Equal(t, 1, dbtest.Value[int](t, h.DB, `select count(*)::int from auth.signing_keys`))
	})
}

func TestNewKeys(t *testing.T) {
	t.Parallel()

	t.Run("creates one key if many servers start concurrently", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				_, err := token.NewKeys(t.Context(), d.Store, token.KeysConfig{Issuer: issuer})
				require.NoError(t, err)
			})
		}
		all.Wait()
		require.Equal(t, 1, dbtest.Value[int](t, d, `select count(*)::int from auth.signing_keys`))
	})

	t.Run("keeps working while the database does not answer", func(t *testing.T) {
		t.Parallel()
		h := setup(t)
		signed := sign(t, h.keys, nil)
		h.Exec(t, `revoke all on auth.signing_keys from service_role`)
		h.clock.advance(time.Minute)
		_, err := h.keys.Verify(t.Context(), signed)
		require.NoError(t, err)
		_, err = h.keys.Verify(t.Context(), sign(t, h.keys, nil))
		require.NoError(t, err)
	})

	t.Run("signs with a configured key, and still verifies with the database's keys", func(t *testing.T) {
		t.Parallel()
		h := setup(t)
		before := sign(t, h.keys, nil)
		key := newECKey(t)
		sec1, err := x509.MarshalECPrivateKey(key)
		require.NoError(t, err)
		pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
		require.NoError(t, err)
		for _, text := range []string{
			encodePEM("EC PRIVATE KEY", sec1), encodePEM("PRIVATE KEY", pkcs8),
			strings.ReplaceAll(encodePEM("PRIVATE KEY", pkcs8), "\n", `\n`),
		} {
			k := h.server(t, func(c *token.KeysConfig) { c.PrivateKey = text })
			signed := sign(t, k, nil)
			require.NotEqual(t, kidOf(t, before), kidOf(t, signed))
			for _, one := range []string{before, signed} {
				_, err := k.Verify(t.Context(), one)
				require.NoError(t, err)
			}
			require.Len(t, kids(t, k), 2)
		}
	})

	t.Run("rejects a configuration that cannot work", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
		require.NoError(t, err)
		der, err := x509.MarshalPKCS8PrivateKey(p384)
		require.NoError(t, err)
		for name, cfg := range map[string]token.KeysConfig{
			"no issuer":              {},
			"garbage as a key":       {Issuer: issuer, PrivateKey: "garbage"},
			"garbage in PEM":         {Issuer: issuer, PrivateKey: encodePEM("PRIVATE KEY", []byte{0, 0, 0})},
			"a key of another curve": {Issuer: issuer, PrivateKey: encodePEM("PRIVATE KEY", der)},
			"no trusted issuer":      {Issuer: issuer, Off: true},
			"our own name": {Issuer: issuer, External: []token.Issuer{{
				Issuer: issuer, Secret: strings.Repeat("s", 32), Algorithms: []string{"HS256"},
			}}},
		} {
			_, err := token.NewKeys(t.Context(), d.Store, cfg)
			require.Error(t, err, name)
			require.NotContains(t, err.Error(), "AAAA")
		}
	})

	t.Run("signs nothing and trusts none of our keys if identity is off", func(t *testing.T) {
		t.Parallel()
		h := setup(t)
		signed := sign(t, h.keys, nil)
		off := h.server(t, func(c *token.KeysConfig) { c.Off, c.Secret = true, strings.Repeat("s", 32) })
		_, err := off.Verify(t.Context(), signed)
		require.ErrorIs(t, err, token.ErrInvalid)
		_, _, err = off.Sign(t.Context(), nil)
		require.Error(t, err)
		require.Empty(t, off.Public(t.Context()))
	})
}
