package auth

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"research/api/token"
	"research/db"
)

// grantToken answers POST /token: grant_type says by what the caller signs in.
func (s *Server) grantToken(w http.ResponseWriter, r *http.Request) error {
	switch r.URL.Query().Get("grant_type") {
	case "password":
		return s.grantByPassword(w, r)
	case "refresh_token":
		return s.grantByRefreshToken(w, r)
	}
	return errGrantType
}

// grantByPassword signs in with e-mail and password. That a user is unknown, has no password or gave a wrong one gives the same answer after the same time; that the
// user is banned is said only to who knows the password.
func (s *Server) grantByPassword(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	var body struct {
		Email    string `json:"email"`
		Password string `json:"password"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	email := strings.ToLower(strings.TrimSpace(body.Email))
	if email == "" || len(email) > maxEmail || strings.ContainsRune(email, 0) || !utf8.ValidString(email) {
		return fail(http.StatusBadRequest, "validation_failed", "An e-mail address is required.")
	}
	// What is refused here was no guess, and counts for neither: else an address without tries left could use up those of accounts.
	address := network(s.address(r))
	wait := s.limits.addressFailures.take(address)
	if wait == 0 {
		if wait = s.limits.accountFailures.take(email); wait > 0 {
			s.limits.addressFailures.giveBack(address)
		}
	}
	if wait > 0 {
		return tooMany("over_request_rate_limit", "Too many sign-ins have failed. Try again later.", wait)
	}
	user, err := s.checkPassword(ctx, email, body.Password)
	var refused *Error
	if errors.As(err, &refused) && refused.OAuth == errInvalidCredentials.OAuth {
		// The same for users that there are not, so that it takes the same time.
		if err := s.store.AsService(ctx, func(q *db.Queries) error {
			return s.audit(ctx, q, r, "login_failed", user, map[string]any{"reason": refused.Code})
		}); err != nil {
			return err
		}
	}
	if !errors.Is(err, errInvalidCredentials) {
		// Neither a good password nor trouble of ours counts as a guess.
		s.limits.accountFailures.giveBack(email)
		s.limits.addressFailures.giveBack(address)
	}
	if err != nil {
		return err
	}
	renewed, err := s.renewHash(ctx, user, body.Password)
	if err != nil {
		return err
	}
	return s.openSession(w, r, *user, "password", "login", func(ctx context.Context, q *db.Queries) error {
		if renewed == "" {
			return nil
		}
		return q.RehashPassword(ctx, db.RehashPasswordParams{ID: user.ID, OldHash: text(user.EncryptedPassword), NewHash: renewed})
	})
}

// checkPassword returns the user whose password it is. With errInvalidCredentials it returns the user that was meant, or nil.
func (s *Server) checkPassword(ctx context.Context, email, password string) (*account, error) {
	var user *account
	err := s.store.AsService(ctx, func(q *db.Queries) error {
		row, err := q.GetUserByEmail(ctx, email)
		user = &account{row.AuthUser, row.Identities}
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		user = nil
	} else if err != nil {
		return nil, err
	}
	stored := ""
	if user != nil {
		stored = text(user.EncryptedPassword)
	}
	matches, err := s.passwords.Check(ctx, stored, password)
	switch {
	case err != nil:
		return nil, err
	case !matches || user == nil:
		return user, errInvalidCredentials
	case user.banned(s.now()):
		return user, errBanned
	case user.unconfirmed():
		return user, errNotConfirmed
	}
	return user, nil
}

// renewHash makes the hash that replaces one of another algorithm or cost, as only now the password is known. It is empty where none is needed, and where too many
// people are signing in: then the next sign-in does it. No transaction waits for it.
func (s *Server) renewHash(ctx context.Context, user *account, password string) (string, error) {
	if !s.passwords.outdated(text(user.EncryptedPassword)) || len(password) > maxPassword {
		return "", nil
	}
	renewed, err := s.passwords.Hash(ctx, password)
	if errors.Is(err, errBusy) {
		return "", nil
	}
	return renewed, err
}

// openSession begins a session and answers with its tokens. The method is one of amr's: password, otp, recovery. Whatever also runs is part of the transaction.
func (s *Server) openSession(w http.ResponseWriter, r *http.Request, user account, method, action string, also func(context.Context, *db.Queries) error) error {
	answer, err := s.beginSession(r, user, method, action, also)
	if err != nil {
		return err
	}
	s.writeJSON(w, http.StatusOK, answer)
	return nil
}

func (s *Server) beginSession(r *http.Request, user account, method, action string, also func(context.Context, *db.Queries) error) (tokenResponse, error) {
	ctx := r.Context()
	amr, err := json.Marshal([]map[string]any{{"method": method, "timestamp": s.now().Unix()}})
	if err != nil {
		return tokenResponse{}, err
	}
	refresh := s.refresh.begin()
	agent := clip(r.UserAgent(), 500)
	var ip *string
	if address := s.address(r); address != "" {
		ip = &address
	}
	var session uuid.UUID
	err = s.store.AsService(ctx, func(q *db.Queries) error {
		if also != nil {
			if err := also(ctx, q); err != nil {
				return err
			}
		}
		row, err := q.CreateSession(ctx, db.CreateSessionParams{UserID: user.ID, UserAgent: &agent, Ip: ip, Amr: amr})
		if err != nil {
			return err
		}
		session = row.ID
		if _, err := q.CreateRefreshToken(ctx, db.CreateRefreshTokenParams{TokenHash: hash(refresh), UserID: user.ID, SessionID: session}); err != nil {
			return err
		}
		if err := q.RecordSignIn(ctx, user.ID); err != nil {
			return err
		}
		if err := q.ForgetOldTokens(ctx, user.ID); err != nil {
			return err
		}
		return s.audit(ctx, q, r, action, &user, nil)
	})
	if err != nil {
		return tokenResponse{}, err
	}
	now := s.now()
	user.LastSignInAt = &now
	return s.tokens(ctx, user, session, amr, refresh)
}

// A tokenResponse is the interface's, and what supabase-js needs beyond it.
type tokenResponse struct {
	AccessToken  string    `json:"access_token"`
	TokenType    string    `json:"token_type"`
	ExpiresIn    int       `json:"expires_in"`
	ExpiresAt    int64     `json:"expires_at"`
	RefreshToken string    `json:"refresh_token"`
	User         userShape `json:"user"`
	WeakPassword *struct{} `json:"weak_password"`
}

// tokens signs an access token for the session.
func (s *Server) tokens(ctx context.Context, user account, session uuid.UUID, amr json.RawMessage, refresh string) (tokenResponse, error) {
	shape := user.shape()
	userMetadata := shape.UserMetadata
	if len(userMetadata) > maxMetadata { // brought over by SQL: the token has to fit into a header
		userMetadata = json.RawMessage(`{}`)
	}
	access, expires, err := s.keys.Sign(ctx, jwt.MapClaims{
		"sub": user.ID.String(), "email": shape.Email, "phone": shape.Phone,
		"role": db.RoleAuthenticated, "aal": "aal1", "amr": amr, "session_id": session.String(), "is_anonymous": user.IsAnonymous,
		"app_metadata": shape.AppMetadata, "user_metadata": userMetadata,
	})
	if err != nil {
		return tokenResponse{}, err
	}
	return tokenResponse{
		AccessToken: access, TokenType: "bearer", ExpiresIn: int(token.Lifetime / time.Second), ExpiresAt: expires.Unix(), RefreshToken: refresh, User: shape,
	}, nil
}

// clip cuts a header for keeping.
func clip(s string, most int) string {
	return strings.ToValidUTF8(s[:min(len(s), most)], "")
}
