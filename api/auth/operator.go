package auth

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// An Operator does by the command line what administrators do over HTTP. Its errors are sentences for a person.
type Operator struct {
	cfg       Config
	store     *db.Store
	passwords *Passwords
	now       func() time.Time
}

// Errors of an Operator.
var (
	ErrNoUser    = errors.New("there is no such user")
	ErrUserTaken = errors.New("a user with this address is there already")
)

// NewOperator makes an operator. Of cfg it needs what is about passwords and confirmation.
func NewOperator(cfg Config, store *db.Store) (*Operator, error) {
	passwords, err := NewPasswords(cfg.BcryptCost, cfg.HashesAtOnce)
	if err != nil {
		return nil, err
	}
	o := &Operator{cfg: cfg, store: store, passwords: passwords, now: cfg.Now}
	if o.now == nil {
		o.now = time.Now
	}
	return o, nil
}

// A Person is a user as an operator sees it.
type Person struct {
	ID           uuid.UUID  `json:"id"`
	Email        string     `json:"email"`
	CreatedAt    *time.Time `json:"created_at"`
	LastSignInAt *time.Time `json:"last_sign_in_at"`
	BannedUntil  *time.Time `json:"banned_until"` // zero unless a ban is on
	// Awaited tells that the address has to be proven before the first sign-in.
	Awaited bool `json:"unconfirmed"`
	// External tells that another issuer vouches for the user, so that there is no password here.
	External bool `json:"external"`
}

func (o *Operator) person(u db.AuthUser) Person {
	a := account{AuthUser: u}
	p := Person{ID: u.ID, Email: text(u.Email), CreatedAt: utc(u.CreatedAt), LastSignInAt: utc(u.LastSignInAt), Awaited: a.unconfirmed(), External: u.IsSsoUser}
	if a.banned(o.now()) {
		p.BannedUntil = utc(u.BannedUntil)
	}
	return p
}

// operatorPage is how many users are read at once.
const operatorPage = 1000

// List hands over every user, the newest first, until each returns an error, which it returns.
func (o *Operator) List(ctx context.Context, each func(Person) error) error {
	for skip := int32(0); ; skip += operatorPage {
		var rows []db.ListUsersRow
		err := o.store.AsService(ctx, func(q *db.Queries) (err error) {
			rows, err = q.ListUsers(ctx, db.ListUsersParams{PageSize: operatorPage, Skip: skip})
			return err
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := each(o.person(row.AuthUser)); err != nil {
				return err
			}
		}
		if len(rows) < operatorPage {
			return nil
		}
	}
}

// NewPassword makes one that nobody guesses: 120 random bits.
func NewPassword() string {
	b := make([]byte, 15)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b)
}

// Create adds a user whose address counts as proven. Its errors are ErrUserTaken, or what is wrong with address or password.
func (o *Operator) Create(ctx context.Context, email, password string) (uuid.UUID, error) {
	email, err := emailAddress(email)
	if err != nil {
		return uuid.Nil, said(err)
	}
	hashed, err := o.hash(ctx, password, email)
	if err != nil {
		return uuid.Nil, err
	}
	now := o.now()
	user := account{}
	user.ID, user.Email, user.EncryptedPassword, user.EmailConfirmedAt, user.RawAppMetaData = uuid.New(), &email, &hashed, &now, emailProvider
	err = o.store.AsService(ctx, func(q *db.Queries) error {
		if err := createUser(ctx, q, user); err != nil {
			return err
		}
		return o.audit(ctx, q, "user_signedup", map[string]any{"user_id": user.ID})
	})
	if db.Constraint(err) == emailKey {
		return uuid.Nil, ErrUserTaken
	}
	return user.ID, err
}

// SetPassword replaces a user's password and ends all sessions. Its errors are ErrNoUser, or what is wrong with the password.
func (o *Operator) SetPassword(ctx context.Context, who, password string) error {
	return o.change(ctx, who, "user_updated_password", func(q *db.Queries, user account) error {
		hashed, err := o.hash(ctx, password, text(user.Email))
		if err != nil {
			return err
		}
		if err := q.UpdateUser(ctx, db.UpdateUserParams{ID: user.ID, EncryptedPassword: &hashed}); err != nil {
			return err
		}
		if err := q.ForgetUserTokens(ctx, user.ID); err != nil {
			return err
		}
		_, err = q.DeleteUserSessions(ctx, db.DeleteUserSessionsParams{UserID: user.ID})
		return err
	})
}

// Ban keeps a user out for so long, and ends all sessions; zero lifts a ban. Its error is ErrNoUser.
func (o *Operator) Ban(ctx context.Context, who string, duration time.Duration) error {
	action, until := "user_unbanned", time.Time{}
	if duration > 0 {
		action, until = "user_banned", o.now().Add(min(duration, maxBan))
	}
	return o.change(ctx, who, action, func(q *db.Queries, user account) error { return banUser(ctx, q, user.ID, until) })
}

