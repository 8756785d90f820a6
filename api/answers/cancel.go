package answers

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

// cancel ends an answer at once: its claim ends, so that its run writes nothing more. The run is then asked
// to stop, which ends its calls of the model.
func (s *server) cancel(w http.ResponseWriter, r *http.Request) error {
	id, err := answerID(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	row, err := db.AsUser(ctx, s.Store, token.From(ctx), func(q *db.Queries) (db.CancelAnswerRow, error) {
		return q.CancelAnswer(ctx, db.CancelAnswerParams{
			AnswerID: id, ErrorMessage: outcome.CodeCanceled.AnswerMessage(),
		})
	})
	if err != nil {
		return err
	}
	if rejected, ok := cancelErrors[row.Result]; ok {
		return rejected
	}
	if row.RunID != nil { // otherwise none has begun; the latest may be that of a later request
		s.stopRun(ctx, id, *row.RunID)
	}
	s.Log.InfoContext(ctx, "answer cancelled", "answer_id", id)
	s.edge.WriteJSON(w, http.StatusOK, startedResponse{id, outcome.AnswerCanceled})
	return nil
}

// stopRun asks a run of an answer whose claim has ended to stop. Without that it ends at its next step.
func (s *server) stopRun(ctx context.Context, id uuid.UUID, runID string) {
	err := s.Runner.CancelAnswer(ctx, id, runID)
	if err != nil && !errors.Is(err, temporalclient.ErrNotRunning) {
		s.Log.WarnContext(ctx, "run of an answer not cancelled", "answer_id", id, "error", err)
	}
}

// deleteResponse is the response body of DELETE /api/answer/{answerId}.
type deleteResponse struct {
	AnswerID uuid.UUID `json:"answerId"`
}

// delete deletes an answer, and then asks its run to stop.
func (s *server) delete(w http.ResponseWriter, r *http.Request) error {
	id, err := answerID(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	open, err := db.AsUser(ctx, s.Store, token.From(ctx), func(q *db.Queries) (bool, error) {
		row, err := q.GetAnswer(ctx, id)
		switch {
		case err != nil:
			return false, err
		case !row.MayEdit:
			return false, errForbidden
		}
		_, err = q.DeleteAnswer(ctx, id)
		return row.Answer.FinishedAt == nil, err
	})
	if err != nil {
		return err
	}
	if open {
		s.stopRun(ctx, id, "")
	}
	s.Log.InfoContext(ctx, "answer deleted", "answer_id", id)
	s.edge.WriteJSON(w, http.StatusOK, deleteResponse{id})
	return nil
}
