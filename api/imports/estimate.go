package imports

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

// estimateResponse is the response body of POST /api/import/{importId}/estimate.
type estimateResponse struct {
	ImportID     uuid.UUID  `json:"importId"`
	Calls        int        `json:"calls"`
	Tokens       int64      `json:"tokens"` // of input and output together
	InputTokens  int64      `json:"inputTokens"`
	OutputTokens int64      `json:"outputTokens"`
	Cost         *cost.Cost `json:"cost,omitempty"` // with prices
}

// estimateImport responds with the estimate of a parse. It rejects the same requests as a parse, in the same
// order.
func (s *server) estimateImport(w http.ResponseWriter, r *http.Request) error {
	wanted, err := readParseRequest(w, r)
	if err != nil {
		return err
	}
	id, err := importID(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	if err := s.checkParse(ctx, id, wanted); err != nil {
		return err
	}
	estimate, err := s.estimate(ctx, id, wanted)
	switch {
	case errors.Is(err, admission.ErrBusy):
		return errEstimatesBusy
	case errors.Is(err, db.ErrNotFound): // deleted since the check
		return errImportNotFound
	case err != nil:
		return err
	}
	response := estimateResponse{
		ImportID: id, Calls: estimate.Calls, Tokens: estimate.InputTokens + estimate.OutputTokens,
		InputTokens: estimate.InputTokens, OutputTokens: estimate.OutputTokens,
		Cost: s.Prices.Of(estimate.InputTokens, estimate.OutputTokens),
	}
	s.edge.WriteJSON(w, http.StatusOK, response)
	return nil
}

// checkParse returns the rejection of a parse, or nil if it would start.
func (s *server) checkParse(ctx context.Context, id uuid.UUID, wanted parseRequest) error {
	result, err := db.AsUser(ctx, s.store, token.From(ctx), func(q *db.Queries) (db.PrivateClaimResult, error) {
		return q.CheckParse(ctx, db.CheckParseParams{
			ImportID: id, HypothesisIds: wanted.hypotheses, Refresh: wanted.refresh, ByModel: s.UsesModel,
			QueueLimit: int64(s.QueueLimit), WorkspaceQueueLimit: int64(s.WorkspaceQueueLimit),
		})
	})
	if err != nil || result == db.PrivateClaimResultClaimed {
		return err
	}
	return claimError(id, result)
}

// estimate plans the parse. It waits in the queue of uploads, because it reads a whole transcript as they do.
func (s *server) estimate(ctx context.Context, id uuid.UUID, wanted parseRequest) (Estimate, error) {
	ticket, err := s.uploads.Enter(ctx, admission.Caller{User: token.From(ctx).UserID})
	if err != nil {
		return Estimate{}, err
	}
	defer ticket.Leave()
	if err := ticket.Work(ctx); err != nil {
		return Estimate{}, err
	}
	return s.estimator.EstimateParse(ctx, id, wanted.hypotheses, wanted.refresh)
}
