package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"time"

	"research/db"
)

// reuseInterval is how long a token that was rotated away may be shown again (GoTrue's GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL).
const reuseInterval = 10 * time.Second

// grantByRefreshToken rotates a refresh token. A good one is one statement. The token before the current one gives the current one again, since a client may have
// lost the answer; an older one within ten seconds as well, later it ends the session: somebody has a copy. A refresh is never limited by number.
func (s *Server) grantByRefreshToken(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	var body struct {
		RefreshToken string `json:"refresh_token"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	if body.RefreshToken == "" {
		return fail(http.StatusBadRequest, "validation_failed", "refresh_token required")
	}
	refresh := s.refresh.successor(body.RefreshToken)
	rotation := db.RotateRefreshTokenParams{ShownHash: hash(body.RefreshToken), SuccessorHash: hash(refresh)}
	var row db.RotateRefreshTokenRow
	err := s.store.AsService(ctx, func(q *db.Queries) (err error) {
		row, err = q.RotateRefreshToken(ctx, rotation)
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		row, refresh, err = s.refreshAgain(r, body.RefreshToken, rotation)
	}
	if err != nil {
		return err
	}
	answer, err := s.tokens(ctx, account{row.AuthUser, row.Identities}, row.SessionID, row.Amr, refresh)
	if err != nil {
		return err
	}
	s.writeJSON(w, http.StatusOK, answer)
	return nil
}

// refreshAgain is for a token that could not simply be rotated: one that was rotated before, or is unknown, or may no longer be. It holds the session's lock, so that
// what it reads stays.
func (s *Server) refreshAgain(r *http.Request, shown string, rotation db.RotateRefreshTokenParams) (row db.RotateRefreshTokenRow, refresh string, err error) {
	ctx := r.Context()
	var refused error
	err = s.store.AsService(ctx, func(q *db.Queries) error {
		locked, err := q.LockRefreshToken(ctx, rotation.ShownHash)
		if errors.Is(err, db.ErrNotFound) {
			refused = errTokenNotFound
			return nil
		}
		if err != nil {
			return err
		}
		person, err := q.GetUser(ctx, locked.UserID)
		if errors.Is(err, db.ErrNotFound) {
			refused = errTokenNotFound
			return nil
		}
		if err != nil {
			return err
		}
		user := account{person.AuthUser, person.Identities}
		switch {
		case user.banned(s.now()):
			refused = errBanned
			return nil
		case locked.NotAfter != nil && !s.now().Before(*locked.NotAfter):
			refused = errSessionExpired
			return nil
		}
		// Read under the lock: another refresh may have rotated it while we waited.
		token, err := q.GetRefreshToken(ctx, locked.ID)
		if err != nil {
			return err
		}
		if !token.Revoked {
			refresh = s.refresh.successor(shown)
			row, err = q.RotateRefreshToken(ctx, rotation)
			return err
		}
		active, err := q.GetActiveRefreshToken(ctx, locked.SessionID)
		if err != nil {
			return err
		}
		isParent := active.ParentID != nil && *active.ParentID == token.ID
		recent := token.RevokedAt != nil && s.now().Sub(*token.RevokedAt) <= reuseInterval
		if isParent || recent {
			if refresh = s.refresh.descendant(shown, active.TokenHash); refresh != "" {
				row = db.RotateRefreshTokenRow{SessionID: locked.SessionID, Amr: locked.Amr, AuthUser: user.AuthUser, Identities: user.identities}
				return nil
			}
		}
		refused = errTokenUsed
		s.gate.Ended(user.ID, locked.SessionID)
		if err := q.DeleteSession(ctx, locked.SessionID); err != nil {
			return err
		}
		return s.audit(ctx, q, r, "token_revoked", &user, map[string]any{"reason": "refresh token reused", "session_id": locked.SessionID})
	})
	return row, refresh, errors.Join(err, refused)
}

// A chain derives each refresh token from the one before it, so that the same successor can be given again though only hashes are stored. Who has the database but no
// token can derive none.
type chain struct{ key []byte }

func loadChain(ctx context.Context, store *db.Store) (*chain, error) {
	c := &chain{}
	err := store.AsService(ctx, func(q *db.Queries) (err error) {
		c.key, err = q.GetSecret(ctx, "refresh_tokens")
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("load the key of the refresh tokens: %w", err)
	}
	return c, nil
}

// begin is a session's first token: 256 random bits.
func (c *chain) begin() string {
	b := make([]byte, sha256.Size)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b)
}

func (c *chain) successor(refresh string) string {
	mac := hmac.New(sha256.New, c.key)
	mac.Write([]byte(refresh))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// maxGenerations is more than a client can rotate within the reuse interval.
const maxGenerations = 1000

// descendant follows the chain from an old token to the one with the given hash, or returns "".
func (c *chain) descendant(refresh string, want []byte) string {
	for range maxGenerations {
		refresh = c.successor(refresh)
		if subtle.ConstantTimeCompare(hash(refresh), want) == 1 {
			return refresh
		}
	}
	return ""
}

func hash(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}
