package identity

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"golang.org/x/crypto/bcrypt"
)

// A hasher hashes and checks passwords, a bounded number at the same time, so that a burst of sign-ins queues
// instead of starving other requests. It is safe for concurrent use.
type hasher struct {
	cost    int
	running chan struct{} // one element for each password that is being hashed
	queued  chan struct{} // one element for each password that is being hashed or waits
	decoy   string        // a hash without a password, so that unknown users take as long as known ones
}

// maxQueued is the length of the queue for each slot: about six seconds at ten hashes a second.
const maxQueued = 64

// busyRetry is when a client should retry if the queue is full.
const busyRetry = 5 * time.Second

// newHasher returns a hasher for bcrypt. A zero cost means 10; a zero concurrency means GOMAXPROCS.
func newHasher(cost, concurrency int) (*hasher, error) {
	if cost == 0 {
		cost = bcrypt.DefaultCost
	}
	if concurrency == 0 {
		concurrency = runtime.GOMAXPROCS(0)
	}
	password := make([]byte, 32)
	_, _ = rand.Read(password) // never fails, see crypto/rand
	decoy, err := bcrypt.GenerateFromPassword(password, cost)
	if err != nil {
		return nil, fmt.Errorf("BCRYPT_COST: %w", err)
	}
	return &hasher{
		cost:    cost,
		running: make(chan struct{}, concurrency),
		queued:  make(chan struct{}, concurrency*maxQueued),
		decoy:   string(decoy),
	}, nil
}

// wait waits for a slot. Its error is a *LimitError with ErrBusy, or the context's.
func (h *hasher) wait(ctx context.Context) (release func(), err error) {
	select {
	case h.queued <- struct{}{}:
	default:
		return nil, &LimitError{Cause: ErrBusy, RetryAfter: busyRetry}
	}
	select {
	case h.running <- struct{}{}:
		return func() { <-h.running; <-h.queued }, nil
	case <-ctx.Done():
		<-h.queued
		return nil, ctx.Err()
	}
}

// hash returns a bcrypt hash. A password above 72 bytes is an error.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	release, err := h.wait(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), h.cost)
	return string(hash), err
}

// matches reports whether a password has a hash of bcrypt, argon2id or argon2i. If there is no hash, or none
// that can be read, it takes as long as a comparison.
func (h *hasher) matches(ctx context.Context, hash, password string) (bool, error) {
	release, err := h.wait(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	if strings.HasPrefix(hash, argon2Prefix) {
		if parsed, err := parseArgon2(hash); err == nil {
			return parsed.matches(password), nil
		}
		hash = ""
	}
	if _, err := bcrypt.Cost([]byte(hash)); err != nil {
		hash = h.decoy
	}
	return bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) == nil, nil
}

// rehash returns a new hash of a password whose stored one has another algorithm or cost. It returns "" if
// the stored hash is current, or if the queue is full: then the next sign-in renews it.
func (h *hasher) rehash(ctx context.Context, stored, password string) (string, error) {
	cost, err := bcrypt.Cost([]byte(stored))
	if err == nil && cost == h.cost || len(password) > maxPasswordBytes {
		return "", nil
	}
	hash, err := h.hash(ctx, password)
	if errors.Is(err, ErrBusy) {
		return "", nil
	}
	return hash, err
}
