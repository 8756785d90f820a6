// Package idempotency gives a request that a client sends again the response to the first one. Edges read the
// key of a request, remember its response in the transaction of its changes, and replay it later.
//
// It follows draft-ietf-httpapi-idempotency-key-header-07. A key belongs to its user, method and path, and is
// forgotten after 24 hours.
package idempotency

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"research/api/problem"
	"research/api/token"
	"research/db"
)

const (
	// maxLength is the longest Idempotency-Key.
	maxLength = 255
	// maxKeys is the number of keys that are stored for one user. It is twice the number of uploads that the
	// default of UPLOAD_LIMIT allows within 24 hours.
	maxKeys = 50_000
	// wait is how long a request waits for the response to an earlier one that is in progress.
	wait = 5 * time.Second
	// interval is the polling interval.
	interval = 100 * time.Millisecond
)

// replayedHeader marks a response that was sent before.
const replayedHeader = "Idempotent-Replayed"

// A Key identifies a request that a client may repeat. The zero value is that of a request without the
// header; no response is stored for it.
type Key struct {
	User        uuid.UUID
	Hash        []byte
	Fingerprint []byte // of the content of the body; nil until it is read
}

// ReadKey reads the header Idempotency-Key: a string of a structured field (RFC 9651), or the same without
// the quotes.
func ReadKey(r *http.Request) (Key, error) {
	values := r.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return Key{}, nil
	}
	value := values[0]
	if len(value) >= 2 && strings.HasPrefix(value, `"`) && strings.HasSuffix(value, `"`) {
		value = value[1 : len(value)-1]
	}
	printable := !strings.ContainsFunc(value, func(c rune) bool { return c < ' ' || c > '~' })
	if len(values) > 1 || value == "" || len(value) > maxLength || !printable {
		return Key{}, problem.Invalid("Idempotency-Key",
			"Idempotency-Key must be given once, with 1 to 255 printable ASCII characters.")
	}
	hash := sha256.Sum256([]byte(r.Method + " " + r.URL.Path + "\n" + value))
	return Key{User: token.From(r.Context()).UserID, Hash: hash[:]}, nil
}

// NewKey returns the key of a request that a user makes in another way than by HTTP. Requests with the same
// content are the same request.
func NewKey(user uuid.UUID, content []byte) Key {
	hash := sha256.Sum256(append([]byte("request\n"), content...))
	return Key{User: user, Hash: hash[:], Fingerprint: hash[:]}
}

// IsZero reports whether the request has no key.
func (k Key) IsZero() bool { return k.Hash == nil }

// Part returns the key of a part of the request, with a name that no other part has.
func (k Key) Part(name string, fingerprint []byte) Key {
	if k.IsZero() {
		return k
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%x %s", k.Hash, name))
	return Key{User: k.User, Hash: hash[:], Fingerprint: fingerprint}
}

// Remember stores the response for a key, in the transaction of the request's changes. Its errors are
// ErrAnswered and a *problem.Error if the user has too many keys.
func (k Key) Remember(ctx context.Context, q *db.Queries, response db.RememberResponseParams) error {
	if k.IsZero() {
		return nil
	}
	response.Key, response.Fingerprint, response.Most = k.Hash, k.Fingerprint, maxKeys
	result, err := q.RememberResponse(ctx, response)
	switch {
	case err != nil:
		return err
	case result == db.PrivateRememberResultKnown:
		return ErrAnswered
	case result == db.PrivateRememberResultTooMany:
		return errTooMany
	}
	return nil
}

// RememberRejection stores a 422, which is as final as a success, and returns it. After other errors, a
// repeated request is processed again. It returns ErrAnswered if an earlier response is stored.
func (k Key) RememberRejection(ctx context.Context, store *db.Store, err error) error {
	var rejected *problem.Error
	if k.IsZero() || !errors.As(err, &rejected) || rejected.Status != http.StatusUnprocessableEntity {
		return err
	}
	body, encodeErr := problem.Encode(problem.FormatAPI(nil, nil, rejected))
	if encodeErr != nil {
		return encodeErr
	}
	status := int32(rejected.Status)
	storeErr := store.AsUser(ctx, token.From(ctx), func(q *db.Queries) error {
		return k.Remember(ctx, q, db.RememberResponseParams{Status: &status, Body: body})
	})
	if storeErr != nil {
		return storeErr
	}
	return err
}

// A Response is the response to the first request with a key.
type Response struct {
	Fingerprint []byte
	Status      int
	Body        []byte
}

// Matches reports whether the first request had the same content as one with the key.
func (a *Response) Matches(k Key) bool { return bytes.Equal(a.Fingerprint, k.Fingerprint) }

// Replay repeats the response to the first request. Its error is ErrReused if this request differs.
func (a *Response) Replay(w http.ResponseWriter, edge problem.Edge, k Key) error {
	if !a.Matches(k) {
		return ErrReused
	}
	MarkReplayed(w)
	edge.WriteEncoded(w, a.Status, a.Body)
	return nil
}

// MarkReplayed marks a response as one that was sent before.
func MarkReplayed(w http.ResponseWriter) { w.Header().Set(replayedHeader, "true") }

// A Settler looks at a request whose response is not stored. It returns that response, or ErrForgotten if the
// request was not carried out, or neither while it is in progress.
type Settler func(ctx context.Context, k Key, row db.GetRememberedResponseRow) (*Response, error)

// Find returns the response to the first request with the key, or nil if there was none. It waits while that
// request is in progress, and asks settle about it. Its error is ErrInUse if that takes too long. A nil
// settle is that of an edge whose responses are stored with the changes.
func (k Key) Find(ctx context.Context, store *db.Store, settle Settler) (*Response, error) {
	if k.IsZero() {
		return nil, nil
	}
	poll := time.NewTicker(interval)
	defer poll.Stop()
	for deadline := time.Now().Add(wait); ; {
		row, err := db.AsService(ctx, store, func(q *db.Queries) (db.GetRememberedResponseRow, error) {
			return q.GetRememberedResponse(ctx, db.GetRememberedResponseParams{UserID: k.User, Key: k.Hash})
		})
		switch {
		case errors.Is(err, db.ErrNotFound):
			return nil, nil
		case err != nil:
			return nil, err
		case row.Status != 0:
			return &Response{row.Fingerprint, int(row.Status), row.Body}, nil
		case settle != nil:
			found, err := settle(ctx, k, row)
			if errors.Is(err, ErrForgotten) {
				return nil, nil
			}
			if found != nil || err != nil {
				return found, err
			}
		}
		if time.Now().After(deadline) {
			return nil, ErrInUse
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-poll.C:
		}
	}
}

// Answer answers a request once: with the response to an earlier one with its key, or else with what carryOut
// returns. carryOut remembers its response in the transaction of its changes.
func (k Key) Answer(
	ctx context.Context, w http.ResponseWriter, edge problem.Edge, store *db.Store, settle Settler,
	status int, carryOut func() ([]byte, error),
) error {
	for {
		earlier, err := k.Find(ctx, store, settle)
		if err != nil {
			return err
		}
		if earlier != nil {
			return earlier.Replay(w, edge, k)
		}
		body, err := carryOut()
		if err == nil {
			edge.WriteEncoded(w, status, body)
			return nil
		}
		if err = k.RememberRejection(ctx, store, err); !errors.Is(err, ErrAnswered) {
			return err
		}
	}
}
