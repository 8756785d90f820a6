package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
)

// Passwords hashes and checks passwords, a bounded number at a time: a storm of sign-ins then waits in line instead of slowing everybody down. It is safe for concurrent
// use.
type Passwords struct {
	cost    int
	working chan struct{} // one a password being hashed
	waiting chan struct{} // one a password that is hashed or waits to be
	decoy   string        // a hash that no password has, so that unknown users take as long as known ones
}

// What the line may grow to: at ten hashes a second and core, some six seconds.
const maxWaiting = 64

// errBusy is what who comes later is told.
var errBusy = tooMany("over_request_rate_limit", "Too many people are signing in at this moment. Try again in a few seconds.", 5*time.Second)

// NewPasswords makes one that hashes by bcrypt with the given cost, at most so many at a time; zero means 10, and as many as Go uses cores.
func NewPasswords(cost, atOnce int) (*Passwords, error) {
	if cost == 0 {
		cost = bcrypt.DefaultCost
	}
	if atOnce == 0 {
		atOnce = runtime.GOMAXPROCS(0)
	}
	nobody := make([]byte, 32)
	_, _ = rand.Read(nobody) // never fails, see crypto/rand
	decoy, err := bcrypt.GenerateFromPassword(nobody, cost)
	if err != nil {
		return nil, fmt.Errorf("BCRYPT_COST: %w", err)
	}
	return &Passwords{cost: cost, working: make(chan struct{}, atOnce), waiting: make(chan struct{}, atOnce*maxWaiting), decoy: string(decoy)}, nil
}

// turn waits in line. Its error is errBusy or the context's.
func (p *Passwords) turn(ctx context.Context) (done func(), err error) {
	select {
	case p.waiting <- struct{}{}:
	default:
		return nil, errBusy
	}
	select {
	case p.working <- struct{}{}:
		return func() { <-p.working; <-p.waiting }, nil
	case <-ctx.Done():
		<-p.waiting
		return nil, ctx.Err()
	}
}

// Hash makes a bcrypt hash. Passwords above 72 bytes are an error.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	done, err := p.turn(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), p.cost)
	return string(hash), err
}

// Check compares a password with a hash of bcrypt, argon2id or argon2i. Where there is no hash, or none that can be read, it takes as long as a comparison and says no.
func (p *Passwords) Check(ctx context.Context, hash, password string) (bool, error) {
	done, err := p.turn(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	if strings.HasPrefix(hash, "$argon2") {
		if parsed, err := parseArgon2(hash); err == nil {
			return parsed.matches(password), nil
		}
		hash = ""
	}
	if _, err := bcrypt.Cost([]byte(hash)); err != nil {
		hash = p.decoy
	}
	return bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) == nil, nil
}

// outdated tells that a hash is not what Hash would make today.
func (p *Passwords) outdated(hash string) bool {
	cost, err := bcrypt.Cost([]byte(hash))
	return err != nil || cost != p.cost
}

// Bounds of hashes that are brought over: what takes longer or needs more memory would stop a server.
const (
	maxBcryptCost   = 15
	maxArgonMemory  = 256 << 10 // KiB
	maxArgonTime    = 16
	maxArgonThreads = 16
)

// CheckHash tells whether a hash can be brought over: bcrypt, argon2id or argon2i in their usual text form. Its error is a sentence's end that does not repeat the hash.
func CheckHash(hash string) error {
	if strings.HasPrefix(hash, "$argon2") {
		_, err := parseArgon2(hash)
		return err
	}
	cost, err := bcrypt.Cost([]byte(hash))
	if err != nil || len(hash) != 60 {
		return errors.New("is no hash of bcrypt or argon2")
	}
	if cost > maxBcryptCost {
		return fmt.Errorf("has a bcrypt cost above %d", maxBcryptCost)
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

func parseArgon2(s string) (argonHash, error) {
	errForm := errors.New("is no argon2 hash of version 19 in its text form")
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[1] != "argon2id" && parts[1] != "argon2i" || parts[2] != "v=19" {
		return argonHash{}, errForm
	}
	var memory, time, threads uint32
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &time, &threads); n != 3 || err != nil || parts[3] != fmt.Sprintf("m=%d,t=%d,p=%d", memory, time, threads) {
		return argonHash{}, errForm
	}
	if memory < 8 || memory > maxArgonMemory || time < 1 || time > maxArgonTime || threads < 1 || threads > maxArgonThreads {
		return argonHash{}, fmt.Errorf("asks for more than %d MiB, %d rounds or %d threads, or for none", maxArgonMemory>>10, maxArgonTime, maxArgonThreads)
	}
	salt, errSalt := base64.RawStdEncoding.DecodeString(parts[4])
	hash, errHash := base64.RawStdEncoding.DecodeString(parts[5])
	if errSalt != nil || errHash != nil || len(salt) < 8 || len(salt) > 64 || len(hash) < 16 || len(hash) > 64 {
		return argonHash{}, errForm
	}
	return argonHash{parts[1] == "argon2id", memory, time, uint8(threads), salt, hash}, nil
}

func (a argonHash) matches(password string) bool {
	derive := argon2.Key
	if a.id {
		derive = argon2.IDKey
	}
	return subtle.ConstantTimeCompare(derive([]byte(password), a.salt, a.time, a.memory, a.threads, uint32(len(a.hash))), a.hash) == 1
}

// maxPassword is bcrypt's: it looks at no more bytes.
const maxPassword = 72

const defaultMinLength = 8

// Rules are what a new password has to keep to.
type Rules struct {
	MinLength  int      // in characters; zero means 8
	Characters []string // classes of which one each is needed: lower, upper, digit, symbol
}

var classes = map[string]func(rune) bool{
	"lower": unicode.IsLower,
	"upper": unicode.IsUpper,
	"digit": unicode.IsDigit,
	"symbol": func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsSpace(r)
	},
}

