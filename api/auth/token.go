package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"golang.org/x/crypto/bcrypt"

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

// grantByPassword signs in with e-mail and password. That a user is unknown, has no password or gave a wrong one gives the same answer after the same time.
func (s *Server) grantByPassword(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Email    string `json:"email"`
		Password string `json:"password"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	email := strings.TrimSpace(body.Email)
	if email == "" || strings.ContainsRune(email, 0) || !utf8.ValidString(email) {
		return fail(http.StatusBadRequest, "validation_failed", "An e-mail address is required.")
	}
	var user db.AuthUser
	err := s.store.AsService(r.Context(), func(q *db.Queries) (err error) {
		user, err = q.GetUserByEmail(r.Context(), email)
		return err
	})
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	stored := s.decoy
	if err == nil && user.EncryptedPassword != nil && *user.EncryptedPassword != "" {
		stored = []byte(*user.EncryptedPassword)
	}
	matches, hashErr := s.compare(r.Context(), stored, body.Password)
	if hashErr != nil {
		return hashErr
	}
	if err != nil || !matches {
		return errInvalidCredentials
	}
	if user.BannedUntil != nil && s.now().Before(*user.BannedUntil) {
		return fail(http.StatusBadRequest, "user_banned", "User is banned")
	}
	amr, err := json.Marshal([]map[string]any{{"method": "password", "timestamp": s.now().Unix()}})
	if err != nil {
		return err
	}
	refresh := newRefreshToken()
	var session db.CreateSessionRow
	agent, ip := clip(r.UserAgent(), 500), clientIP(r)
	err = s.store.AsService(r.Context(), func(q *db.Queries) error {
		var err error
		if session, err = q.CreateSession(r.Context(), db.CreateSessionParams{UserID: user.ID, UserAgent: &agent, Ip: ip, Amr: amr}); err != nil {
			return err
		}
		if _, err := q.CreateRefreshToken(r.Context(), db.CreateRefreshTokenParams{TokenHash: hash(refresh), UserID: user.ID, SessionID: session.ID}); err != nil {
			return err
		}
		return q.RecordSignIn(r.Context(), user.ID)
	})
	if err != nil {
		return err
	}
	now := s.now()
	user.LastSignInAt = &now
	return s.writeTokens(w, user, session.ID, amr, refresh)
}

// compare checks a password against a bcrypt hash; few at a time, so that a storm of sign-ins leaves the rest of the service alone.
func (s *Server) compare(ctx context.Context, hash []byte, password string) (bool, error) {
	select {
	case s.hashing <- struct{}{}:
		defer func() { <-s.hashing }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return bcrypt.CompareHashAndPassword(hash, []byte(password)) == nil, nil
}

// reuseInterval is how long a token that was rotated away may be shown again (GoTrue's GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL).
const reuseInterval = 10 * time.Second

// grantByRefreshToken rotates a refresh token. The token before the current one gives the current session anew, since a client may have lost the answer; an older
// one within ten seconds as well, later it ends the session. Twenty at once are served one after the other, by the session's row lock.
func (s *Server) grantByRefreshToken(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		RefreshToken string `json:"refresh_token"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	if body.RefreshToken == "" {
		return fail(http.StatusBadRequest, "validation_failed", "A refresh_token is required.")
	}
	ctx := r.Context()
	var (
		user    db.AuthUser
		session uuid.UUID
		amr     json.RawMessage
		refresh string
		refused *Error
	)
	err := s.store.AsService(ctx, func(q *db.Queries) error {
		shown, err := q.LockRefreshToken(ctx, hash(body.RefreshToken))
		if errors.Is(err, db.ErrNotFound) {
			refused = errTokenNotFound
			return nil
		}
		if err != nil {
			return err
		}
		session, amr = shown.SessionID, shown.Amr
		if user, err = q.GetUser(ctx, shown.UserID); err != nil {
			return err
		}
		if user.BannedUntil != nil && s.now().Before(*user.BannedUntil) {
			refused = fail(http.StatusBadRequest, "user_banned", "User is banned")
			return nil
		}
		if shown.NotAfter != nil && s.now().After(*shown.NotAfter) {
			refused = &Error{http.StatusBadRequest, "session_expired", "invalid_grant", "Invalid Refresh Token: Session Expired", nil}
			return nil
		}
		// Read under the lock: another refresh may have rotated it while we waited.
		current, err := q.GetRefreshToken(ctx, shown.ID)
		if err != nil {
			return err
		}
		if current.Revoked {
			active, err := q.GetActiveRefreshToken(ctx, session)
			if err != nil {
				return err
			}
			isParent := active.ParentID != nil && *active.ParentID == current.ID
			recent := current.RevokedAt != nil && s.now().Sub(*current.RevokedAt) <= reuseInterval
			if isParent || recent {
				if refresh = descendant(body.RefreshToken, shown.RefreshSalt, active.TokenHash); refresh != "" {
					return nil
				}
			}
			refused = errTokenUsed
			return q.DeleteSession(ctx, session)
		}
		refresh = successor(body.RefreshToken, shown.RefreshSalt)
		if err := q.RevokeRefreshToken(ctx, current.ID); err != nil {
			return err
		}
		if _, err := q.CreateRefreshToken(ctx, db.CreateRefreshTokenParams{TokenHash: hash(refresh), UserID: user.ID, SessionID: session, ParentID: &current.ID}); err != nil {
			return err
		}
		return q.TouchSession(ctx, session)
	})
	if err != nil {
		return err
	}
	if refused != nil {
		return refused
	}
	return s.writeTokens(w, user, session, amr, refresh)
}

