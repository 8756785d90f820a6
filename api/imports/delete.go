package imports

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"research/api/problem"
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
// With ?keep=true, it can be restored for a day.
func (s *server) deleteImport(w http.ResponseWriter, r *http.Request) error {
	id, err := importID(r)
	if err != nil {
		return errNoSuchImport
	}
	keep, err := isKept(r)
	if err != nil {
		return err
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
	counts, err := db.AsUser(ctx, s.store, user, func(q *db.Queries) (deleted, error) {
		if keep {
			row, err := q.SetImportAside(ctx, id)
			return deleted(row), err
		}
		row, err := q.DeleteImport(ctx, id)
		return deleted(row), err
	})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return errNoSuchImport
	case err != nil:
		return err
	}
	if row.Status.Open() {
		err := s.parser.CancelParse(ctx, id)
		if err != nil && !errors.Is(err, temporalclient.ErrNotRunning) {
			s.log.WarnContext(ctx, "run of a deleted import not cancelled", "import_id", id, "error", err)
		}
	}
	s.answerDeletion(w, r, id, counts)
	return nil
}

// forgetImport deletes for good an import that could be restored. Not one that somebody has restored
// meanwhile.
func (s *server) forgetImport(w http.ResponseWriter, r *http.Request) error {
	id, err := importID(r)
	if err != nil {
		return errNoSuchImport
	}
	ctx := r.Context()
	forget := func(q *db.Queries) (db.ForgetDeletedImportRow, error) { return q.ForgetDeletedImport(ctx, id) }
	counts, err := db.AsUser(ctx, s.store, token.From(ctx), forget)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return errNoSuchImport
	case err != nil:
		return err
	}
	s.answerDeletion(w, r, id, deleted(counts))
	return nil
}

func (s *server) answerDeletion(w http.ResponseWriter, r *http.Request, id uuid.UUID, counts deleted) {
	s.log.InfoContext(r.Context(), "import deleted", "import_id", id, "evidence", counts.Evidence,
		"utterances", counts.Utterances)
	s.edge.WriteJSON(w, http.StatusOK, deleteResponse{ImportID: id, Deleted: counts})
}

// isKept reports whether the query says that the import can be restored.
func isKept(r *http.Request) (bool, error) {
	values, given := r.URL.Query()["keep"]
	if !given {
		return false, nil
	}
	keep, err := strconv.ParseBool(values[0])
	if err != nil || len(values) > 1 {
		return false, problem.Invalid("keep", "keep must be given once, as true or false.")
	}
	return keep, nil
}

// restoreResponse is the response body of POST /api/import/{importId}/restore.
type restoreResponse struct {
	ImportID uuid.UUID `json:"importId"`
}

// restoreTimeout is for the largest interviews: each turn is stored, and each quote is proven again.
const restoreTimeout = 4 * time.Minute

// restoreImport restores an import that was deleted with ?keep=true.
func (s *server) restoreImport(w http.ResponseWriter, r *http.Request) error {
	id, err := importID(r)
	if err != nil {
		return errNoSuchImport
	}
	ctx := r.Context()
	restore := func(q *db.Queries) (bool, error) { return q.RestoreImport(ctx, id) }
	restored, err := db.AsUserWithin(ctx, s.store, token.From(ctx), restoreTimeout, restore)
	switch {
	case err != nil:
		return err
	case !restored:
		return errNoSuchImport
	}
	s.log.InfoContext(ctx, "import restored", "import_id", id)
	s.edge.WriteJSON(w, http.StatusOK, restoreResponse{id})
	return nil
}
