package token

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"research/db"
)

// An Issuer is somebody else whose tokens are trusted: a Supabase project, or any OpenID provider. EXTERNAL_ISSUERS is a JSON array of them.
type Issuer struct {
	// Issuer is the exact iss of its tokens. Required.
	Issuer string `json:"issuer"`
	// JWKSURL is where its public keys are; empty, with no Secret: found by OpenID discovery from Issuer.
	JWKSURL string `json:"jwks_url"`
	// Secret verifies tokens signed by HMAC, instead of public keys.
	Secret string `json:"secret"`
	// Algorithms are those that are accepted. Required: HS256, HS384, HS512 with a Secret; RS…, PS…, ES…, EdDSA without.
	Algorithms []string `json:"algorithms"`
	// Audience is what aud must hold; empty means "authenticated".
	Audience string `json:"audience"`
	// Role is the database role of its tokens where they name none; empty means that they must. Only anon and authenticated are accepted, from whichever source.
	Role string `json:"role"`
	// LinkUsers lets its subjects be users that exist here already, by id: for a project whose users were brought over.
	LinkUsers bool `json:"link_users"`
}

// ParseIssuers reads EXTERNAL_ISSUERS. Its error says what is wrong, without repeating a secret.
func ParseIssuers(text string) ([]Issuer, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var list []Issuer
	if err := d.Decode(&list); err != nil {
		return nil, errors.New("must be a JSON array of objects with issuer, jwks_url or secret, algorithms, and optionally audience, role, link_users")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("has something behind the JSON array")
	}
	seen := map[string]bool{}
	for i, one := range list {
		if err := one.check(); err != nil {
			return nil, fmt.Errorf("names an issuer (number %d) that cannot be used: %w", i+1, err)
		}
		if seen[one.Issuer] {
			return nil, fmt.Errorf("names an issuer twice (number %d)", i+1)
		}
		seen[one.Issuer] = true
	}
	return list, nil
}

var (
	secretAlgorithms = []string{"HS256", "HS384", "HS512"}
	publicAlgorithms = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)

func (i Issuer) check() error {
	if i.Issuer == "" {
		return errors.New("issuer is missing")
	}
	allowed := publicAlgorithms
	if i.Secret != "" {
		if i.JWKSURL != "" {
			return errors.New("it has both a secret and a jwks_url")
		}
		if len(i.Secret) < 32 { // RFC 7518 §3.2
			return errors.New("its secret is shorter than 32 characters")
		}
		allowed = secretAlgorithms
	}
	if len(i.Algorithms) == 0 {
		return errors.New("algorithms is missing: name those that it signs with")
	}
	for _, a := range i.Algorithms {
		if !slices.Contains(allowed, a) {
			return fmt.Errorf("algorithm must be one of %s", strings.Join(allowed, ", "))
		}
	}
	if i.Secret == "" {
		address := i.JWKSURL
		if address == "" {
			address = i.Issuer
		}
		if err := checkAddress(address); err != nil {
			return err
		}
	}
	if i.Role != "" && i.Role != db.RoleAnon && i.Role != db.RoleAuthenticated {
		return errors.New("role must be anon or authenticated")
	}
	return nil
}

// checkAddress wants https, or this machine: keys that came over a line that others can write to prove nothing.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return errors.New("the address of its keys is no URL")
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	if u.Scheme == "https" || u.Scheme == "http" && (host == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return errors.New("the address of its keys must begin with https://")
}

// How an issuer's keys are kept.
const (
	keysGoodFor   = 10 * time.Minute // read anew after this
	keysStaleFor  = 24 * time.Hour   // used this long while the issuer does not answer
	askAgainAfter = 10 * time.Second // the issuer is asked no more often, whatever kids come
	fetchTimeout  = 5 * time.Second  // of one request to the issuer
	maxKeySet     = 1 << 20          // bytes
	leeway        = 30 * time.Second // between the issuer's clock and ours
)

// checkWay wants checkAddress, and TLS to the end where it began with TLS: a stranger's server must not make us ask this machine's own.
func checkWay(from, to string) error {
	if strings.HasPrefix(from, "https://") && !strings.HasPrefix(to, "https://") {
		return errors.New("the issuer leads off https")
	}
	return checkAddress(to)
}

// issuerClient fetches keys over lines that checkWay would take, after redirects as well.
func issuerClient(base *http.Client) *http.Client {
	c := http.Client{Timeout: fetchTimeout}
	if base != nil {
		c = *base
	}
	c.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if len(via) >= 5 {
			return errors.New("the issuer redirects without end")
		}
		return checkWay(via[0].URL.String(), r.URL.String())
	}
	return &c
}

// An issuerKey verifies the tokens of one external issuer. It is safe for concurrent use.
type issuerKey struct {
	Issuer
	client *http.Client
	now    func() time.Time

	fetching singleflight.Group

	mu        sync.RWMutex
	byID      map[string]publicKey
	fetchedAt time.Time
	triedAt   time.Time
}

type publicKey struct {
	key       any
	algorithm string // of the JWK; empty: any
}

func newIssuerKey(i Issuer, client *http.Client, now func() time.Time) (*issuerKey, error) {
	if err := i.check(); err != nil {
		return nil, fmt.Errorf("token: external issuer: %w", err)
	}
	if i.Audience == "" {
		i.Audience = Audience
	}
	return &issuerKey{Issuer: i, client: client, now: now}, nil
}