// newRefreshToken begins a session's chain: 256 random bits.
func newRefreshToken() string {
	b := make([]byte, sha256.Size)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b)
}

// successor is the token that follows. Who holds only the database's hash and salt cannot make it.
func successor(refresh string, salt []byte) string {
	mac := hmac.New(sha256.New, salt)
	mac.Write([]byte(refresh))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// maxGenerations is more than a client can rotate within the reuse interval.
const maxGenerations = 1000

// descendant follows the chain from an old token to the one with the given hash, or returns "".
func descendant(refresh string, salt, want []byte) string {
	for range maxGenerations {
		refresh = successor(refresh, salt)
		if subtle.ConstantTimeCompare(hash(refresh), want) == 1 {
			return refresh
		}
	}
	return ""
}

func hash(refresh string) []byte {
	sum := sha256.Sum256([]byte(refresh))
	return sum[:]
}

// writeTokens signs an access token for the session and answers with both.
func (s *Server) writeTokens(w http.ResponseWriter, user db.AuthUser, session uuid.UUID, amr json.RawMessage, refresh string) error {
	access, expires, err := s.keys.Sign(jwt.MapClaims{
		"sub": user.ID.String(), "email": text(user.Email), "phone": text(user.Phone),
		"role": db.RoleAuthenticated, "aal": "aal1", "amr": amr, "session_id": session.String(), "is_anonymous": user.IsAnonymous,
		"app_metadata": object(user.RawAppMetaData), "user_metadata": object(user.RawUserMetaData),
	})
	if err != nil {
		return err
	}
	writeJSON(w, s.log, http.StatusOK, map[string]any{
		"access_token": access, "token_type": "bearer", "expires_in": int(token.Lifetime.Seconds()), "expires_at": expires.Unix(),
		"refresh_token": refresh, "user": userBody(user), "weak_password": nil,
	})
	return nil
}

// userBody is a user as GoTrue shows it.
func userBody(u db.AuthUser) map[string]any {
	body := map[string]any{
		"id": u.ID, "aud": text(u.Aud), "role": text(u.Role), "email": text(u.Email), "phone": text(u.Phone),
		"app_metadata": object(u.RawAppMetaData), "user_metadata": object(u.RawUserMetaData), "identities": []any{},
		"created_at": u.CreatedAt, "updated_at": u.UpdatedAt, "is_anonymous": u.IsAnonymous,
	}
	for name, at := range map[string]*time.Time{
		"email_confirmed_at": u.EmailConfirmedAt, "confirmed_at": u.ConfirmedAt, "last_sign_in_at": u.LastSignInAt, "invited_at": u.InvitedAt, "banned_until": u.BannedUntil,
	} {
		if at != nil {
			body[name] = at.UTC()
		}
	}
	return body
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage(`{}`)
	}
	return raw
}

func clip(s string, most int) string {
	return strings.ToValidUTF8(s[:min(len(s), most)], "")
}

// clientIP is the address that the connection comes from.
func clientIP(r *http.Request) *string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil || net.ParseIP(host) == nil {
		return nil
	}
	return &host
}
