package identity

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// The methods in this file are for administrators. Callers must authorize the client.

// A Page of users.
type Page struct {
	Users []User
	Total int64 // of all pages
}

// A UserQuery selects a page of users.
type UserQuery struct {
	Page        int // from 1
	PerPage     int
	Filter      string // a part of the address or of the name; empty means all
	OldestFirst bool
}

// Users returns a page of users.
func (s *Service) Users(ctx context.Context, query UserQuery) (Page, error) {
	return db.AsService(ctx, s.store, func(q *db.Queries) (p Page, err error) {
		if p.Total, err = q.CountUsers(ctx, query.Filter); err != nil {
			return p, err
		}
		page := db.ListUsersParams{
			Filter: query.Filter, PageSize: int32(query.PerPage), Skip: int32((query.Page - 1) * query.PerPage),
		}
		if query.OldestFirst {
			rows, err := q.ListUsersOldestFirst(ctx, db.ListUsersOldestFirstParams(page))
			for _, row := range rows {
				p.Users = append(p.Users, User{row.AuthUser, row.Identities})
			}
			return p, err
		}
		rows, err := q.ListUsers(ctx, page)
		for _, row := range rows {
			p.Users = append(p.Users, User{row.AuthUser, row.Identities})
		}
		return p, err
	})
}

// User returns a user. Its error is ErrUserNotFound.
func (s *Service) User(ctx context.Context, id uuid.UUID) (User, error) {
	user, err := db.AsService(ctx, s.store, func(q *db.Queries) (User, error) { return getUser(ctx, q, id) })
	if errors.Is(err, db.ErrNotFound) {
		return User{}, ErrUserNotFound
	}
	return user, err
}

// An AdminChange holds the fields of an account that an administrator sets.
type AdminChange struct {
	Email        string // empty means unchanged
	ConfirmEmail bool   // marks the address as confirmed
	Phone        string // empty means unchanged
	Password     string // empty means unchanged
	PasswordHash string // from another system, instead of Password
	UserMetadata Metadata
	AppMetadata  Metadata
	BanFor       *time.Duration // nil means unchanged; zero lifts a ban
}

// A preparedChange is a validated AdminChange.
type preparedChange struct {
	email        *string
	phone        *string
	passwordHash *string
	bannedUntil  *time.Time // zero lifts a ban
}

const (
	// maxBan is a century: in effect, for ever.
	maxBan        = 100 * 365 * 24 * time.Hour
	maxPhoneBytes = 32
)

func (s *Service) prepare(ctx context.Context, change AdminChange) (p preparedChange, err error) {
	if change.Email != "" {
		if change.Email, err = parseEmail(change.Email); err != nil {
			return p, err
		}
		p.email = &change.Email
	}
	if strings.ContainsRune(change.Phone, 0) || len(change.Phone) > maxPhoneBytes {
		return p, ErrInvalidPhone
	}
	if change.Phone != "" {
		p.phone = &change.Phone
	}
	if change.BanFor != nil {
		p.bannedUntil = new(time.Time)
		if *change.BanFor > 0 {
			*p.bannedUntil = s.now().Add(min(*change.BanFor, maxBan))
		}
	}
	switch {
	case change.PasswordHash != "":
		if err := CheckHash(change.PasswordHash); err != nil {
			return p, err
		}
		p.passwordHash = &change.PasswordHash
	case change.Password != "":
		if err := s.cfg.checkPassword(change.Password, change.Email); err != nil {
			return p, err
		}
		hash, err := s.passwords.hash(ctx, hashShare{key: "admin", known: true}, change.Password)
		if err != nil {
			return p, err
		}
		p.passwordHash = &hash
	}
	return p, nil
}

// A NewUser is an account that an administrator creates. The email address is required.
type NewUser struct {
	ID uuid.UUID // zero means a random one
	AdminChange
}

// CreateUser creates an account. Errors: ErrInvalidEmail, ErrEmailTaken, ErrIDTaken, ErrInvalidPhone,
// *HashError, those of a new password and of metadata.
func (s *Service) CreateUser(ctx context.Context, client Client, n NewUser) (User, error) {
	if n.Email == "" {
		return User{}, ErrInvalidEmail
	}
	prepared, err := s.prepare(ctx, n.AdminChange)
	if err != nil {
		return User{}, err
	}
	now := s.now()
	user := newUser(*prepared.email, now)
	user.EncryptedPassword, user.Phone = prepared.passwordHash, prepared.phone
	if n.ID != uuid.Nil {
		user.ID = n.ID
	}
	switch {
	case n.ConfirmEmail:
		user.confirm(now)
	case s.cfg.ConfirmsEmail():
		user.ConfirmationSentAt = &now // the user must confirm the address
	}
	if prepared.bannedUntil != nil && !prepared.bannedUntil.IsZero() {
		user.BannedUntil = prepared.bannedUntil
	}
	if user.RawUserMetaData, err = n.UserMetadata.applyNew(nil); err != nil {
		return User{}, err
	}
	if user.RawAppMetaData, err = n.AppMetadata.applyNew(emailProvider); err != nil {
		return User{}, err
	}
	created, err := db.AsService(ctx, s.store, func(q *db.Queries) (User, error) {
		if err := createUser(ctx, q, user); err != nil {
			return User{}, err
		}
		if err := s.audit(ctx, q, byAdmin("user_signedup", client, user.ID)); err != nil {
			return User{}, err
		}
		return getUser(ctx, q, user.ID)
	})
	switch db.Constraint(err) {
	case "":
		return created, err
	case db.ConstraintUserEmail:
		return User{}, ErrEmailTaken
	}
	return User{}, ErrIDTaken
}

