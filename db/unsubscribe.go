package db

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"

	"github.com/google/uuid"
)

// SecretUnsubscribe names the key of unsubscribe tokens in auth.secrets.
const SecretUnsubscribe = "unsubscribe"

// ListDigest is the mailing list of the digests, daily and weekly ones alike: who stops them wants none.
const ListDigest = "digest"

// ErrBadToken: the token was not made by this installation, or is for another list.
var ErrBadToken = errors.New("bad token")

// macBytes of HMAC-SHA-256 are more than anybody can guess, and keep links short.
const macBytes = 16

// UnsubscribeToken makes the token of a link that takes a user off a list without signing in, and does nothing else. It does not expire: mails are kept.
func UnsubscribeToken(key []byte, list string, user uuid.UUID) string {
	return base64.RawURLEncoding.EncodeToString(append(user[:], unsubscribeMAC(key, list, user)...))
}

// ReadUnsubscribeToken returns whom a token takes off the list. Its error is ErrBadToken.
func ReadUnsubscribeToken(key []byte, list, token string) (uuid.UUID, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) != len(uuid.UUID{})+macBytes {
		return uuid.Nil, ErrBadToken
	}
	user := uuid.UUID(raw[:16])
	if !hmac.Equal(raw[16:], unsubscribeMAC(key, list, user)) {
		return uuid.Nil, ErrBadToken
	}
	return user, nil
}

func unsubscribeMAC(key []byte, list string, user uuid.UUID) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("unsubscribe\x00" + list + "\x00"))
	mac.Write(user[:])
	return mac.Sum(nil)[:macBytes]
}
