package findings

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"research/db"
)

// sharedResponse is the response body of GET /shared.
type sharedResponse struct {
	ExpiresAt time.Time       `json:"expiresAt"`
	ShowNames bool            `json:"showNames"`
	Findings  json.RawMessage `json:"findings"` // of private.findings, without ids
}

// readShared handles GET /shared: it returns the findings of a link to anybody with its token. All tokens
// that do not work get the same response.
func (s *server) readShared(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	if err := s.checkLimit(r); err != nil {
		return err
	}
	scheme, linkToken, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || linkToken == "" {
		return errNoLink
	}
	shared, err := db.AsService(r.Context(), s.Store, func(q *db.Queries) (db.GetSharedFindingsRow, error) {
		return q.GetSharedFindings(r.Context(), hashOf(linkToken))
	})
	if errors.Is(err, db.ErrNotFound) {
		return errNoLink
	}
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, sharedResponse(shared))
	return nil
}
