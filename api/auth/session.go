package auth

import (
	"cmp"
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"research/identity"
)

// signOut handles POST /logout.
func (s *server) signOut(w http.ResponseWriter, r *http.Request, current identity.CurrentUser) error {
	scope := identity.SignOutScope(cmp.Or(r.URL.Query().Get("scope"), string(identity.SignOutGlobal)))
	switch scope {
	case identity.SignOutGlobal, identity.SignOutLocal, identity.SignOutOthers:
	default:
		return invalid("Unsupported logout scope: it must be global, local or others")
	}
	if err := s.identity.SignOut(r.Context(), s.client(r), current, scope); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// A listedSession is a session in the list of its user. GoTrue has no such list.
type listedSession struct {
	ID         uuid.UUID       `json:"id"`
	Current    bool            `json:"current"`
	CreatedAt  string          `json:"created_at"`
	LastUsedAt string          `json:"last_used_at"`
	NotAfter   *string         `json:"not_after"` // null means without limit
	UserAgent  string          `json:"user_agent"`
	IP         string          `json:"ip"`
	AMR        json.RawMessage `json:"amr"`
}

// listSessions handles GET /sessions.
func (s *server) listSessions(w http.ResponseWriter, r *http.Request, current identity.CurrentUser) error {
	rows, err := s.identity.Sessions(r.Context(), current.ID)
	if err != nil {
		return err
	}
	list := make([]listedSession, len(rows))
	for i, row := range rows {
		list[i] = listedSession{
			ID:         row.ID,
			Current:    row.ID == current.SessionID,
			CreatedAt:  inMilliseconds(row.CreatedAt),
			LastUsedAt: inMilliseconds(row.LastUsedAt),
			NotAfter:   end(row.NotAfter),
			UserAgent:  row.UserAgent,
			IP:         row.Ip,
			AMR:        row.Amr,
		}
	}
	s.edge.WriteJSON(w, http.StatusOK, map[string]any{"sessions": list})
	return nil
}

func end(notAfter *time.Time) *string {
	if notAfter == nil {
		return nil
	}
	return new(inMilliseconds(*notAfter))
}

func inMilliseconds(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

// revokeSession handles DELETE /sessions/{id}.
func (s *server) revokeSession(w http.ResponseWriter, r *http.Request, current identity.CurrentUser) error {
	id, err := pathID(r, identity.ErrSessionNotFound)
	if err != nil {
		return err
	}
	if err := s.identity.RevokeSession(r.Context(), s.client(r), current, id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
