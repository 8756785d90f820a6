package token

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jellydator/ttlcache/v3"

	"research/db"
)

// Audience is the aud of every access token but those of apps, as in Supabase Auth.
const Audience = "authenticated"

// Lifetime is the longest lifetime of an access token (expires_in), and the usual one.
const Lifetime = time.Hour

// These times govern how changes of the signing keys reach every server.
const (
	// reloadInterval is the maximum age of a server's copy, and the minimum time between two reads.
	reloadInterval = 10 * time.Second
	// reloadTimeout bounds the one request that waits for a read.
	reloadTimeout = 3 * time.Second
	// publishTime is how long a new key is only published before it signs. By then every server has read it, and
	// clients that see its kid find it in the key set.
	publishTime = 3 * reloadInterval
)

// KeysConfig configures how tokens are signed and which issuers are trusted.
type KeysConfig struct {
	// Issuer is the iss of our tokens: PUBLIC_URL + "/auth/v1". Required.
	Issuer string
	// Secret is JWT_SECRET. Our tokens are signed with it (HS256), and tokens signed with it are trusted,
	// whatever their issuer. Empty means ES256.
	Secret string
	// PrivateKey is JWT_PRIVATE_KEY, an EC P-256 key in PEM (PKCS #8 or SEC 1) that signs instead of the
	// database's keys. Empty means the database's.
	PrivateKey string
	// Lifetime is the lifetime of our tokens; zero means the constant Lifetime, which is the longest.
	Lifetime time.Duration
	// Resources are the audiences of apps' tokens that we sign and accept: Resource and Userinfo. Each token is
	// for one of them, and for nothing else.
	Resources []string
	// Off is IDENTITY=off: we sign nothing, and only external issuers and Secret are trusted.
	Off bool
	// External is EXTERNAL_ISSUERS.
	External []Issuer
	// Client fetches the keys of external issuers; nil means a client with a timeout of five seconds. In either
	// case redirects must keep TLS.
	Client *http.Client
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// A tokenHash is the SHA-256 of a token.
type tokenHash [32]byte

// Keys sign and validate access tokens. They are safe for concurrent use.
type Keys struct {
	store      *db.Store
	issuer     string
	audiences  []string // of our tokens: Audience, and the resources
	lifetime   time.Duration
	off        bool
	secret     []byte      // for HS256; nil means ES256
	configured *signingKey // JWT_PRIVATE_KEY; nil means none
	external   map[string]*trustedIssuer
	now        func() time.Time
	verified   *ttlcache.Cache[tokenHash, cachedPrincipal]

	loading sync.Mutex // held while the keys are read

	mu       sync.RWMutex
	byID     map[string]*ecdsa.PrivateKey // by kid
	signing  string                       // the kid of the key that signs
	loadedAt time.Time                    // of the last attempt
}

type signingKey struct {
	kid string
	key *ecdsa.PrivateKey
}

// NewKeys loads the keys. It creates the first one if the database has none.
func NewKeys(ctx context.Context, store *db.Store, cfg KeysConfig) (*Keys, error) {
	if store == nil || cfg.Issuer == "" {
		return nil, errors.New("token: a store and an issuer are required")
	}
	k := &Keys{
		store: store, issuer: cfg.Issuer, audiences: []string{Audience}, lifetime: cfg.Lifetime, off: cfg.Off,
		now:      cfg.Now,
		verified: ttlcache.New(ttlcache.WithCapacity[tokenHash, cachedPrincipal](maxCachedTokens)),
	}
	if !k.off {
		k.audiences = append(k.audiences, cfg.Resources...)
	}
	if k.lifetime == 0 {
		k.lifetime = Lifetime
	}
	if k.now == nil {
		k.now = time.Now
	}
	if cfg.Secret != "" {
		k.secret = []byte(cfg.Secret)
	}
	if cfg.PrivateKey != "" {
		key, err := parsePrivateKey(cfg.PrivateKey)
		if err != nil {
			return nil, err
		}
		k.configured = &signingKey{kid: thumbprint(&key.PublicKey), key: key}
	}
	if err := k.addIssuers(cfg); err != nil {
		return nil, err
	}
	if k.off {
		if k.secret == nil && len(k.external) == 0 {
			return nil, errors.New("token: identity is off and no issuer is trusted")
		}
		return k, nil
	}
	k.loading.Lock()
	defer k.loading.Unlock()
	return k, k.load(ctx, k.secret == nil && k.configured == nil)
}

func (k *Keys) addIssuers(cfg KeysConfig) error {
	client := newIssuerClient(cfg.Client)
	k.external = make(map[string]*trustedIssuer, len(cfg.External))
	for _, issuer := range cfg.External {
		if issuer.Issuer == cfg.Issuer && !cfg.Off {
			return errors.New("token: an external issuer has our own name")
		}
		trusted, err := newTrustedIssuer(issuer, client, k.now)
		if err != nil {
			return err
		}
		k.external[issuer.Issuer] = trusted
	}
	return nil
}

// parsePrivateKey reads JWT_PRIVATE_KEY.
func parsePrivateKey(text string) (*ecdsa.PrivateKey, error) {
	errKey := errors.New("JWT_PRIVATE_KEY is not an EC P-256 private key in PEM")
	block, _ := pem.Decode([]byte(strings.ReplaceAll(text, `\n`, "\n"))) // the setting may be one line
	if block == nil {
		return nil, errKey
	}
	var key *ecdsa.PrivateKey
	if parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		key, _ = parsed.(*ecdsa.PrivateKey)
	} else if key, err = x509.ParseECPrivateKey(block.Bytes); err != nil {
		return nil, errKey
	}
	if key == nil || key.Curve != elliptic.P256() {
		return nil, errKey
	}
	return key, nil
}

