package token

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"research/db"
)

// Audience is the aud of every access token, as Supabase Auth has it.
const Audience = "authenticated"

// Lifetime is how long an access token is good for (the interface's expires_in).
const Lifetime = time.Hour

// reloadEvery bounds how often an unknown kid makes us read the keys anew: a key that another program made is known after this at the latest.
const reloadEvery = 5 * time.Second

// Keys sign and verify access tokens. They are safe for concurrent use.
type Keys struct {
	store  *db.Store
	secret []byte // HS256; nil: ES256
	issuer string
	now    func() time.Time

	mu       sync.RWMutex
	byID     map[string]*ecdsa.PrivateKey
	signing  string // kid
	loadedAt time.Time
}

// KeysConfig says how tokens are signed.
type KeysConfig struct {
	Secret string // JWT_SECRET: HS256 with it; empty: ES256 with keys of the database
	Issuer string // iss
}

// NewKeys loads the keys, and makes the first where the database has none.
func NewKeys(ctx context.Context, store *db.Store, cfg KeysConfig) (*Keys, error) {
	k := &Keys{store: store, issuer: cfg.Issuer, now: time.Now}
	if cfg.Secret != "" {
		k.secret = []byte(cfg.Secret)
		return k, nil
	}
	if err := k.load(ctx, true); err != nil {
		return nil, err
	}
	return k, nil
}

func (k *Keys) load(ctx context.Context, create bool) error {
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
		if err := insertKey(ctx, q); err != nil {
			return err
		}
		rows, err = q.ListSigningKeys(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("load the signing keys: %w", err)
	}
	byID := map[string]*ecdsa.PrivateKey{}
	signing := ""
	for _, row := range rows {
		parsed, err := x509.ParsePKCS8PrivateKey(row.PrivateKey)
		if err != nil {
			return fmt.Errorf("read signing key %s: not PKCS #8", row.Kid)
		}
		key, ok := parsed.(*ecdsa.PrivateKey)
		if !ok {
			return fmt.Errorf("read signing key %s: not an ECDSA key", row.Kid)
		}
		if row.RetiredAt == nil && signing == "" {
			signing = row.Kid
		}
		if row.RetiredAt == nil || k.now().Before(row.RetiredAt.Add(Lifetime)) {
			byID[row.Kid] = key
		}
	}
	if signing == "" {
		return errors.New("no signing key is in use: make one by `research keys rotate`")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.byID, k.signing, k.loadedAt = byID, signing, k.now()
	return nil
}

func insertKey(ctx context.Context, q *db.Queries) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return q.InsertSigningKey(ctx, db.InsertSigningKeyParams{Kid: uuid.NewString(), Algorithm: jwt.SigningMethodES256.Alg(), PrivateKey: der})
}

// Sign signs claims; iss, aud, iat and exp are filled in. expires is when the token ends.
func (k *Keys) Sign(claims jwt.MapClaims) (signed string, expires time.Time, err error) {
	now := k.now()
	expires = now.Add(Lifetime)
	claims["iss"], claims["aud"], claims["iat"], claims["exp"] = k.issuer, Audience, now.Unix(), expires.Unix()
	if k.secret != nil {
		signed, err = jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(k.secret)
		return signed, expires, err
	}
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
	k.mu.RLock()
	key, known := k.byID[kid]
	fresh := k.now().Sub(k.loadedAt) < reloadEvery
	k.mu.RUnlock()
	if known || fresh {
		return key, known
	}
	if err := k.load(ctx, false); err != nil {
		return nil, false
	}
	k.mu.RLock()
	defer k.mu.RUnlock()
	key, known = k.byID[kid]
	return key, known
}
