package findings

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"research/api/admission"
	"research/db"
)

// sharedResponse is the response body of GET /shared. It has findings or a report.
type sharedResponse struct {
	ExpiresAt time.Time       `json:"expiresAt"`
	ShowNames bool            `json:"showNames"`
	Findings  json.RawMessage `json:"findings,omitempty"` // of private.findings, without ids
	Report    json.RawMessage `json:"report,omitempty"`   // of private.report, with its findings
}

// readShared handles GET /shared: it returns the findings, or the report, of a link to anybody with its
// token. All tokens that do not work get the same response.
func (s *server) readShared(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	network := s.networkOf(r)
	if err := s.checkLimit(network); err != nil {
		return err
	}
	scheme, linkToken, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || linkToken == "" {
		return errNoLink
	}
	ticket, err := s.links.Enter(r.Context(), caller(network))
	if err != nil {
		return err
	}
	defer ticket.Leave()
	if err := ticket.Work(r.Context()); err != nil {
		return err
	}
	began := s.Now()
	shared, err := s.sharedFindings(r.Context(), linkToken)
	ticket.Done()
	s.charge(network, s.Now().Sub(began))
	switch {
	case errors.Is(err, db.ErrNotFound):
		return errNoLink
	case err != nil:
		return err
	}
	response := sharedResponse{ExpiresAt: shared.ExpiresAt, ShowNames: shared.ShowNames}
	switch {
	case string(shared.Findings) != "null":
		response.Findings = shared.Findings
	case string(shared.Report) != "null":
		response.Report = shared.Report
	default:
		return errTooLarge
	}
	// A client that does not read must not keep its place. Only tests have no deadlines.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	s.edge.WriteJSON(w, http.StatusOK, response)
	return nil
}

// sharedFindings reads the findings of a link, within the share of connections that all links have. Its error
// is db.ErrNotFound if the link does not work.
func (s *server) sharedFindings(
	ctx context.Context, linkToken string,
) (shared db.GetSharedFindingsRow, err error) {
	err = s.Statements.Do(ctx, admission.Caller{User: readers}, func() error {
		params := db.GetSharedFindingsParams{TokenHash: hashOf(linkToken), MaxBytes: maxBytes}
		shared, err = db.AsServiceWithin(ctx, s.Store, statementTimeout,
			func(q *db.Queries) (db.GetSharedFindingsRow, error) { return q.GetSharedFindings(ctx, params) })
		return err
	})
	return shared, err
}
