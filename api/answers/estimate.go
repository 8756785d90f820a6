package answers

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"research/api/admission"
	"research/api/cost"
	"research/api/token"
	"research/db"
	"research/outcome"
)

// estimateResponse is the response body of POST /api/answer/{answerId}/estimate.
type estimateResponse struct {
	Mode         outcome.AnswerMode `json:"mode"`
	Calls        int                `json:"calls"`
	InputTokens  int64              `json:"inputTokens"`
	OutputTokens int64              `json:"outputTokens"`
	Cost         *cost.Cost         `json:"cost,omitempty"` // with prices
	Imports      int                `json:"imports"`
	Passages     int                `json:"passages"`
}

// estimate responds with what asking again would take, for those who may ask.
func (s *server) estimate(w http.ResponseWriter, r *http.Request) error {
	mode, err := readMode(w, r, s.modes())
	if err != nil {
		return err
	}
	if mode == nil {
		most := s.modes().most()
		mode = &most
	}
	id, err := answerID(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	err = s.Store.AsUser(ctx, token.From(ctx), func(q *db.Queries) error {
		row, err := q.GetAnswer(ctx, id)
		if err == nil && !row.MayEdit {
			err = errForbidden
		}
		return err
	})
	if err != nil {
		return err
	}
	estimate, err := s.plan(ctx, id, *mode)
	if errors.Is(err, admission.ErrBusy) {
		return errEstimatesBusy
	}
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, estimateResponse{
		Mode: *mode, Calls: estimate.Calls, InputTokens: estimate.InputTokens, OutputTokens: estimate.OutputTokens,
		Cost:    s.Prices.Of(estimate.InputTokens, estimate.OutputTokens),
		Imports: estimate.Imports, Passages: estimate.Passages,
	})
	return nil
}

// plan estimates in the queue of estimates, because it reads the transcripts of the scope.
func (s *server) plan(ctx context.Context, id uuid.UUID, mode outcome.AnswerMode) (Estimate, error) {
	ticket, err := s.Estimates.Enter(ctx, admission.Caller{User: token.From(ctx).UserID})
	if err != nil {
		return Estimate{}, err
	}
	defer ticket.Leave()
	if err := ticket.Work(ctx); err != nil {
		return Estimate{}, err
	}
	return s.Estimator.EstimateAnswer(ctx, id, mode)
}
