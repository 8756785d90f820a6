package token

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
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

	"research/db"
)

// Audience is the aud of every access token, as Supabase Auth has it.
const Audience = "authenticated"

// Lifetime is how long an access token is good for (the interface's expires_in).
const Lifetime = time.Hour

// How the keys of the database reach every server.
const (
	// reloadEvery is how old a server's copy may become, and how often at most an unknown kid makes it read the keys anew.
	reloadEvery = 10 * time.Second
	// reloadTimeout bounds the one request that waits for it.
	reloadTimeout = 3 * time.Second
	// settle is how long a new key is only published before it signs: by then every server has read it, and clients that see its kid find it in the key set.
	settle = 3 * reloadEvery
)

// KeysConfig says how tokens are signed, and whose are trusted.
type KeysConfig struct {
	// Issuer is the iss of our tokens: PUBLIC_URL + "/auth/v1".
	Issuer string
	// Secret is JWT_SECRET: ours are signed with it (HS256), and tokens signed with it are trusted whatever their issuer. Empty: ES256.
	Secret string
	// PrivateKey is JWT_PRIVATE_KEY, an EC P-256 key in PEM (PKCS #8 or SEC 1) that signs instead of the database's keys. Empty: the database's.
	PrivateKey string
	// Off is IDENTITY=off: we sign nothing, and only external issuers and Secret are trusted.
	Off bool
	// External is EXTERNAL_ISSUERS.
	External []Issuer
	// Client fetches the external issuers' keys; nil means one with a time limit of five seconds. Redirects are followed over TLS only.
	Client *http.Client
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Keys sign and verify access tokens. They are safe for concurrent use.
type Keys struct {
	store    *db.Store
	issuer   string
	off      bool
	secret   []byte       // HS256; nil: ES256
	given    *signingKey  // JWT_PRIVATE_KEY
	external []*issuerKey // by issuer
	now      func() time.Time
	verified *cache[remembered]

	loading sync.Mutex // held while the keys are read

	mu      sync.RWMutex
	byID    map[string]*ecdsa.PrivateKey
	signing string // kid
	triedAt time.Time
}

type signingKey struct {
	kid string
	key *ecdsa.PrivateKey
}

// NewKeys loads the keys, and makes the first where the database has none.
func NewKeys(ctx context.Context, store *db.Store, cfg KeysConfig) (*Keys, error) {
	if store == nil || cfg.Issuer == "" {
		return nil, errors.New("token: a store and an issuer are needed")
	}
	k := &Keys{store: store, issuer: cfg.Issuer, off: cfg.Off, now: cfg.Now, verified: newCache[remembered](maxVerified)}
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
		k.given = &signingKey{kid: thumbprint(&key.PublicKey), key: key}
	}
	client := issuerClient(cfg.Client)
	for _, one := range cfg.External {
		if one.Issuer == cfg.Issuer && !cfg.Off {
			return nil, errors.New("token: an external issuer has our own name")
		}
		external, err := newIssuerKey(one, client, k.now)
		if err != nil {
			return nil, err
		}
		k.external = append(k.external, external)
	}
	if k.off {
		if k.secret == nil && len(k.external) == 0 {
			return nil, errors.New("token: identity is off, and nobody else is trusted")
		}
		return k, nil
	}
	k.loading.Lock()
	defer k.loading.Unlock()
	return k, k.load(ctx, k.secret == nil && k.given == nil)
}

// parsePrivateKey reads JWT_PRIVATE_KEY.
func parsePrivateKey(text string) (*ecdsa.PrivateKey, error) {
	const wanted = "JWT_PRIVATE_KEY is not an EC P-256 private key in PEM"
	block, _ := pem.Decode([]byte(strings.ReplaceAll(text, `\n`, "\n"))) // settings of one line
	if block == nil {
		return nil, errors.New(wanted)
	}
	var key *ecdsa.PrivateKey
	if parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		key, _ = parsed.(*ecdsa.PrivateKey)
	} else if key, err = x509.ParseECPrivateKey(block.Bytes); err != nil {
		return nil, errors.New(wanted)
	}
	if key == nil || key.Curve != elliptic.P256() {
		return nil, errors.New(wanted)
	}
	return key, nil
}

