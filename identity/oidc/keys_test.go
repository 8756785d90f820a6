package oidc

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"research/identity/oidc/oidctest"
)

func TestKeySets(t *testing.T) {
	t.Parallel()
	const noKeys = "cannot be used: its key set has no key for signatures"
	for name, tt := range map[string]struct {
		handler   http.HandlerFunc
		reason    string
		temporary bool
	}{
		"of 10 MB":      {oidctest.Big(10 << 20), "cannot be used: its key set is larger than 1024 KB", false},
		"without keys":  {oidctest.JSON(200, `{"keys":[]}`), noKeys, false},
		"that are null": {oidctest.JSON(200, `null`), noKeys, false},
		"of numbers":    {oidctest.JSON(200, `{"keys":[1,null,{}]}`), noKeys, false},
		"of secrets": {
			oidctest.JSON(200, `{"keys":[{"kty":"oct","k":"AAAA","kid":"rsa-1"}]}`),
			noKeys, false,
		},
		"that are a page": {
			oidctest.HTML(200), "cannot be used: its key set does not have the content type application/json", false,
		},
		"that are not there now": {
			oidctest.HTML(500), "does not answer: its key set was answered with status 500", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := oidctest.NewProvider(t, oidctest.Options{})
			fake.Handle(oidctest.Keys, tt.handler)
			_, err := newTestProvider(t, acme(fake), nil).VerifyIDToken(t.Context(), IDToken{Raw: fake.IDToken(nil)})
			requireReason(t, err, tt.reason, tt.temporary)
		})
	}

	t.Run("that never come", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{})
		fake.Handle(oidctest.Keys, fake.Hang())
		p := newSlowProvider(t, acme(fake), nil, 300*time.Millisecond)
		_, err := p.VerifyIDToken(t.Context(), IDToken{Raw: fake.IDToken(nil)})
		requireReason(t, err, "does not answer: its key set did not arrive in time", true)
	})

	t.Run("with keys that cannot be used beside those that can", func(t *testing.T) {
		t.Parallel()
		fake := oidctest.NewProvider(t, oidctest.Options{})
		p := newTestProvider(t, acme(fake), nil)
		m, err := p.metadata.get(t.Context())
		require.NoError(t, err)
		short, err := rsa.GenerateKey(rand.Reader, 1024) //nolint:gosec // one that must be rejected
		require.NoError(t, err)
		ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		body, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
			{Key: &short.PublicKey, KeyID: "short"}, {Key: ec, KeyID: "private"},
			{Key: &ec.PublicKey, KeyID: "encrypts", Use: "enc"}, {Key: &ec.PublicKey, KeyID: "usable"},
		}})
		require.NoError(t, err)
		fake.Handle(oidctest.Keys, oidctest.JSON(200, `{"keys":[{"kty":"OKP","crv":"X448","x":"AA"},`+
			`{"kty":"EC","crv":"P-256","x":"AA","y":"AA"},`+string(body[len(`{"keys":[`):])))
		keys, err := p.fetchKeys(t.Context(), m)
		require.NoError(t, err)
		require.Len(t, keys, 1)
		require.Equal(t, "usable", keys[0].KeyID)
	})
}

func TestUnknownKeysAreFetchedOnceAMinute(t *testing.T) {
	t.Parallel()
	now := newClock()
	fake := oidctest.NewProvider(t, oidctest.Options{})
	p := newTestProvider(t, acme(fake), now.Now)
	fetches := func() int { return fake.Requests(oidctest.Keys) }
	send := func(kid string) error {
		fake.Set(func(b *oidctest.Behavior) { b.KeyID = kid })
		_, err := p.VerifyIDToken(t.Context(), IDToken{Raw: fake.IDToken(nil)})
		return err
	}

	for range 20 {
		require.Error(t, send("invented"))
	}
	require.Equal(t, 1, fetches())
	require.NoError(t, send(""), "known keys are used meanwhile")
	now.advance(61 * time.Second)
	for range 20 {
		require.Error(t, send("invented again"))
	}
	require.NoError(t, send(""))
	require.Equal(t, 2, fetches())

	now.advance(61 * time.Second)
	fake.Handle(oidctest.Keys, oidctest.HTML(http.StatusInternalServerError))
	require.Error(t, send("invented"))
	require.NoError(t, send(""), "the old keys are used while there are no others")
	require.Equal(t, 3, fetches())
	now.advance(25 * time.Hour)
	fake.Set(func(b *oidctest.Behavior) { b.Clock = 25 * time.Hour })
	require.Error(t, send(""), "but no longer than a day")
}

