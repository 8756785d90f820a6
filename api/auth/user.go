package auth

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"research/db"
)

func (s *Server) showUser(w http.ResponseWriter, _ *http.Request, c caller) error {
	s.writeJSON(w, http.StatusOK, c.shape())
	return nil
}

// updateUser answers PUT /user: metadata at once, a password at once and for other sessions the end, an address once its owner has followed the link.
func (s *Server) updateUser(w http.ResponseWriter, r *http.Request, c caller) error {
	ctx := r.Context()
	var body struct {
		Email       string                     `json:"email"`
		Phone       string                     `json:"phone"`
		Password    *string                    `json:"password"`
		Data        map[string]json.RawMessage `json:"data"`
		AppMetadata map[string]json.RawMessage `json:"app_metadata"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	switch {
	case body.AppMetadata != nil:
		return fail(http.StatusForbidden, "not_admin", "Updating app_metadata requires admin privileges")
	case body.Phone != "" && body.Phone != text(c.Phone):
		return fail(http.StatusBadRequest, "phone_provider_disabled", "Phone numbers are not supported")
	}
	change := db.UpdateUserParams{ID: c.ID}
	newEmail := ""
	if body.Email != "" {
		email, err := emailAddress(body.Email)
		if err != nil {
			return err
		}
		if email != text(c.Email) {
			newEmail = email
			if err := s.mayMail(r, newEmail); err != nil {
				return err
			}
		}
	}
	if body.Password != nil {
		hashed, err := s.newPassword(ctx, c.account, *body.Password)
		if err != nil {
			return err
		}
		change.EncryptedPassword = &hashed
	}
	request := uuid.New()
	var ended []uuid.UUID
	var changed account
	err := s.store.AsService(ctx, func(q *db.Queries) error {
		locked, err := q.LockUser(ctx, c.ID)
		if err != nil {
			return err
		}
		if change.RawUserMetaData, err = merge(locked.AuthUser.RawUserMetaData, body.Data); err != nil {
			return err
		}
		if err := q.UpdateUser(ctx, change); err != nil {
			return err
		}
		action := "user_modified"
		if change.EncryptedPassword != nil {
			action = "user_updated_password"
			if ended, err = q.DeleteUserSessions(ctx, db.DeleteUserSessionsParams{UserID: c.ID, Keep: &c.session}); err != nil {
				return err
			}
			if err := q.ForgetUserTokens(ctx, c.ID); err != nil {
				return err
			}
		}
		if newEmail != "" {
			if err := s.askForEmailChange(ctx, q, r, c.ID, newEmail, request); err != nil {
				return err
			}
		}
		if err := s.audit(ctx, q, r, action, &c.account, nil); err != nil {
			return err
		}
		row, err := q.GetUser(ctx, c.ID)
		changed = account{row.AuthUser, row.Identities}
		return err
	})
	if err != nil {
		return err
	}
	s.gate.Ended(c.ID, ended...)
	if newEmail != "" {
		if err := s.mail.SendAccountMail(ctx, request); err != nil {
			return err // the rest is done, and doing it again does no harm
		}
	}
	s.writeJSON(w, http.StatusOK, changed.shape())
	return nil
}

// newPassword checks and hashes one.
func (s *Server) newPassword(ctx context.Context, user account, password string) (string, error) {
	if err := s.rules().Check(password, text(user.Email)); err != nil {
		return "", err
	}
	if old := text(user.EncryptedPassword); old != "" {
		same, err := s.passwords.Check(ctx, old, password)
		if err != nil {
			return "", err
		}
		if same {
			return "", fail(http.StatusUnprocessableEntity, "same_password", "New password should be different from the old password.")
		}
	}
	return s.passwords.Hash(ctx, password)
}

// signOut answers POST /logout.
func (s *Server) signOut(w http.ResponseWriter, r *http.Request, c caller) error {
	ctx := r.Context()
	var ended []uuid.UUID
	err := s.store.AsService(ctx, func(q *db.Queries) (err error) {
		switch scope := r.URL.Query().Get("scope"); scope {
		case "", "global":
			ended, err = q.DeleteUserSessions(ctx, db.DeleteUserSessionsParams{UserID: c.ID})
		case "others":
			ended, err = q.DeleteUserSessions(ctx, db.DeleteUserSessionsParams{UserID: c.ID, Keep: &c.session})
		case "local":
			ended = []uuid.UUID{c.session}
			err = q.DeleteSession(ctx, c.session)
		default:
			return fail(http.StatusBadRequest, "validation_failed", "Unsupported logout scope: it must be global, local or others")
		}
		if err != nil {
			return err
		}
		return s.audit(ctx, q, r, "logout", &c.account, nil)
	})
	if err != nil {
		return err
	}
	s.gate.Ended(c.ID, ended...)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// A sessionShape is a session as its owner sees it. This is ours: GoTrue has no list.
type sessionShape struct {
	ID         uuid.UUID       `json:"id"`
	Current    bool            `json:"current"`
	CreatedAt  string          `json:"created_at"`
	LastUsedAt string          `json:"last_used_at"`
	UserAgent  string          `json:"user_agent"`
	IP         string          `json:"ip"`
	AMR        json.RawMessage `json:"amr"`
}

func (s *Server) listSessions(w http.ResponseWriter, r *http.Request, c caller) error {
	var rows []db.ListUserSessionsRow
	err := s.store.AsService(r.Context(), func(q *db.Queries) (err error) {
		rows, err = q.ListUserSessions(r.Context(), c.ID)
		return err
	})
	if err != nil {
		return err
	}
	list := make([]sessionShape, len(rows))
	const form = "2006-01-02T15:04:05.000Z07:00"
	for i, row := range rows {
		list[i] = sessionShape{ID: row.ID, Current: row.ID == c.session, CreatedAt: row.CreatedAt.UTC().Format(form), LastUsedAt: row.LastUsedAt.UTC().Format(form),
			UserAgent: row.UserAgent, IP: row.Ip, AMR: row.Amr}
	}
	s.writeJSON(w, http.StatusOK, map[string]any{"sessions": list})
	return nil
}

func (s *Server) revokeSession(w http.ResponseWriter, r *http.Request, c caller) error {
	ctx := r.Context()
	errNone := fail(http.StatusNotFound, "session_not_found", "You have no such session.")
	id, err := uuid.Parse(chi.URLParam(r, "id"))
	if err != nil {
		return errNone
	}
	err = s.store.AsService(ctx, func(q *db.Queries) error {
		gone, err := q.DeleteUserSession(ctx, db.DeleteUserSessionParams{ID: id, UserID: c.ID})
		if err != nil {
			return err
		}
		if gone == 0 {
			return errNone
		}
		return s.audit(ctx, q, r, "session_revoked", &c.account, map[string]any{"session_id": id})
	})
	if err != nil {
		return err
	}
	s.gate.Ended(c.ID, id)
	w.WriteHeader(http.StatusNoContent)
	return nil
}
