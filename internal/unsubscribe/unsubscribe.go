// Package unsubscribe creates and checks the tokens of links with which users leave a mailing list without
// signing in (RFC 8058).
//
// A token names a user and a list, and is signed. It grants nothing but leaving that list, so it does not
// expire: people keep mails. The package does no I/O: the key comes from auth.secrets, and callers write the
// preference.
package unsubscribe

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"

	"github.com/google/uuid"
)

// SecretName is the name of the Key in auth.secrets.
const SecretName = "unsubscribe"

// A List is a mailing list that users can leave.
type List string

// Digests is the list of daily and weekly digests; leaving it stops both.
const Digests List = "digest"

// ErrBadToken means that a token was not signed with the key, or is for another list.
var ErrBadToken = errors.New("the unsubscribe token is not valid")

// macBytes is the length to which the HMAC-SHA-256 is cut: 128 bits cannot be guessed and keep links short.
const macBytes = 16

// A Key signs tokens.
type Key []byte

// Token returns the token with which a user leaves a list.
func (k Key) Token(list List, user uuid.UUID) string {
	return base64.RawURLEncoding.EncodeToString(append(user[:], k.mac(list, user)...))
}

// User returns the user of a token for the list. Its error is ErrBadToken.
func (k Key) User(list List, token string) (uuid.UUID, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) != len(uuid.UUID{})+macBytes {
		return uuid.Nil, ErrBadToken
	}
	user := uuid.UUID(raw[:len(uuid.UUID{})])
	if !hmac.Equal(raw[len(user):], k.mac(list, user)) {
		return uuid.Nil, ErrBadToken
	}
	return user, nil
}

func (k Key) mac(list List, user uuid.UUID) []byte {
	mac := hmac.New(sha256.New, k)
	mac.Write([]byte("unsubscribe\x00" + string(list) + "\x00"))
	mac.Write(user[:])
	return mac.Sum(nil)[:macBytes]
}
