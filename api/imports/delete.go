package imports

import (
	"errors"
	"net/http"

	"github.com/google/uuid"

	"research/api/token"
	"research/db"
	"research/temporalclient"
)

// deleteResponse is the response body of DELETE /api/import/{importId}.
type deleteResponse struct {
	ImportID uuid.UUID `json:"importId"`
	Deleted  deleted   `json:"deleted"`
}

// deleted counts what was deleted with an import.
type deleted struct {
	Evidence   int64 `json:"evidence"`
	Utterances int64 `json:"utterances"`
}

// deleteImport deletes an import with its transcript, its answers and its evidence, and then requests the
// cancellation of its run. It does not wait for the run, which finds that its claim is gone and writes
// nothing.
func (s *server) deleteImport(w http.ResponseWriter, r *http.Request) error {
	id, err := importID(r)
	if err != nil {
		return errNoSuchImport
	}
	ctx := r.Context()
	user := token.From(ctx)
	row, err := db.AsUser(ctx, s.store, user, func(q *db.Queries) (db.GetImportForCancelRow, error) {
		return q.GetImportForCancel(ctx, id)
	})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return errNoSuchImport
	case err != nil:
		return err
	case !row.MayEdit:
		return errForbidden
	}
	counts, err := db.AsUser(ctx, s.store, user, func(q *db.Queries) (db.DeleteImportRow, error) {
		return q.DeleteImport(ctx, id)
	})
	if err != nil {
		return err
	}
	if row.Status.Open() {
		err := s.parser.CancelParse(ctx, id)
		if err != nil && !errors.Is(err, temporalclient.ErrNotRunning) {
			s.log.WarnContext(ctx, "run of a deleted import not cancelled", "import_id", id, "error", err)
		}
	}
	s.log.InfoContext(ctx, "import deleted", "import_id", id, "evidence", counts.Evidence,
		"utterances", counts.Utterances)
	s.edge.WriteJSON(w, http.StatusOK, deleteResponse{ImportID: id, Deleted: deleted(counts)})
	return nil
}
