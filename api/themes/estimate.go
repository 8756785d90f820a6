package themes

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"research/api/admission"
	"research/api/cost"
	"research/api/token"
	"research/db"
)

// estimateResponse is the response body of POST /api/project/{projectId}/themes/estimate.
type estimateResponse struct {
	Calls        int        `json:"calls"`
	InputTokens  int64      `json:"inputTokens"`
	OutputTokens int64      `json:"outputTokens"`
	Cost         *cost.Cost `json:"cost,omitempty"` // with prices
	Imports      int        `json:"imports"`
}

// estimate responds with what it would take to propose themes now, for those who may do so.
func (s *server) estimate(w http.ResponseWriter, r *http.Request) error {
	if err := readNothing(w, r); err != nil {
		return err
	}
	project, err := projectID(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	if err := s.mayPropose(ctx, project); err != nil {
		return err
	}
	estimate, err := s.plan(ctx, project)
	if errors.Is(err, admission.ErrBusy) {
		return errEstimatesBusy
	}
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, estimateResponse{
		Calls: estimate.Calls, InputTokens: estimate.InputTokens, OutputTokens: estimate.OutputTokens,
		Cost:    s.Prices.Of(estimate.InputTokens, estimate.OutputTokens),
		Imports: estimate.Imports,
	})
	return nil
}

// mayPropose returns an error unless the caller may have themes proposed for a project, and there is a model.
func (s *server) mayPropose(ctx context.Context, project uuid.UUID) error {
	return s.Store.AsUser(ctx, token.From(ctx), func(q *db.Queries) error {
		mayEdit, err := q.FindEditableProject(ctx, project)
		switch {
		case err != nil:
			return err
		case !mayEdit:
			return errForbidden
		case !s.UsesModel:
			return errNoModel
		}
		return nil
	})
}

// plan estimates in the queue of estimates, because it reads the transcripts of the project.
func (s *server) plan(ctx context.Context, project uuid.UUID) (Estimate, error) {
	ticket, err := s.Estimates.Enter(ctx, admission.Caller{User: token.From(ctx).UserID})
	if err != nil {
		return Estimate{}, err
	}
	defer ticket.Leave()
	if err := ticket.Work(ctx); err != nil {
		return Estimate{}, err
	}
	return s.Estimator.EstimateThemes(ctx, project)
}
