package identity

import (
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
)

// Bounds of the hashes of other systems. Beyond them, checking one password would stall a server.
const (
	maxBcryptCost   = 15
	maxArgonMemory  = 256 << 10 // KiB
	maxArgonTime    = 16
	maxArgonThreads = 16
)

const (
	argon2Prefix = "$argon2"
	bcryptBytes  = 60
)

// CheckHash checks whether a hash of another system can be used: bcrypt, argon2id or argon2i in their usual
// text form. Its error is a *HashError.
func CheckHash(hash string) error {
	if strings.HasPrefix(hash, argon2Prefix) {
		_, err := parseArgon2(hash)
		return err
	}
	cost, err := bcrypt.Cost([]byte(hash))
	if err != nil || len(hash) != bcryptBytes {
		return &HashError{"is not a bcrypt or argon2 hash"}
	}
	if cost > maxBcryptCost {
		return &HashError{fmt.Sprintf("has a bcrypt cost above %d", maxBcryptCost)}
	}
	return nil
}

// An argonHash is a parsed $argon2id$v=19$m=65536,t=3,p=4$salt$hash
// (https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md).
type argonHash struct {
	id           bool // argon2id, else argon2i
	memory, time uint32
	threads      uint8
	salt, hash   []byte
}

var (
	errArgonForm   = &HashError{"is not an argon2 hash of version 19 in its text form"}
	errArgonBounds = &HashError{fmt.Sprintf("uses more than %d MiB, %d rounds or %d threads, or none of them",
		maxArgonMemory>>10, maxArgonTime, maxArgonThreads)}
)

// parseArgon2 reads a hash. Its error is a *HashError.
func parseArgon2(s string) (argonHash, error) {
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[1] != "argon2id" && parts[1] != "argon2i" || parts[2] != "v=19" {
		return argonHash{}, errArgonForm
	}
	memory, time, threads, err := parseArgonCost(parts[3])
	if err != nil {
		return argonHash{}, errArgonForm
	}
	if memory < 8 || memory > maxArgonMemory || time < 1 || time > maxArgonTime ||
		threads < 1 || threads > maxArgonThreads {
		return argonHash{}, errArgonBounds
	}
	salt, errSalt := base64.RawStdEncoding.DecodeString(parts[4])
	hash, errHash := base64.RawStdEncoding.DecodeString(parts[5])
	if errSalt != nil || errHash != nil || len(salt) < 8 || len(salt) > 64 || len(hash) < 16 || len(hash) > 64 {
		return argonHash{}, errArgonForm
	}
	return argonHash{parts[1] == "argon2id", memory, time, uint8(threads), salt, hash}, nil
}

func parseArgonCost(s string) (memory, time, threads uint32, err error) {
	const format = "m=%d,t=%d,p=%d"
	if _, err := fmt.Sscanf(s, format, &memory, &time, &threads); err != nil {
		return 0, 0, 0, err
	}
	if s != fmt.Sprintf(format, memory, time, threads) { // leading zeros, or trailing text
		return 0, 0, 0, errors.New("not canonical")
	}
	return memory, time, threads, nil
}

func (a argonHash) matches(password string) bool {
	derive := argon2.Key
	if a.id {
		derive = argon2.IDKey
	}
	hash := derive([]byte(password), a.salt, a.time, a.memory, a.threads, uint32(len(a.hash)))
	return subtle.ConstantTimeCompare(hash, a.hash) == 1
}