func TestNewAndWithdrawnKeys(t *testing.T) {
	t.Parallel()
	now := newClock()
	fake := oidctest.NewProvider(t, oidctest.Options{})
	p := newTestProvider(t, acme(fake), now.Now)
	verify := func() error {
		_, err := p.VerifyIDToken(t.Context(), IDToken{Raw: fake.IDToken(nil)})
		return err
	}
	fake.Handle(oidctest.Keys, oidctest.JSON(200, `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"old",`+
		`"x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`))
	requireReason(t, verify(), notAccepted+"it is signed with a key that the provider does not have", false)
	now.advance(61 * time.Second)
	fake.Handle(oidctest.Keys, nil)
	require.NoError(t, verify(), "a new key is fetched when a token has it")

	fake.Handle(oidctest.Keys, oidctest.JSON(200, `{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"old",`+
		`"x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`))
	require.NoError(t, verify())
	now.advance(11 * time.Minute)
	require.Error(t, verify(), "a key that was withdrawn is not accepted for long")
}

// keySetOf returns what a provider publishes.
func keySetOf(t *testing.T, p *oidctest.Provider) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+oidctest.Keys, nil)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(body)
}

func TestKeysOfOtherAlgorithms(t *testing.T) {
	t.Parallel()
	now := newClock()
	fake := oidctest.NewProvider(t, oidctest.Options{})
	set := keySetOf(t, fake)
	require.Contains(t, set, `"alg":"RS256"`)
	fake.Handle(oidctest.Keys, oidctest.JSON(200, strings.ReplaceAll(set, `"alg":"RS256"`, `"alg":"PS256"`)))
	p := newTestProvider(t, acme(fake), now.Now)
	for range 3 {
		_, err := p.VerifyIDToken(t.Context(), IDToken{Raw: fake.IDToken(nil)})
		requireReason(t, err, notAccepted+"its signature is not valid", false)
		now.advance(61 * time.Second)
	}
	require.Equal(t, 2, fake.Requests(oidctest.Keys), "the key is known: there is no reason to fetch it again")
}

func TestKeysOfIssuers(t *testing.T) {
	t.Parallel()
	const contoso = "72f988bf-86f1-41af-91ab-2d7cd011db47"
	fake := oidctest.NewProvider(t, oidctest.Options{Path: "/common/v2.0"})
	issuer := func(tenant string) string { return strings.Replace(fake.URL, "common", tenant, 1) }
	fake.Set(func(b *oidctest.Behavior) { b.Discovery = set(map[string]any{"issuer": issuer("{tenantid}")}) })
	published := keySetOf(t, fake)
	c := acme(fake)
	c.Name, c.TrustsEmail = NameAzure, false
	for _, tt := range []struct {
		key, token string // tenants
		accepted   bool
	}{
		{"{tenantid}", contoso, true},
		{"{tenantid}", personalAccounts, true},
		{personalAccounts, personalAccounts, true},
		{personalAccounts, contoso, false},
		{contoso, personalAccounts, false},
	} {
		fake.Handle(oidctest.Keys, oidctest.JSON(200, strings.ReplaceAll(published, `"kty":`,
			`"issuer":"`+issuer(tt.key)+`","kty":`)))
		raw := fake.IDToken(set(map[string]any{"iss": issuer(tt.token), "tid": tt.token}))
		_, err := newTestProvider(t, c, nil).VerifyIDToken(t.Context(), IDToken{Raw: raw})
		if tt.accepted {
			require.NoError(t, err)
			continue
		}
		requireReason(t, err, notAccepted+"it is signed with a key of another issuer", false)
	}
}

func TestConcurrentFetchesAreOne(t *testing.T) {
	t.Parallel()
	const callers = 20
	fake := oidctest.NewProvider(t, oidctest.Options{})
	set := keySetOf(t, fake)
	entered, release := make(chan struct{}, callers), make(chan struct{})
	fake.Handle(oidctest.Keys, func(w http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		<-release
		oidctest.JSON(200, set)(w, r)
	})
	p := newTestProvider(t, acme(fake), nil)
	raw := fake.IDToken(nil)

	ctx, leave := context.WithCancel(t.Context())
	first := make(chan error)
	go func() {
		_, err := p.VerifyIDToken(ctx, IDToken{Raw: raw})
		first <- err
	}()
	<-entered
	leave()
	require.ErrorIs(t, <-first, context.Canceled)
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			_, err := p.VerifyIDToken(t.Context(), IDToken{Raw: raw})
			assert.NoError(t, err)
		})
	}
	close(release)
	group.Wait()
	require.Equal(t, 2, fake.Requests(oidctest.Keys), "that of the test, and one")
}
