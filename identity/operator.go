package identity

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// An Operator manages users from the command line, as administrators do over HTTP. Its methods accept a
// user's email address or id.
type Operator struct {
	cfg       Config
	store     *db.Store
	passwords *hasher
	now       func() time.Time
}

// NewOperator returns an Operator. It uses only the settings of passwords and confirmation.
func NewOperator(cfg Config, store *db.Store) (*Operator, error) {
	passwords, err := newHasher(cfg.BcryptCost, cfg.ConcurrentHashes)
	if err != nil {
		return nil, err
	}
	return &Operator{cfg: cfg, store: store, passwords: passwords, now: clock(cfg)}, nil
}

// A Person is a user in an operator's list.
type Person struct {
	ID           uuid.UUID  `json:"id"`
	Email        string     `json:"email"`
	CreatedAt    *time.Time `json:"created_at"`
	LastSignInAt *time.Time `json:"last_sign_in_at"`
	BannedUntil  *time.Time `json:"banned_until"` // nil unless the user is banned now
	// Unconfirmed reports whether the user has not followed the link that proves the address.
	Unconfirmed bool `json:"unconfirmed"`
	// External reports whether another issuer authenticates the user, so that there is no password here.
	External bool `json:"external"`
}

func (o *Operator) person(row db.AuthUser) Person {
	user := User{AuthUser: row}
	p := Person{
		ID:           user.ID,
		Email:        user.email(),
		CreatedAt:    utc(user.CreatedAt),
		LastSignInAt: utc(user.LastSignInAt),
		Unconfirmed:  user.unconfirmed(),
		External:     user.IsSsoUser,
	}
	if user.banned(o.now()) {
		p.BannedUntil = utc(user.BannedUntil)
	}
	return p
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	t := at.UTC()
	return &t
}

// operatorPage is the number of users that List reads with one query.
const operatorPage = 1000

// List calls each for every user, the newest first. It stops at the first error and returns it.
func (o *Operator) List(ctx context.Context, each func(Person) error) error {
	for skip := int32(0); ; skip += operatorPage {
		rows, err := db.AsService(ctx, o.store, func(q *db.Queries) ([]db.ListUsersRow, error) {
			return q.ListUsers(ctx, db.ListUsersParams{PageSize: operatorPage, Skip: skip})
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

// NewPassword returns a random password of 120 bits.
func NewPassword() string {
	b := make([]byte, 15)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b)
}

// Create adds a user with a confirmed address. Errors: ErrEmailTaken, ErrInvalidEmail, those of a new
// password.
func (o *Operator) Create(ctx context.Context, email, password string) (uuid.UUID, error) {
	email, err := parseEmail(email)
	if err != nil {
		return uuid.Nil, err
	}
	hash, err := o.hash(ctx, password, email)
	if err != nil {
		return uuid.Nil, err
	}
	now := o.now()
	user := newUser(email, now)
	user.EncryptedPassword = &hash
	user.confirm(now)
	err = o.store.AsService(ctx, func(q *db.Queries) error {
		if err := createUser(ctx, q, user); err != nil {
			return err
		}
		return o.audit(ctx, q, "user_signedup", map[string]any{"user_id": user.ID})
	})
	if db.Constraint(err) == db.ConstraintUserEmail {
		return uuid.Nil, ErrEmailTaken
	}
	return user.ID, err
}

// SetPassword replaces a user's password, and ends all sessions and the access of apps and scripts.
// Errors: ErrUserNotFound, those of a new password.
func (o *Operator) SetPassword(ctx context.Context, user, password string) error {
	return o.change(ctx, user, "user_updated_password", func(q *db.Queries, u User) error {
		hash, err := o.hash(ctx, password, u.email())
		if err != nil {
			return err
		}
		if err := q.UpdateUser(ctx, db.UpdateUserParams{ID: u.ID, EncryptedPassword: &hash}); err != nil {
			return err
		}
		if err := q.DeleteUserTokens(ctx, u.ID); err != nil {
			return err
		}
		if u.EmailConfirmedAt == nil { // somebody else may have begun the account with the address
			_, err = endUnproven(ctx, q, u.ID)
		} else {
			_, err = endAccess(ctx, q, u.ID, nil)
		}
		return err
	})
}

// Ban bans a user for a duration, and ends all sessions and the access of apps and scripts. Zero lifts a ban.
// Its error is ErrUserNotFound.
func (o *Operator) Ban(ctx context.Context, user string, duration time.Duration) error {
	action, until := "user_unbanned", time.Time{}
	if duration > 0 {
		action, until = "user_banned", o.now().Add(min(duration, maxBan))
	}
	return o.change(ctx, user, action, func(q *db.Queries, u User) error { return banUser(ctx, q, u.ID, until) })
}

// Sessions returns the active sessions of a user, the most recently used first. Its error is ErrUserNotFound.
func (o *Operator) Sessions(ctx context.Context, user string) ([]db.ListUserSessionsRow, error) {
	return db.AsService(ctx, o.store, func(q *db.Queries) ([]db.ListUserSessionsRow, error) {
		u, err := find(ctx, q, user)
		if err != nil {
			return nil, err
		}
		return q.ListUserSessions(ctx, u.ID)
	})
}

// EndSessions ends one session of a user, or all if session is nil, and returns their number. With all of
// them, apps and personal access tokens lose their access as well. Servers reject the access tokens within a
// few seconds. Its error is ErrUserNotFound.
func (o *Operator) EndSessions(ctx context.Context, user string, session *uuid.UUID) (ended int, err error) {
	err = o.change(ctx, user, "session_revoked", func(q *db.Queries, u User) error {
		if session != nil {
			deleted, err := q.DeleteUserSession(ctx, db.DeleteUserSessionParams{ID: *session, UserID: u.ID})
			ended = int(deleted)
			return err
		}
		if _, err := lockUser(ctx, q, u.ID); err != nil {
			return err
		}
		deleted, err := endAccess(ctx, q, u.ID, nil)
		ended = len(deleted.sessions)
		return err
	})
	return ended, err
}

// change changes a user and writes the audit log in one transaction.
func (o *Operator) change(ctx context.Context, user, action string, do func(*db.Queries, User) error) error {
	return o.store.AsService(ctx, func(q *db.Queries) error {
		u, err := find(ctx, q, user)
		if err != nil {
			return err
		}
		if err := do(q, u); err != nil {
			return err
		}
		return o.audit(ctx, q, action, map[string]any{"user_id": u.ID})
	})
}

// find returns a user by id or email address. Its error is ErrUserNotFound.
func find(ctx context.Context, q *db.Queries, idOrEmail string) (user User, err error) {
	if id, parseErr := uuid.Parse(idOrEmail); parseErr == nil {
		user, err = getUser(ctx, q, id)
	} else {
		user, err = getUserByEmail(ctx, q, idOrEmail)
	}
	if errors.Is(err, db.ErrNotFound) {
		return User{}, ErrUserNotFound
	}
	return user, err
}

// hash checks and hashes a new password of the account with this address.
func (o *Operator) hash(ctx context.Context, password, email string) (string, error) {
	if err := o.cfg.checkPassword(password, email); err != nil {
		return "", err
	}
	return o.passwords.hash(ctx, hashShare{}, password)
}

func (o *Operator) audit(ctx context.Context, q *db.Queries, action string, traits map[string]any) error {
	traits["by"] = "operator"
	return event{action: action, traits: traits}.write(ctx, q, o.now())
}
