package db

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// The roles that programs log in as, so that none of them is the owner of the database, or a superuser, even
// after RESET ROLE.
const (
	LoginServe  = "authenticator"
	LoginWorker = "research_worker"
)

// EnsureLogin lets a role log in with a password. A role that does not exist is created, and may do what
// authenticator may. The URL must be an owner's with CREATEROLE.
func EnsureLogin(ctx context.Context, url, role, password string) error {
	verifier, err := scramVerifier(password)
	if err != nil {
		return fmt.Errorf("set the password of %s: %w", role, err)
	}
	conn, err := Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	name := pgx.Identifier{role}.Sanitize()
	_, err = conn.Exec(ctx, "create role "+name+" login inherit")
	if err != nil && !isState(err, "42710") { // it exists
		return fmt.Errorf("create the role %s: %w", role, translate(err))
	}
	if role != LoginServe {
		if _, err := conn.Exec(ctx, "grant "+LoginServe+" to "+name); err != nil {
			return fmt.Errorf("grant %s to %s: %w", LoginServe, role, translate(err))
		}
	}
	// The verifier has no quotes, and does not reveal the password to the server's log.
	if _, err := conn.Exec(ctx, "alter role "+name+" login password '"+verifier+"'"); err != nil {
		return fmt.Errorf("set the password of %s: %w", role, translate(err))
	}
	return nil
}

// scramVerifier is what PostgreSQL stores of a password: SCRAM-SHA-256 of RFC 7677. Passwords are printable
// ASCII, which needs no preparation.
func scramVerifier(password string) (string, error) {
	const iterations = 4096 // PostgreSQL's default
	notPrintable := func(r rune) bool { return r < ' ' || r > '~' }
	if password == "" || strings.ContainsFunc(password, notPrintable) {
		return "", errors.New("a password of a database role must be printable ASCII")
	}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails, see crypto/rand
	salted, err := pbkdf2.Key(sha256.New, password, salt, iterations, sha256.Size)
	if err != nil {
		return "", err
	}
	keyed := func(message string) []byte {
		mac := hmac.New(sha256.New, salted)
		mac.Write([]byte(message))
		return mac.Sum(nil)
	}
	storedKey := sha256.Sum256(keyed("Client Key"))
	text := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s",
		iterations, text(salt), text(storedKey[:]), text(keyed("Server Key"))), nil
}
