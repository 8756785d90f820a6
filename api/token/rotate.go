package token

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"research/db"
)

// readKeys reads the keys of the database, the newest first. If create is true and there is none, it creates
// one.
func readKeys(ctx context.Context, store *db.Store, create bool) ([]db.AuthSigningKey, error) {
	return db.AsService(ctx, store, func(q *db.Queries) ([]db.AuthSigningKey, error) {
		rows, err := q.ListSigningKeys(ctx)
		if err != nil || len(rows) > 0 || !create {
			return rows, err
		}
		// If several programs start at the same time, only one creates the key.
		if err := q.LockSigningKeys(ctx); err != nil {
			return nil, err
		}
		if rows, err = q.ListSigningKeys(ctx); err != nil || len(rows) > 0 {
			return rows, err
		}
		if _, err := insertKey(ctx, q); err != nil {
			return nil, err
		}
		return q.ListSigningKeys(ctx)
	})
}

// activeKeys returns the keys that verify, by kid, and the kid of the one that signs. The rows must be
// sorted, the newest first.
func activeKeys(
	rows []db.AuthSigningKey, now time.Time,
) (byID map[string]*ecdsa.PrivateKey, signing string, err error) {
	byID = map[string]*ecdsa.PrivateKey{}
	published := "" // the oldest of the keys that do not sign yet: it signs if there is no other
	for _, row := range rows {
		parsed, err := x509.ParsePKCS8PrivateKey(row.PrivateKey)
		if err != nil {
			return nil, "", fmt.Errorf("read signing key %s: not PKCS #8", row.Kid)
		}
		key, ok := parsed.(*ecdsa.PrivateKey)
		if !ok {
			return nil, "", fmt.Errorf("read signing key %s: not an ECDSA key", row.Kid)
		}
		retired := row.RetiredAt != nil && !now.Before(*row.RetiredAt)
		if retired && !now.Before(row.RetiredAt.Add(Lifetime)) {
			continue // its last token has expired
		}
		byID[row.Kid] = key
		switch {
		case retired:
		case row.CreatedAt.Add(publishTime).After(now):
			published = row.Kid
		case signing == "":
			signing = row.Kid
		}
	}
	if signing == "" {
		signing = published
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
	return kid, q.InsertSigningKey(ctx, db.InsertSigningKeyParams{
		Kid: kid, Algorithm: jwt.SigningMethodES256.Alg(), PrivateKey: der,
	})
}

// Rotate creates a new signing key. Every server publishes it at once and signs with it after half a minute.
// Earlier keys verify until their last token has expired, so that nobody is signed out. If revoke is true,
// they are deleted: within ten seconds, every access token that they signed is rejected, and clients must
// refresh.
func Rotate(ctx context.Context, store *db.Store, revoke bool) (kid string, err error) {
	kid, err = db.AsService(ctx, store, func(q *db.Queries) (string, error) {
		if err := q.LockSigningKeys(ctx); err != nil {
			return "", err
		}
		kid, err := insertKey(ctx, q)
		if err != nil {
			return "", err
		}
		if revoke {
			return kid, q.DeleteSigningKeys(ctx, kid)
		}
		retired := db.RetireSigningKeysParams{Keep: kid, RetiredAt: time.Now().Add(publishTime)}
		if err := q.RetireSigningKeys(ctx, retired); err != nil {
			return "", err
		}
		return kid, q.DeleteOldSigningKeys(ctx)
	})
	if err != nil {
		return "", fmt.Errorf("rotate the signing keys: %w", err)
	}
	return kid, nil
}

// A ListedKey is a signing key in an operator's list.
type ListedKey struct {
	KeyID     string
	CreatedAt time.Time
	State     string // signs, published (will sign soon), verifies (signed until recently), or expired
}

// List returns the keys of the database, the newest first.
func List(ctx context.Context, store *db.Store) ([]ListedKey, error) {
	rows, err := readKeys(ctx, store, false)
	if err != nil {
		return nil, fmt.Errorf("list the signing keys: %w", err)
	}
	byID, signing, err := activeKeys(rows, time.Now())
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
