package identity

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"research/db"
)

// A User is a row of auth.users with its identities, a JSON array in GoTrue's format.
type User struct {
	db.AuthUser
	Identities json.RawMessage
}

// newUser returns a user with an email address that signs in by e-mail.
func newUser(email string, now time.Time) User {
	return User{
		AuthUser: db.AuthUser{
			ID: uuid.New(), Email: &email, RawAppMetaData: emailProvider, CreatedAt: &now, UpdatedAt: &now,
		},
		Identities: json.RawMessage(`[]`),
	}
}

// confirm marks the address of a new user as proven.
func (u *User) confirm(now time.Time) { u.EmailConfirmedAt, u.ConfirmedAt = &now, &now }

func (u User) email() string { return deref(u.Email) }

func (u User) banned(now time.Time) bool { return u.BannedUntil != nil && now.Before(*u.BannedUntil) }

// unconfirmed reports whether the user was sent a link that proves the address, and has not followed it.
// Users that were inserted by SQL were never sent one.
func (u User) unconfirmed() bool { return u.EmailConfirmedAt == nil && u.ConfirmationSentAt != nil }

// AcceptedAt returns since when clients need not ask the user to confirm the address: since its proof or, if
// new users need not prove theirs, since the sign-up. Nil means that they must. Permissions depend on the
// proof alone, which is EmailConfirmedAt.
func (c Config) AcceptedAt(u User) *time.Time {
	signedUp := deref(u.EncryptedPassword) != "" || len(u.Identities) > len(`[]`)
	if u.unconfirmed() && !c.ConfirmsEmail() && signedUp {
		return u.CreatedAt
	}
	return u.EmailConfirmedAt
}

// AppMetadata returns the metadata that administrators set. Users that were inserted by SQL have the default.
func (u User) AppMetadata() json.RawMessage {
	metadata := object(u.RawAppMetaData)
	if string(metadata) == `{}` && u.email() != "" {
		return emailProvider
	}
	return metadata
}

// UserMetadata returns the metadata that the user set. As in GoTrue, email_verified is added to it once the
// address is proven.
func (u User) UserMetadata() json.RawMessage {
	metadata := map[string]json.RawMessage{}
	if json.Unmarshal(object(u.RawUserMetaData), &metadata) != nil {
		return object(u.RawUserMetaData)
	}
	delete(metadata, emailVerified)
	if u.EmailConfirmedAt != nil {
		metadata[emailVerified] = json.RawMessage("true")
	}
	raw, err := json.Marshal(metadata)
	if err != nil {
		return object(u.RawUserMetaData)
	}
	return raw
}

func getUser(ctx context.Context, q *db.Queries, id uuid.UUID) (User, error) {
	row, err := q.GetUser(ctx, id)
	return User{row.AuthUser, row.Identities}, err
}

func getUserByEmail(ctx context.Context, q *db.Queries, email string) (User, error) {
	row, err := q.GetUserByEmail(ctx, email)
	return User{row.AuthUser, row.Identities}, err
}

// lockUser returns the user as it is until the end of the transaction.
func lockUser(ctx context.Context, q *db.Queries, id uuid.UUID) (User, error) {
	// A statement that waits for the lock would read the identities as they were before.
	if _, err := q.LockUser(ctx, id); err != nil {
		return User{}, err
	}
	return getUser(ctx, q, id)
}

func createUser(ctx context.Context, q *db.Queries, u User) error {
	_, err := q.CreateUser(ctx, db.CreateUserParams{
		ID:                 u.ID,
		Email:              u.Email,
		EncryptedPassword:  u.EncryptedPassword,
		EmailConfirmedAt:   u.EmailConfirmedAt,
		ConfirmationSentAt: u.ConfirmationSentAt,
		InvitedAt:          u.InvitedAt,
		Phone:              u.Phone,
		RawAppMetaData:     object(u.RawAppMetaData),
		RawUserMetaData:    object(u.RawUserMetaData),
		BannedUntil:        u.BannedUntil,
		IsAnonymous:        u.IsAnonymous,
	})
	return err
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// optional returns nil for the empty string.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
