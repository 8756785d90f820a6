package identity

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"

	"research/db"
)

const (
	codeDigits = 6
	codePeriod = 30 // seconds; the default of every app
	codeDrift  = 1  // periods by which the clock of a phone may be off (RFC 6238, section 5.2)
)

// matchingStep returns the time step of a code (RFC 6238), if it is the current step or one next to it.
func matchingStep(secret, code string, now time.Time) (step int64, found bool, err error) {
	current := now.Unix() / codePeriod
	opts := hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}
	for step := current - codeDrift; step <= current+codeDrift; step++ {
		valid, err := hotp.ValidateCustom(code, uint64(step), secret, opts)
		if err != nil {
			return 0, false, fmt.Errorf("check the code of a second factor: %w", err)
		}
		if valid {
			return step, true, nil
		}
	}
	return 0, false, nil
}

// isTOTP reports whether a code has the form of those that apps show. Others are recovery codes.
func isTOTP(code string) bool {
	if len(code) != codeDigits {
		return false
	}
	for _, c := range code {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// The first consecutive wrong codes cause no delay. Each further one doubles the delay before the next
// attempt.
const (
	freeFailures   = 5
	firstCodeWait  = 30 * time.Second
	longestWait    = time.Hour
	doublingsAtMax = 7 // 30 s doubled seven times exceeds an hour
)

// codeWait returns how long a user must wait after a number of consecutive wrong codes. There are a million
// codes, of which three are valid at a time: at one attempt an hour, guessing takes decades.
func codeWait(failures int) time.Duration {
	if failures < freeFailures {
		return 0
	}
	return min(firstCodeWait<<min(failures-freeFailures, doublingsAtMax), longestWait)
}

// A factorCipher encrypts the secrets of second factors, so that a copy of their table does not reveal them.
type factorCipher struct{ aead cipher.AEAD }

func loadFactorCipher(ctx context.Context, store *db.Store) (factorCipher, error) {
	key, err := db.AsService(ctx, store, func(q *db.Queries) ([]byte, error) {
		return q.GetSecret(ctx, "mfa_factors")
	})
	if err != nil {
		return factorCipher{}, fmt.Errorf("load the key of the second factors: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return factorCipher{}, fmt.Errorf("load the key of the second factors: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return factorCipher{aead}, err
}

func (c factorCipher) seal(factor uuid.UUID, secret string) []byte {
	return c.aead.Seal(nil, nil, []byte(secret), factor[:])
}

func (c factorCipher) open(factor uuid.UUID, sealed []byte) (string, error) {
	secret, err := c.aead.Open(nil, nil, sealed, factor[:])
	if err != nil {
		return "", fmt.Errorf("decrypt the secret of a second factor: %w", err)
	}
	return string(secret), nil
}

// host returns the host of PUBLIC_URL.
func (s *Service) host() string {
	u, err := url.Parse(s.cfg.PublicURL)
	if err != nil || u.Host == "" {
		return s.cfg.PublicURL
	}
	return u.Host
}
