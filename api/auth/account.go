package auth

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"research/api/token"
	"research/db"
)

// An account is a user with the identities that belong to it.
type account struct {
	db.AuthUser
	identities json.RawMessage
}

func (a account) banned(now time.Time) bool {
	return a.BannedUntil != nil && now.Before(*a.BannedUntil)
}

// unconfirmed tells that a link was sent and not followed yet. Who was put into the table by SQL was never sent one, and may sign in.
func (a account) unconfirmed() bool {
	return a.EmailConfirmedAt == nil && a.ConfirmationSentAt != nil
}

// A userShape is a user as GoTrue shows it.
type userShape struct {
	ID                 uuid.UUID       `json:"id"`
	Aud                string          `json:"aud"`
	Role               string          `json:"role"`
	Email              string          `json:"email"`
	EmailConfirmedAt   *time.Time      `json:"email_confirmed_at,omitempty"`
	InvitedAt          *time.Time      `json:"invited_at,omitempty"`
	Phone              string          `json:"phone"`
	PhoneConfirmedAt   *time.Time      `json:"phone_confirmed_at,omitempty"`
	ConfirmationSentAt *time.Time      `json:"confirmation_sent_at,omitempty"`
	ConfirmedAt        *time.Time      `json:"confirmed_at,omitempty"`
	RecoverySentAt     *time.Time      `json:"recovery_sent_at,omitempty"`
	NewEmail           string          `json:"new_email,omitempty"`
	EmailChangeSentAt  *time.Time      `json:"email_change_sent_at,omitempty"`
	LastSignInAt       *time.Time      `json:"last_sign_in_at,omitempty"`
	AppMetadata        json.RawMessage `json:"app_metadata"`
	UserMetadata       json.RawMessage `json:"user_metadata"`
	Identities         json.RawMessage `json:"identities"`
	CreatedAt          *time.Time      `json:"created_at"`
	UpdatedAt          *time.Time      `json:"updated_at"`
	BannedUntil        *time.Time      `json:"banned_until,omitempty"`
	DeletedAt          *time.Time      `json:"deleted_at,omitempty"`
	IsAnonymous        bool            `json:"is_anonymous"`
}

func (a account) shape() userShape {
	shape := userShape{
		ID: a.ID, Aud: "authenticated", Role: db.RoleAuthenticated, Email: text(a.Email), EmailConfirmedAt: utc(a.EmailConfirmedAt), InvitedAt: utc(a.InvitedAt),
		Phone: text(a.Phone), PhoneConfirmedAt: utc(a.PhoneConfirmedAt), ConfirmationSentAt: utc(a.ConfirmationSentAt), ConfirmedAt: utc(a.ConfirmedAt),
		RecoverySentAt: utc(a.RecoverySentAt), NewEmail: text(a.EmailChange), EmailChangeSentAt: utc(a.EmailChangeSentAt), LastSignInAt: utc(a.LastSignInAt),
		AppMetadata: object(a.RawAppMetaData), UserMetadata: object(a.RawUserMetaData), Identities: a.identities,
		CreatedAt: utc(a.CreatedAt), UpdatedAt: utc(a.UpdatedAt), BannedUntil: utc(a.BannedUntil), DeletedAt: utc(a.DeletedAt), IsAnonymous: a.IsAnonymous,
	}
	if string(shape.AppMetadata) == `{}` && shape.Email != "" {
		shape.AppMetadata = emailProvider
	}
	if bytes.Equal(bytes.TrimSpace(shape.Identities), []byte(`[]`)) && shape.Email != "" {
		shape.Identities = a.emailIdentity()
	}
	return shape
}

// emailProvider is the app_metadata of who signs in by e-mail.
var emailProvider = json.RawMessage(`{"provider":"email","providers":["email"]}`)

// emailIdentity is what GoTrue keeps a row for, and follows from the user.
func (a account) emailIdentity() json.RawMessage {
	raw, err := json.Marshal([]map[string]any{{
		"identity_id": a.ID, "id": a.ID, "user_id": a.ID, "provider": "email", "email": text(a.Email),
		"identity_data":   map[string]any{"sub": a.ID, "email": text(a.Email), "email_verified": a.EmailConfirmedAt != nil, "phone_verified": false},
		"last_sign_in_at": utc(a.LastSignInAt), "created_at": utc(a.CreatedAt), "updated_at": utc(a.UpdatedAt),
	}})
	if err != nil {
		return json.RawMessage(`[]`)
	}
	return raw
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	t := at.UTC()
	return &t
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || raw[0] != '{' {
		return json.RawMessage(`{}`)
	}
	return raw
}

// maxMetadata bounds what a user can have put into every token: it travels in a header.
const maxMetadata = 16 << 10

// merge changes the keys that are named, and removes those that are null, as GoTrue does. It returns nil where nothing is to change.
func merge(old json.RawMessage, changes map[string]json.RawMessage) (json.RawMessage, error) {
	if changes == nil {
		return nil, nil
	}
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(object(old), &all); err != nil {
		return nil, err
	}
	for key, value := range changes {
		if string(value) == "null" {
			delete(all, key)
		} else {
			all[key] = value
		}
	}
	raw, err := json.Marshal(all)
	switch {
	case err != nil:
		return nil, err
	case len(raw) > maxMetadata:
		return nil, fail(http.StatusUnprocessableEntity, "validation_failed", "The metadata is larger than 16 KB: it is part of every access token.")
	case token.HasNUL(raw):
		return nil, fail(http.StatusBadRequest, "validation_failed", "The metadata holds a NUL character.")
	}
	return raw, nil
}