// load loads the keys. The caller must hold k.loading.
func (k *Keys) load(ctx context.Context, create bool) error {
	k.mu.Lock()
	k.loadedAt = k.now()
	k.mu.Unlock()
	rows, err := readKeys(ctx, k.store, create)
	if err != nil {
		return fmt.Errorf("load the signing keys: %w", err)
	}
	byID, signing, err := activeKeys(rows, k.now())
	if err != nil {
		return err
	}
	if k.configured != nil {
		byID[k.configured.kid], signing = k.configured.key, k.configured.kid
	}
	if signing == "" && k.secret == nil {
		return errors.New("there is no active signing key: create one with `research keys rotate`")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for kid := range k.byID {
		if byID[kid] == nil {
			k.verified.DeleteAll() // it may have tokens of the revoked key
			break
		}
	}
	k.byID, k.signing = byID, signing
	return nil
}

// refresh reloads the keys if the copy is old. The copy stays in use while the database does not respond, and
// for requests that arrive during a reload.
func (k *Keys) refresh(ctx context.Context) {
	if k.off || !k.old() || !k.loading.TryLock() {
		return
	}
	defer k.loading.Unlock()
	if !k.old() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reloadTimeout)
	defer cancel()
	_ = k.load(ctx, false) // a request that needs the database reports the failure
}

func (k *Keys) old() bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.now().Sub(k.loadedAt) >= reloadInterval
}

// Lifetime returns the lifetime of the tokens that Sign signs.
func (k *Keys) Lifetime() time.Duration { return k.lifetime }

// Sign signs claims after setting iss, iat and exp, and aud unless the claims have one of the resources.
// expires is the exp.
func (k *Keys) Sign(ctx context.Context, claims jwt.MapClaims) (signed string, expires time.Time, err error) {
	if k.off {
		return "", time.Time{}, errors.New("token: identity is off")
	}
	audience, found := claims["aud"].(string)
	switch {
	case !found && claims["aud"] == nil:
		audience = Audience
	case !slices.Contains(k.audiences, audience):
		return "", time.Time{}, fmt.Errorf("token: we do not sign for the audience %v", claims["aud"])
	}
	now := k.now()
	expires = now.Add(k.lifetime)
	claims["iss"], claims["aud"] = k.issuer, audience
	claims["iat"], claims["exp"] = now.Unix(), expires.Unix()
	if k.secret != nil {
		signed, err = jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(k.secret)
		return signed, expires, err
	}
	k.refresh(ctx)
	k.mu.RLock()
	kid, key := k.signing, k.byID[k.signing]
	k.mu.RUnlock()
	t := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	t.Header["kid"] = kid
	signed, err = t.SignedString(key)
	return signed, expires, err
}

// find returns the key with a kid. It refreshes the keys first, since another program may have created one.
func (k *Keys) find(ctx context.Context, kid string) (*ecdsa.PrivateKey, bool) {
	k.refresh(ctx)
	k.mu.RLock()
	defer k.mu.RUnlock()
	key, found := k.byID[kid]
	return key, found
}

// Public returns the public keys that verify our tokens, sorted by kid. There are none if tokens are signed
// with a secret.
func (k *Keys) Public(ctx context.Context) []JWK {
	list := []JWK{}
	if k.secret != nil || k.off {
		return list
	}
	k.refresh(ctx)
	k.mu.RLock()
	defer k.mu.RUnlock()
	for kid, key := range k.byID {
		x, y := coordinates(&key.PublicKey)
		list = append(list, JWK{
			KeyType: "EC", Curve: "P-256", X: x, Y: y,
			KeyID: kid, Algorithm: "ES256", Use: "sig", KeyOps: []string{"verify"}, Ext: true,
		})
	}
	slices.SortFunc(list, func(a, b JWK) int { return strings.Compare(a.KeyID, b.KeyID) })
	return list
}

// Issuer returns the iss of our tokens.
func (k *Keys) Issuer() string { return k.issuer }

// Algorithm returns the algorithm that signs our tokens: ES256 or HS256.
func (k *Keys) Algorithm() string {
	if k.secret != nil {
		return jwt.SigningMethodHS256.Alg()
	}
	return jwt.SigningMethodES256.Alg()
}

// Resource returns the aud of the tokens with which apps use the service at publicURL (PUBLIC_URL).
func Resource(publicURL string) string { return publicURL + "/mcp" }

// Userinfo returns the aud of the tokens with which apps may only read who the user is. The issuer is ours.
func Userinfo(issuer string) string { return issuer + "/oauth/userinfo" }

// Off reports whether our own identity is switched off.
func (k *Keys) Off() bool { return k.off }
