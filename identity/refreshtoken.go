package identity

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"

	"research/db"
)

// newRefreshToken returns the first refresh token of a session: 256 random bits.
func newRefreshToken() string {
	b := make([]byte, sha256.Size)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b)
}

// hashSecret returns the stored form of a refresh token or of a link's token.
func hashSecret(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// A refreshTokenDeriver derives each refresh token from its predecessor, so that the same successor can be
// returned again although only hashes are stored. Deriving one needs a token and the key; the database alone
// does not suffice.
type refreshTokenDeriver struct{ key []byte }

func loadRefreshTokenDeriver(ctx context.Context, store *db.Store) (refreshTokenDeriver, error) {
	key, err := db.AsService(ctx, store, func(q *db.Queries) ([]byte, error) {
		return q.GetSecret(ctx, "refresh_tokens")
	})
	if err != nil {
		return refreshTokenDeriver{}, fmt.Errorf("load the key of the refresh tokens: %w", err)
	}
	return refreshTokenDeriver{key}, nil
}

func (d refreshTokenDeriver) successor(refreshToken string) string {
	mac := hmac.New(sha256.New, d.key)
	mac.Write([]byte(refreshToken))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// maxGenerations is more than a client can rotate within the reuse interval.
const maxGenerations = 1000

// descendant returns the descendant of a refresh token that has the given hash, or "".
func (d refreshTokenDeriver) descendant(refreshToken string, hash []byte) string {
	for range maxGenerations {
		refreshToken = d.successor(refreshToken)
		if subtle.ConstantTimeCompare(hashSecret(refreshToken), hash) == 1 {
			return refreshToken
		}
	}
	return ""
}