// Check returns nil or the *Error that says everything that is wrong with a new password. The email is the account's.
func (r Rules) Check(password, email string) error {
	if len(password) > maxPassword {
		return fail(http.StatusUnprocessableEntity, "validation_failed", "Password cannot be longer than 72 bytes: bcrypt would not look at the rest.")
	}
	if !utf8.ValidString(password) || strings.ContainsRune(password, 0) {
		return fail(http.StatusUnprocessableEntity, "validation_failed", "Password must be text.")
	}
	least := r.MinLength
	if least == 0 {
		least = defaultMinLength
	}
	var messages, reasons []string
	if utf8.RuneCountInString(password) < least {
		reasons, messages = append(reasons, "length"), append(messages, fmt.Sprintf("Password should be at least %d characters.", least))
	}
	for _, class := range r.Characters {
		if !strings.ContainsFunc(password, classes[class]) {
			reasons = append(reasons, "characters")
			messages = append(messages, "Password should contain at least one character of each: "+strings.Join(r.Characters, ", ")+".")
			break
		}
	}
	if guessable(password, email) {
		reasons, messages = append(reasons, "pwned"), append(messages, "Password is known to be weak and easy to guess, please choose a different one.")
	}
	if len(reasons) == 0 {
		return nil
	}
	e := fail(http.StatusUnprocessableEntity, "weak_password", strings.Join(messages, " "))
	e.Reasons = reasons
	return e
}

// first are the passwords that every guesser tries first, beyond those that rules catch: the most used ones of eight characters and more in lists of leaked passwords.
var first = map[string]bool{
	"password": true, "password1": true, "password12": true, "passw0rd": true, "p@ssw0rd": true, "qwertyuiop": true, "qwerty123": true, "qwerty12345": true, "1q2w3e4r": true,
	"1qaz2wsx": true, "1q2w3e4r5t": true, "q1w2e3r4": true, "zaq12wsx": true, "iloveyou": true, "sunshine": true, "princess": true, "football": true, "baseball": true,
	"superman": true, "trustno1": true, "starwars": true, "whatever": true, "computer": true, "internet": true, "michelle": true, "jennifer": true, "letmein1": true,
	"welcome1": true, "admin123": true, "abcd1234": true, "abc12345": true, "a1b2c3d4": true, "changeme": true, "changeit": true, "asdfghjkl": true, "asdf1234": true,
	"12341234": true, "11223344": true, "123123123": true, "12344321": true, "monkey123": true, "dragon123": true, "liverpool": true, "charlie1": true,
}

// guessable tells passwords that a guesser tries first: well-known ones, the account's own address, one character again and again, runs of the keyboard's digits.
func guessable(password, email string) bool {
	lower := strings.ToLower(password)
	if lower == "" {
		return false // length says it
	}
	local, _, _ := strings.Cut(strings.ToLower(email), "@")
	if first[lower] || email != "" && (lower == strings.ToLower(email) || lower == local) {
		return true
	}
	const digits, letters = "01234567890123456789", "abcdefghijklmnopqrstuvwxyz"
	reversed := []byte(lower)
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	for _, run := range []string{lower, string(reversed)} {
		if strings.Contains(digits, run) || strings.Contains(letters, run) {
			return true
		}
	}
	runes := []rune(lower)
	return strings.Count(lower, string(runes[0])) == len(runes)
}
