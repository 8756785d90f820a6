package token

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// Limits for fetching and caching the keys of an external issuer. docs/decisions/0175 says why no library
// does it.
const (
	keySetFresh     = 10 * time.Minute // an older set is fetched again
	keySetStale     = 24 * time.Hour   // an older set is not used, even if the issuer does not respond
	keySetInterval  = 10 * time.Second // between two fetches, however many unknown kids arrive
	keySetTimeout   = 5 * time.Second  // of one request to the issuer
	keySetRedirects = 5
	maxKeySetBytes  = 1 << 20
	leeway          = 30 * time.Second // between the issuer's clock and ours
)

// A trustedIssuer is an Issuer with its keys. It is safe for concurrent use.
type trustedIssuer struct {
	Issuer
	client *http.Client
	now    func() time.Time
	group  singleflight.Group

	mu        sync.RWMutex
	keys      map[string]issuerKey // by kid
	fetchedAt time.Time
	triedAt   time.Time
}

type issuerKey struct {
	key       any
	algorithm string // the JWK's; empty means any
}

func newTrustedIssuer(i Issuer, client *http.Client, now func() time.Time) (*trustedIssuer, error) {
	if err := i.check(); err != nil {
		return nil, fmt.Errorf("token: external issuer: %w", err)
	}
	if i.Audience == "" {
		i.Audience = Audience
	}
	return &trustedIssuer{Issuer: i, client: client, now: now}, nil
}

// newIssuerClient returns a client that follows only redirects that checkStep allows.
func newIssuerClient(base *http.Client) *http.Client {
	c := http.Client{Timeout: keySetTimeout}
	if base != nil {
		c = *base
	}
	c.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if len(via) >= keySetRedirects {
			return errors.New("the issuer redirects too often")
		}
		return checkStep(via[0].URL.String(), r.URL.String())
	}
	return &c
}

// key returns the key that verifies a token of this issuer. A known key is returned at once and refreshed in
// the background, so that a slow issuer delays no request. An unknown key is fetched first.
func (i *trustedIssuer) key(ctx context.Context, kid, algorithm string) (any, bool) {
	if i.Secret != "" {
		return []byte(i.Secret), true
	}
	key, known, age := i.lookUp(kid)
	switch {
	case !known || age > keySetStale:
		i.update(ctx)
		if key, known, age = i.lookUp(kid); age > keySetStale {
			return nil, false
		}
	case age > keySetFresh && i.mayFetch():
		go i.update(context.WithoutCancel(ctx))
	}
	if !known || key.algorithm != "" && key.algorithm != algorithm {
		return nil, false
	}
	return key.key, true
}

// lookUp returns a key by its id, and the age of the set. A token without an id may use the only key of a
// set.
func (i *trustedIssuer) lookUp(kid string) (key issuerKey, known bool, age time.Duration) {
	i.mu.RLock()
	defer i.mu.RUnlock()
	if kid == "" && len(i.keys) == 1 {
		for kid = range i.keys {
		}
	}
	key, known = i.keys[kid]
	return key, known, i.now().Sub(i.fetchedAt)
}

// update fetches the key set unless it was fetched very recently. Concurrent updates are coalesced;
// cancelling one caller does not cancel the fetch.
func (i *trustedIssuer) update(ctx context.Context) {
	if !i.mayFetch() {
		return
	}
	done := i.group.DoChan("", func() (any, error) {
		if !i.mayFetch() {
			return nil, nil
		}
		keys, err := i.fetch(context.WithoutCancel(ctx))
		i.mu.Lock()
		defer i.mu.Unlock()
		i.triedAt = i.now()
		if err == nil {
			i.keys, i.fetchedAt = keys, i.triedAt
		}
		return nil, nil
	})
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func (i *trustedIssuer) mayFetch() bool {
	i.mu.RLock()
	defer i.mu.RUnlock()
	return i.now().Sub(i.triedAt) > keySetInterval
}

// fetch reads the key set. Keys that cannot verify signatures are skipped (RFC 7517 §5).
func (i *trustedIssuer) fetch(ctx context.Context) (map[string]issuerKey, error) {
	address, err := i.keySetAddress(ctx)
	if err != nil {
		return nil, err
	}
	var set struct {
		Keys []JWK `json:"keys"`
	}
	if err := i.get(ctx, address, &set); err != nil {
		return nil, err
	}
	keys := map[string]issuerKey{}
	for _, jwk := range set.Keys {
		if key, err := jwk.publicKey(); err == nil && (jwk.Use == "" || jwk.Use == "sig") {
			keys[jwk.KeyID] = issuerKey{key, jwk.Algorithm}
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("the key set has no key for signatures")
	}
	return keys, nil
}

// keySetAddress returns JWKSURL, or the address from OpenID Connect Discovery 1.0 §4.
func (i *trustedIssuer) keySetAddress(ctx context.Context) (string, error) {
	if i.JWKSURL != "" {
		return i.JWKSURL, nil
	}
	var discovery struct {
		Issuer  string `json:"issuer"`
		JWKSURI string `json:"jwks_uri"`
	}
	name := i.Issuer.Issuer
	err := i.get(ctx, strings.TrimRight(name, "/")+"/.well-known/openid-configuration", &discovery)
	if err != nil {
		return "", err
	}
	if discovery.Issuer != name { // required by §4.3
		return "", errors.New("the discovery document belongs to another issuer")
	}
	return discovery.JWKSURI, checkStep(name, discovery.JWKSURI)
}

func (i *trustedIssuer) get(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := i.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the issuer responded with status %d", resp.StatusCode)
	}
	return json.NewDecoder(io.LimitReader(resp.Body, maxKeySetBytes)).Decode(into)
}