// ChangeUser changes an account. A new password, a new address and a ban end the user's sessions, and the
// access of apps and scripts.
// Errors: ErrUserNotFound and those of CreateUser.
func (s *Service) ChangeUser(
	ctx context.Context, client Client, id uuid.UUID, change AdminChange,
) (User, error) {
	prepared, err := s.prepare(ctx, change)
	if err != nil {
		return User{}, err
	}
	user, err := db.AsService(ctx, s.store, func(q *db.Queries) (User, error) {
		before, err := s.updateUser(ctx, q, id, change, prepared)
		if err != nil {
			return User{}, err
		}
		if prepared.bannedUntil != nil {
			if err := banUser(ctx, q, id, *prepared.bannedUntil); err != nil {
				return User{}, err
			}
		}
		if err := revokeCredentials(ctx, q, before, change, prepared); err != nil {
			return User{}, err
		}
		if err := s.audit(ctx, q, byAdmin("user_modified", client, id)); err != nil {
			return User{}, err
		}
		return getUser(ctx, q, id)
	})
	if db.Constraint(err) == db.ConstraintUserEmail {
		return User{}, ErrEmailTaken
	}
	if err != nil {
		return User{}, err
	}
	s.sessions.RecheckSessions()
	return user, nil
}

// updateUser writes a change to the row of a user, and returns the user before it. Its error is
// ErrUserNotFound, or that of metadata.
func (s *Service) updateUser(
	ctx context.Context, q *db.Queries, id uuid.UUID, change AdminChange, prepared preparedChange,
) (before User, err error) {
	before, err = lockUser(ctx, q, id)
	if errors.Is(err, db.ErrNotFound) {
		return before, ErrUserNotFound
	}
	if err != nil {
		return before, err
	}
	update := db.UpdateUserParams{
		ID: id, Email: prepared.email, Phone: prepared.phone, EncryptedPassword: prepared.passwordHash,
	}
	if change.ConfirmEmail {
		now := s.now()
		update.EmailConfirmedAt = &now
	}
	if update.RawUserMetaData, err = change.UserMetadata.apply(before.RawUserMetaData); err != nil {
		return before, err
	}
	if update.RawAppMetaData, err = change.AppMetadata.apply(before.RawAppMetaData); err != nil {
		return before, err
	}
	return before, q.UpdateUser(ctx, update)
}

// revokeCredentials invalidates what a change makes obsolete: links in mails if the address or the password
// changed, and sessions and the access of apps and scripts as well. If the address was not proven, identities
// and second factors end, too. Who merely confirms the address vouches for the account as it is.
func revokeCredentials(
	ctx context.Context, q *db.Queries, before User, change AdminChange, prepared preparedChange,
) error {
	if prepared.passwordHash != nil || prepared.email != nil || change.ConfirmEmail {
		if err := q.DeleteUserTokens(ctx, before.ID); err != nil {
			return err
		}
	}
	newAddress := prepared.email != nil && *prepared.email != before.email()
	if prepared.passwordHash == nil && !newAddress {
		return nil
	}
	if before.EmailConfirmedAt == nil { // somebody else may have begun the account with the address
		_, err := endUnproven(ctx, q, before.ID)
		return err
	}
	_, err := endAccess(ctx, q, before.ID, nil)
	return err
}

// banUser bans a user until a time, and ends the user's sessions and the access of apps and scripts. The zero
// time lifts the ban.
func banUser(ctx context.Context, q *db.Queries, id uuid.UUID, until time.Time) error {
	if until.IsZero() {
		return q.BanUser(ctx, db.BanUserParams{ID: id})
	}
	if err := q.BanUser(ctx, db.BanUserParams{ID: id, BannedUntil: &until}); err != nil {
		return err
	}
	_, err := endAccess(ctx, q, id, nil)
	return err
}

// DeleteUser deletes an account. It takes effect at once: nobody can sign in with it, and its address can be
// used again. A workflow then removes the data. A soft deletion keeps the row for the rows that refer to it.
// Its error is ErrUserNotFound.
func (s *Service) DeleteUser(ctx context.Context, client Client, id uuid.UUID, soft bool) error {
	err := s.store.AsService(ctx, func(q *db.Queries) error {
		deleted, err := deleteUser(ctx, q, id, soft)
		if err != nil {
			return err
		}
		if !deleted {
			return ErrUserNotFound
		}
		e := byAdmin("user_deleted", client, id)
		e.traits["soft"] = soft
		return s.audit(ctx, q, e)
	})
	if err != nil {
		return err
	}
	s.sessions.RecheckSessions()
	return nil
}

func deleteUser(ctx context.Context, q *db.Queries, id uuid.UUID, soft bool) (deleted bool, err error) {
	if !soft {
		return q.MarkAccountDeleted(ctx, id)
	}
	rows, err := q.SoftDeleteUser(ctx, id)
	if err != nil {
		return false, err
	}
	_, err = endAccess(ctx, q, id, nil)
	return rows > 0, err
}

func byAdmin(action string, client Client, user uuid.UUID) event {
	return event{
		action: action, address: client.Address, traits: map[string]any{"user_id": user, "by": "admin"},
	}
}