// Sessions lists the sessions that live of a user, the one used last first. Its error is ErrNoUser.
func (o *Operator) Sessions(ctx context.Context, who string) (list []db.ListUserSessionsRow, err error) {
	err = o.store.AsService(ctx, func(q *db.Queries) error {
		user, err := find(ctx, q, who)
		if err != nil {
			return err
		}
		list, err = q.ListUserSessions(ctx, user.ID)
		return err
	})
	return list, err
}

// EndSessions ends a user's sessions, or one of them, and returns how many there were. Servers refuse their access tokens within a few seconds. Its error is ErrNoUser.
func (o *Operator) EndSessions(ctx context.Context, who string, one *uuid.UUID) (ended int, err error) {
	err = o.change(ctx, who, "session_revoked", func(q *db.Queries, user account) error {
		if one != nil {
			gone, err := q.DeleteUserSession(ctx, db.DeleteUserSessionParams{ID: *one, UserID: user.ID})
			ended = int(gone)
			return err
		}
		all, err := q.DeleteUserSessions(ctx, db.DeleteUserSessionsParams{UserID: user.ID})
		ended = len(all)
		return err
	})
	return ended, err
}

// change does something to a user and writes the audit, in one transaction.
func (o *Operator) change(ctx context.Context, who, action string, do func(*db.Queries, account) error) error {
	return o.store.AsService(ctx, func(q *db.Queries) error {
		user, err := find(ctx, q, who)
		if err != nil {
			return err
		}
		if err := do(q, user); err != nil {
			return err
		}
		return o.audit(ctx, q, action, map[string]any{"user_id": user.ID})
	})
}

// find looks a user up by id or address.
func find(ctx context.Context, q *db.Queries, who string) (account, error) {
	if id, err := uuid.Parse(who); err == nil {
		row, err := q.GetUser(ctx, id)
		if errors.Is(err, db.ErrNotFound) {
			return account{}, ErrNoUser
		}
		return account{row.AuthUser, row.Identities}, err
	}
	row, err := q.GetUserByEmail(ctx, who)
	if errors.Is(err, db.ErrNotFound) {
		return account{}, ErrNoUser
	}
	return account{row.AuthUser, row.Identities}, err
}

func (o *Operator) hash(ctx context.Context, password, email string) (string, error) {
	if err := (Rules{MinLength: o.cfg.PasswordMinLength, Characters: o.cfg.PasswordCharacters}).Check(password, email); err != nil {
		return "", said(err)
	}
	return o.passwords.Hash(ctx, password)
}

func (o *Operator) audit(ctx context.Context, q *db.Queries, action string, traits map[string]any) error {
	traits["by"] = "operator"
	return writeAudit(ctx, q, o.now(), "", action, nil, traits)
}

// said makes an answer of the edge a sentence.
func said(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return errors.New(e.Message)
	}
	return err
}

// Imported says what an import did.
type Imported struct {
	Added   int      // users that are new
	Present int      // users whose id or address was taken: they stay as they were
	Ignored []string // columns that mean nothing here
}

// Import adds users of another system with their password hashes: all of them in one transaction, or none.
func (o *Operator) Import(ctx context.Context, from io.Reader) (Imported, error) {
	users, ignored, err := parseUsers(from)
	if err != nil {
		return Imported{}, err
	}
	done, at := Imported{Ignored: ignored}, 0
	err = o.store.AsService(ctx, func(q *db.Queries) error {
		for i, u := range users {
			at = i + 1
			added, err := q.AddUser(ctx, o.row(u))
			if err != nil {
				return err
			}
			done.Added += int(added)
		}
		done.Present = len(users) - done.Added
		return o.audit(ctx, q, "users_imported", map[string]any{"added": done.Added, "present": done.Present})
	})
	if err != nil {
		return Imported{}, fmt.Errorf("nothing was imported: user %d: %w", at, err)
	}
	return done, nil
}

func (o *Operator) row(u importedUser) db.AddUserParams {
	now := o.now()
	p := db.AddUserParams{
		ID: u.id, Email: u.email, EncryptedPassword: u.hash, RawAppMetaData: u.appMetadata, RawUserMetaData: u.userMetadata, BannedUntil: u.bannedUntil, CreatedAt: &now,
	}
	if u.createdAt != nil {
		p.CreatedAt = u.createdAt
	}
	switch {
	case u.confirmed == nil: // not said: may sign in
	case *u.confirmed:
		p.EmailConfirmedAt = p.CreatedAt
	case o.cfg.ConfirmEmail:
		p.ConfirmationSentAt = &now // has to be proven first, by `resend` or `recover`
	}
	return p
}

// metadataOf reads an object that becomes part of every access token.
func metadataOf(raw string, from json.RawMessage) (json.RawMessage, error) {
	var changes map[string]json.RawMessage
	if raw == "" {
		raw = "{}"
	}
	if err := json.Unmarshal([]byte(raw), &changes); err != nil {
		return nil, errors.New("is no JSON object")
	}
	merged, err := merge(from, orEmpty(changes))
	return merged, said(err)
}
