package identity

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/crypto/bcrypt"
	"golang.org/x/text/secure/precis"
)

// A hasher hashes and checks passwords. It is safe for concurrent use.
type hasher struct {
	cost  int
	queue *hashQueue
	decoy string // a hash of a random password, so that unknown users take as long as known ones
}

// newHasher returns a hasher for bcrypt. A zero cost means 10; a zero concurrency means one hash on each core
// (docs/decisions/0173).
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
	return &hasher{cost: cost, queue: newHashQueue(concurrency), decoy: string(decoy)}, nil
}

// hash returns a bcrypt hash. A password above 72 bytes is an error.
func (h *hasher) hash(ctx context.Context, share hashShare, password string) (string, error) {
	if err := h.queue.acquire(ctx, share); err != nil {
		return "", err
	}
	defer h.queue.release()
	hash, err := bcrypt.GenerateFromPassword([]byte(normalizePassword(password)), h.cost)
	return string(hash), err
}

// normalizePassword returns the form of a password that is hashed: RFC 8265's OpaqueString. A keyboard may
// write an accented letter as one character or as two, and another space than the usual one. A password that
// the profile does not allow, such as one with a tab, stays as it is.
func normalizePassword(password string) string {
	normalized, err := precis.OpaqueString.String(password)
	if err != nil {
		return password
	}
	return normalized
}

// matches reports whether a password matches a hash of bcrypt, argon2id or argon2i. If there is no hash, or
// none that can be read, it takes as long as a comparison. The hash of another system may be that of the
// password as it was typed.
func (h *hasher) matches(ctx context.Context, share hashShare, hash, password string) (bool, error) {
	if err := h.queue.acquire(ctx, share); err != nil {
		return false, err
	}
	defer h.queue.release()
	normalized := normalizePassword(password)
	return h.compare(hash, normalized) || normalized != password && h.compare(hash, password), nil
}

func (h *hasher) compare(hash, password string) bool {
	if strings.HasPrefix(hash, argon2Prefix) {
		if parsed, err := parseArgon2(hash); err == nil {
			return parsed.matches(password)
		}
		hash = ""
	}
	if _, err := bcrypt.Cost([]byte(hash)); err != nil {
		hash = h.decoy
	}
	return bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) == nil
}

// rehash returns a new hash of a password whose stored one has another algorithm or cost. It returns "" if
// the stored hash is current, or if the queue is full: then the next sign-in renews it.
func (h *hasher) rehash(ctx context.Context, share hashShare, stored, password string) (string, error) {
	cost, err := bcrypt.Cost([]byte(stored))
	if err == nil && cost == h.cost || len(normalizePassword(password)) > maxPasswordBytes {
		return "", nil
	}
	hash, err := h.hash(ctx, share, password)
	if errors.Is(err, ErrBusy) {
		return "", nil
	}
	return hash, err
}
