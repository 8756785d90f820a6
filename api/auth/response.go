package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"research/api/token"
	"research/db"
	"research/identity"
)

// A userResponse is a user in GoTrue's format.
type userResponse struct {
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
	Identities         []any           `json:"identities"` // emailIdentity or json.RawMessage
	Factors            json.RawMessage `json:"factors,omitempty"`
	CreatedAt          *time.Time      `json:"created_at"`
	UpdatedAt          *time.Time      `json:"updated_at"`
	BannedUntil        *time.Time      `json:"banned_until,omitempty"`
	DeletedAt          *time.Time      `json:"deleted_at,omitempty"`
	IsAnonymous        bool            `json:"is_anonymous"`
}

func (s *server) newUserResponse(u identity.User) userResponse {
	accepted := s.cfg.Identity.AcceptedAt(u)
	response := userResponse{
		ID:                 u.ID,
		Aud:                token.Audience,
		Role:               db.RoleAuthenticated,
		Email:              text(u.Email),
		EmailConfirmedAt:   utc(accepted),
		InvitedAt:          utc(u.InvitedAt),
		Phone:              text(u.Phone),
		PhoneConfirmedAt:   utc(u.PhoneConfirmedAt),
		ConfirmationSentAt: utc(u.ConfirmationSentAt),
		ConfirmedAt:        utc(accepted),
		RecoverySentAt:     utc(u.RecoverySentAt),
		NewEmail:           text(u.EmailChange),
		EmailChangeSentAt:  utc(u.EmailChangeSentAt),
		LastSignInAt:       utc(u.LastSignInAt),
		AppMetadata:        u.AppMetadata(),
		UserMetadata:       u.UserMetadata(),
		Identities:         identitiesOf(u),
		Factors:            u.Factors,
		CreatedAt:          utc(u.CreatedAt),
		UpdatedAt:          utc(u.UpdatedAt),
		BannedUntil:        utc(u.BannedUntil),
		DeletedAt:          utc(u.DeletedAt),
		IsAnonymous:        u.IsAnonymous,
	}
	if bytes.Equal(bytes.TrimSpace(u.Factors), []byte(`[]`)) {
		response.Factors = nil
	}
	return response
}

// identitiesOf returns the identities of a user: that of the e-mail address, and those at providers.
func identitiesOf(u identity.User) []any {
	var stored []map[string]json.RawMessage
	_ = json.Unmarshal(u.Identities, &stored) // it is an array that the database has made
	identities := []any{}
	derives := u.SignsInByEmail()
	for _, one := range stored {
		derives = derives && string(one["provider"]) != `"email"` // there is a row if the user was imported
		identities = append(identities, one)
	}
	if derives {
		identities = slices.Insert(identities, 0, any(newEmailIdentity(u)))
	}
	return identities
}

// An emailIdentity is the identity of a user who signs in by e-mail. GoTrue has a row for it; we derive it.
type emailIdentity struct {
	IdentityID   uuid.UUID         `json:"identity_id"`
	ID           uuid.UUID         `json:"id"`
	UserID       uuid.UUID         `json:"user_id"`
	IdentityData emailIdentityData `json:"identity_data"`
	Provider     string            `json:"provider"`
	LastSignInAt *time.Time        `json:"last_sign_in_at"`
	CreatedAt    *time.Time        `json:"created_at"`
	UpdatedAt    *time.Time        `json:"updated_at"`
	Email        string            `json:"email"`
}

type emailIdentityData struct {
	Sub           uuid.UUID `json:"sub"`
	Email         string    `json:"email"`
	EmailVerified bool      `json:"email_verified"`
	PhoneVerified bool      `json:"phone_verified"` // always false
}

func newEmailIdentity(u identity.User) emailIdentity {
	return emailIdentity{
		IdentityID: u.ID, ID: u.ID, UserID: u.ID,
		IdentityData: emailIdentityData{Sub: u.ID, Email: text(u.Email), EmailVerified: u.EmailConfirmedAt != nil},
		Provider:     "email",
		LastSignInAt: utc(u.LastSignInAt), CreatedAt: utc(u.CreatedAt), UpdatedAt: utc(u.UpdatedAt),
		Email: text(u.Email),
	}
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

// A sessionResponse is a session in the owner's format, with the fields that supabase-js needs in addition.
type sessionResponse struct {
	AccessToken  string       `json:"access_token"`
	TokenType    string       `json:"token_type"`
	ExpiresIn    int          `json:"expires_in"`
	ExpiresAt    int64        `json:"expires_at"`
	RefreshToken string       `json:"refresh_token"`
	User         userResponse `json:"user"`
	WeakPassword *struct{}    `json:"weak_password"` // always null
}

// newSessionResponse signs an access token for the session.
func (s *server) newSessionResponse(ctx context.Context, session identity.Session) (sessionResponse, error) {
	user := s.newUserResponse(session.User)
	userMetadata := user.UserMetadata
	if len(userMetadata) > identity.MaxMetadataBytes {
		userMetadata = json.RawMessage(`{}`)
	}
	access, expires, err := s.keys.Sign(ctx, jwt.MapClaims{
		"sub": user.ID.String(), "email": user.Email, "phone": user.Phone, "role": db.RoleAuthenticated,
		"aal": session.AAL(), "amr": session.AMR, "session_id": session.ID.String(),
		"is_anonymous": user.IsAnonymous,
		"app_metadata": user.AppMetadata, "user_metadata": userMetadata,
	})
	if err != nil {
		return sessionResponse{}, err
	}
	return sessionResponse{
		AccessToken:  access,
		TokenType:    "bearer",
		ExpiresIn:    int(s.keys.Lifetime() / time.Second),
		ExpiresAt:    expires.Unix(),
		RefreshToken: session.RefreshToken,
		User:         user,
	}, nil
}

// writeSession responds with a session.
func (s *server) writeSession(w http.ResponseWriter, r *http.Request, session identity.Session) error {
	response, err := s.newSessionResponse(r.Context(), session)
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, response)
	return nil
}

// writeUser responds with a user.
func (s *server) writeUser(w http.ResponseWriter, u identity.User) error {
	s.edge.WriteJSON(w, http.StatusOK, s.newUserResponse(u))
	return nil
}

// writeEmpty responds with an empty object.
func (s *server) writeEmpty(w http.ResponseWriter) error {
	s.edge.WriteJSON(w, http.StatusOK, struct{}{})
	return nil
}