// load reads the keys; the caller holds loading.
func (k *Keys) load(ctx context.Context, create bool) error {
	k.mu.Lock()
	k.triedAt = k.now()
	k.mu.Unlock()
	var rows []db.AuthSigningKey
	err := k.store.AsService(ctx, func(q *db.Queries) error {
		var err error
		if rows, err = q.ListSigningKeys(ctx); err != nil || len(rows) > 0 || !create {
			return err
		}
		if err := q.LockSigningKeys(ctx); err != nil {
			return err
		}
		if rows, err = q.ListSigningKeys(ctx); err != nil || len(rows) > 0 {
			return err
		}
		if _, err := insertKey(ctx, q); err != nil {
			return err
		}
		rows, err = q.ListSigningKeys(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("load the signing keys: %w", err)
	}
	byID, signing, err := k.usable(rows)
	if err != nil {
		return err
	}
	if k.given != nil {
		byID[k.given.kid], signing = k.given.key, k.given.kid
	}
	if signing == "" && k.secret == nil {
		return errors.New("no signing key is in use: make one by `research keys rotate`")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for kid := range k.byID {
		if byID[kid] == nil {
			k.verified.clear() // tokens of a key that was taken away
			break
		}
	}
	k.byID, k.signing = byID, signing
	return nil
}

// usable picks from rows, the newest first, the keys that verify and the one that signs.
func (k *Keys) usable(rows []db.AuthSigningKey) (byID map[string]*ecdsa.PrivateKey, signing string, err error) {
	byID = map[string]*ecdsa.PrivateKey{}
	fresh := "" // the oldest of those that have not settled: it signs where there is no other
	for _, row := range rows {
		parsed, err := x509.ParsePKCS8PrivateKey(row.PrivateKey)
		if err != nil {
			return nil, "", fmt.Errorf("read signing key %s: not PKCS #8", row.Kid)
		}
		key, ok := parsed.(*ecdsa.PrivateKey)
		if !ok {
			return nil, "", fmt.Errorf("read signing key %s: not an ECDSA key", row.Kid)
		}
		retired := row.RetiredAt != nil && !k.now().Before(*row.RetiredAt)
		if retired && !k.now().Before(row.RetiredAt.Add(Lifetime)) {
			continue
		}
		byID[row.Kid] = key
		switch {
		case retired:
		case row.CreatedAt.Add(settle).After(k.now()):
			fresh = row.Kid
		case signing == "":
			signing = row.Kid
		}
	}
	if signing == "" {
		signing = fresh
	}
	return byID, signing, nil
}

func insertKey(ctx context.Context, q *db.Queries) (kid string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", err
	}
	kid = thumbprint(&key.PublicKey)
	return kid, q.InsertSigningKey(ctx, db.InsertSigningKeyParams{Kid: kid, Algorithm: jwt.SigningMethodES256.Alg(), PrivateKey: der})
}

// Rotate makes a new signing key. Every server publishes it at once and signs with it after half a minute; the keys before it verify until
// their last token has expired, so that nobody is signed out. With revoke they are deleted: every access token of theirs is refused within ten seconds, and clients
// go on by refreshing.
func Rotate(ctx context.Context, store *db.Store, revoke bool) (kid string, err error) {
	err = store.AsService(ctx, func(q *db.Queries) error {
		if err := q.LockSigningKeys(ctx); err != nil {
			return err
		}
		if kid, err = insertKey(ctx, q); err != nil {
			return err
		}
		if revoke {
			return q.DeleteSigningKeys(ctx, kid)
		}
		if err := q.RetireSigningKeys(ctx, db.RetireSigningKeysParams{Keep: kid, RetiredAt: time.Now().Add(settle)}); err != nil {
			return err
		}
		return q.ForgetSigningKeys(ctx)
	})
	if err != nil {
		return "", fmt.Errorf("rotate the signing keys: %w", err)
	}
	return kid, nil
}

// A ListedKey is a signing key as operators see it.
type ListedKey struct {
	KeyID     string
	CreatedAt time.Time
	State     string // signs, published (signs soon), verifies (signed until recently), or expired
}

// List lists the keys of the database, the newest first.
func List(ctx context.Context, store *db.Store) ([]ListedKey, error) {
	var rows []db.AuthSigningKey
	err := store.AsService(ctx, func(q *db.Queries) (err error) {
		rows, err = q.ListSigningKeys(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the signing keys: %w", err)
	}
	k := &Keys{now: time.Now}
	byID, signing, err := k.usable(rows)
	if err != nil {
		return nil, err
	}
	list := make([]ListedKey, len(rows))
	for i, row := range rows {
		state := "published"
		switch {
		case row.Kid == signing:
			state = "signs"
		case byID[row.Kid] == nil:
			state = "expired"
		case row.RetiredAt != nil:
			state = "verifies"
		}
		list[i] = ListedKey{row.Kid, row.CreatedAt, state}
	}
	return list, nil
}

// refresh reads the keys anew where the copy is old. While the database does not answer, the copy goes on; so do requests that come while another one reads.
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
	_ = k.load(ctx, false) // who needs the database for more than this says what is wrong with it
}

func (k *Keys) old() bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.now().Sub(k.triedAt) >= reloadEvery
}

// Sign signs claims; iss, aud, iat and exp are filled in. expires is when the token ends.
func (k *Keys) Sign(ctx context.Context, claims jwt.MapClaims) (signed string, expires time.Time, err error) {
	if k.off {
		return "", time.Time{}, errors.New("token: identity is off")
	}
	now := k.now()
	expires = now.Add(Lifetime)
	claims["iss"], claims["aud"], claims["iat"], claims["exp"] = k.issuer, Audience, now.Unix(), expires.Unix()
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

// find returns the key of a kid. One that is not known may have been made by another program since.
func (k *Keys) find(ctx context.Context, kid string) (*ecdsa.PrivateKey, bool) {
	k.refresh(ctx)
	k.mu.RLock()
	defer k.mu.RUnlock()
	key, known := k.byID[kid]
	return key, known
}

// A JWK is a public key of a key set (RFC 7517). There is never a secret in one.
type JWK struct {
	KeyType   string   `json:"kty"`
	Curve     string   `json:"crv,omitempty"`
	X         string   `json:"x,omitempty"`
	Y         string   `json:"y,omitempty"`
	N         string   `json:"n,omitempty"`
	E         string   `json:"e,omitempty"`
	KeyID     string   `json:"kid,omitempty"`
	Algorithm string   `json:"alg,omitempty"`
	Use       string   `json:"use,omitempty"`
	KeyOps    []string `json:"key_ops,omitempty"`
	Ext       bool     `json:"ext,omitempty"`
}

// Public lists the public keys by which our tokens can be verified, sorted by kid. There are none where they are signed with a secret.
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
		list = append(list, JWK{KeyType: "EC", Curve: "P-256", X: x, Y: y, KeyID: kid, Algorithm: "ES256", Use: "sig", KeyOps: []string{"verify"}, Ext: true})
	}
	slices.SortFunc(list, func(a, b JWK) int { return strings.Compare(a.KeyID, b.KeyID) })
	return list
}

// Issuer is the iss of our tokens.
func (k *Keys) Issuer() string { return k.issuer }

// Algorithm is what our tokens are signed with: ES256 or HS256.
func (k *Keys) Algorithm() string {
	if k.secret != nil {
		return jwt.SigningMethodHS256.Alg()
	}
	return jwt.SigningMethodES256.Alg()
}

// Off tells whether our own identity is switched off.
func (k *Keys) Off() bool { return k.off }
