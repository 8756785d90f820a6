package imports

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"research/api/token"
	"research/db"
	"research/outcome"
	"research/temporalclient"
)

// statusCanceling is the status of a cancel request whose run has yet to stop.
const statusCanceling outcome.Status = "canceling"

// cancelResponse is the response body of POST /api/import/{importId}/cancel.
type cancelResponse struct {
	ImportID uuid.UUID      `json:"importId"`
	Status   outcome.Status `json:"status"` // canceling, or canceled if no run had begun
}

// cancelImport requests the cancellation of an import's run. The import becomes canceled when the run has
// stopped. A claim without a run is withdrawn at once.
func (s *server) cancelImport(w http.ResponseWriter, r *http.Request) error {
	id, err := importID(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	row, err := db.AsUser(ctx, s.store, token.From(ctx), func(q *db.Queries) (db.GetImportForCancelRow, error) {
		return q.GetImportForCancel(ctx, id)
	})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return errImportNotFound
	case err != nil:
		return err
	case !row.MayEdit:
		return errForbidden
	case !row.Status.Open():
		return errNotParsing
	}
	if err := s.recordCancel(ctx, id); err != nil {
		return err
	}
	status := statusCanceling
	err = s.parser.CancelParse(ctx, id)
	if errors.Is(err, temporalclient.ErrNotRunning) {
		status, err = outcome.StatusCanceled, s.withdrawClaim(ctx, id, row.ClaimID)
	}
	if err != nil {
		return err
	}
	s.log.InfoContext(ctx, "parse cancelled", "import_id", id, "status", status)
	s.edge.WriteJSON(w, http.StatusOK, cancelResponse{ImportID: id, Status: status})
	return nil
}

// recordCancel records the request. If no worker can cancel the run, the reconciler terminates it.
func (s *server) recordCancel(ctx context.Context, id uuid.UUID) error {
	return s.store.AsService(ctx, func(q *db.Queries) error { return q.RequestCancel(ctx, id) })
}

// withdrawClaim cancels a claim without a run. It returns errNotParsing if the run has begun meanwhile: it
// has just ended, or the reconciler will record its end.
func (s *server) withdrawClaim(ctx context.Context, id uuid.UUID, claim *uuid.UUID) error {
	if claim == nil {
		return errNotParsing
	}
	withdrawn, err := db.AsService(ctx, s.store, func(q *db.Queries) (int64, error) {
		return q.WithdrawImport(ctx, db.WithdrawImportParams{
			ImportID: id, ClaimID: *claim, ErrorMessage: "Parsing was cancelled before it began.",
		})
	})
	if err == nil && withdrawn == 0 {
		return errNotParsing
	}
	return err
}