// find returns the key that verifies a token of this issuer. A key that is known is never waited for: it is read anew beside the request, so that an issuer that does
// not answer keeps nobody waiting. For an unknown one the issuer is asked.
func (i *issuerKey) find(ctx context.Context, kid, algorithm string) (any, bool) {
	if i.Secret != "" {
		return []byte(i.Secret), true
	}
	key, known, age := i.pick(kid)
	switch {
	case !known || age > keysStaleFor:
		i.update(ctx)
		if key, known, age = i.pick(kid); age > keysStaleFor {
			return nil, false
		}
	case age > keysGoodFor && i.mayAsk():
		go i.update(context.WithoutCancel(ctx))
	}
	if !known || key.algorithm != "" && key.algorithm != algorithm {
		return nil, false
	}
	return key.key, true
}

// update reads the key set anew, unless that was tried just now. Of many at once, one asks; who gives up waiting keeps nobody else from the keys.
func (i *issuerKey) update(ctx context.Context) {
	if !i.mayAsk() {
		return
	}
	done := i.fetching.DoChan("", func() (any, error) {
		if !i.mayAsk() {
			return nil, nil
		}
		keys, err := i.fetch(context.WithoutCancel(ctx))
		i.mu.Lock()
		defer i.mu.Unlock()
		i.triedAt = i.now()
		if err == nil {
			i.byID, i.fetchedAt = keys, i.triedAt
		}
		return nil, nil
	})
	select {
	case <-done:
	case <-ctx.Done():
	}
}

func (i *issuerKey) mayAsk() bool {
	i.mu.RLock()
	defer i.mu.RUnlock()
	return i.now().Sub(i.triedAt) > askAgainAfter
}

// pick finds a key by its id, and says how old the set is; a token without an id fits the only key of a set.
func (i *issuerKey) pick(kid string) (key publicKey, known bool, age time.Duration) {
	i.mu.RLock()
	defer i.mu.RUnlock()
	if kid == "" && len(i.byID) == 1 {
		for kid = range i.byID {
		}
	}
	key, known = i.byID[kid]
	return key, known, i.now().Sub(i.fetchedAt)
}

func (i *issuerKey) fetch(ctx context.Context) (map[string]publicKey, error) {
	address := i.JWKSURL
	if address == "" {
		var discovery struct {
			Issuer  string `json:"issuer"`
			JWKSURI string `json:"jwks_uri"`
		}
		if err := i.get(ctx, strings.TrimRight(i.Issuer.Issuer, "/")+"/.well-known/openid-configuration", &discovery); err != nil {
			return nil, err
		}
		// OpenID Connect Discovery 1.0 §4.3
		if discovery.Issuer != i.Issuer.Issuer || checkWay(i.Issuer.Issuer, discovery.JWKSURI) != nil {
			return nil, errors.New("the discovery document is of another issuer")
		}
		address = discovery.JWKSURI
	}
	var set struct {
		Keys []JWK `json:"keys"`
	}
	if err := i.get(ctx, address, &set); err != nil {
		return nil, err
	}
	keys := map[string]publicKey{}
	for _, jwk := range set.Keys {
		if key, err := jwk.publicKey(); err == nil && (jwk.Use == "" || jwk.Use == "sig") {
			keys[jwk.KeyID] = publicKey{key, jwk.Algorithm}
		}
	}
	if len(keys) == 0 {
		return nil, errors.New("the key set holds no key for signatures")
	}
	return keys, nil
}

func (i *issuerKey) get(ctx context.Context, address string, into any) error {
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
		return fmt.Errorf("the issuer answers %d", resp.StatusCode)
	}
	return json.NewDecoder(io.LimitReader(resp.Body, maxKeySet)).Decode(into)
}

// minRSABits is RFC 7518 §3.3's.
const minRSABits = 2048

// publicKey reads a key for signatures. Symmetric keys are refused: a key set is public.
func (j JWK) publicKey() (any, error) {
	errBad := errors.New("not a public key that can be used")
	switch j.KeyType {
	case "EC":
		curve, known := map[string]elliptic.Curve{"P-256": elliptic.P256(), "P-384": elliptic.P384(), "P-521": elliptic.P521()}[j.Curve]
		x, errX := base64.RawURLEncoding.DecodeString(j.X)
		y, errY := base64.RawURLEncoding.DecodeString(j.Y)
		if !known || errX != nil || errY != nil || len(x) != len(y) {
			return nil, errBad
		}
		// It refuses a point that is not on the curve.
		return ecdsa.ParseUncompressedPublicKey(curve, slices.Concat([]byte{4}, x, y))
	case "RSA":
		n, errN := base64.RawURLEncoding.DecodeString(j.N)
		e, errE := base64.RawURLEncoding.DecodeString(j.E)
		if errN != nil || errE != nil || len(e) == 0 || len(e) > 4 {
			return nil, errBad
		}
		key := &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}
		if key.N.BitLen() < minRSABits || key.E < 3 || key.E%2 == 0 {
			return nil, errBad
		}
		return key, nil
	case "OKP":
		x, err := base64.RawURLEncoding.DecodeString(j.X)
		if err != nil || j.Curve != "Ed25519" || len(x) != ed25519.PublicKeySize {
			return nil, errBad
		}
		return ed25519.PublicKey(x), nil
	}
	return nil, errBad
}

// coordinates are a P-256 key's, as a JWK has them.
func coordinates(key *ecdsa.PublicKey) (x, y string) {
	const size = 32
	point, err := key.Bytes()
	if err != nil || len(point) != 1+2*size {
		return "", ""
	}
	return base64.RawURLEncoding.EncodeToString(point[1 : 1+size]), base64.RawURLEncoding.EncodeToString(point[1+size:])
}

// thumbprint is RFC 7638's: the kid of a key follows from the key.
func thumbprint(key *ecdsa.PublicKey) string {
	x, y := coordinates(key)
	sum := sha256.Sum256([]byte(`{"crv":"P-256","kty":"EC","x":"` + x + `","y":"` + y + `"}`))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
