package imports

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"research/api/idempotency"
	"research/api/problem"
	"research/db"
	"research/outcome"
)

// findResponse returns the response to the first request with the key, or nil if there was none.
func (s *server) findResponse(ctx context.Context, key idempotency.Key) (*idempotency.Response, error) {
	return key.Find(ctx, s.store, s.settle)
}

// settle returns the response to a parse that has begun, although its request ended before it was stored.
func (s *server) settle(
	ctx context.Context, key idempotency.Key, row db.GetRememberedResponseRow,
) (*idempotency.Response, error) {
	switch {
	case !row.IsClaimed:
		// The parse was not started, or was cancelled before it began and without an answer.
		if err := s.forgetClaim(ctx, key, *row.ClaimID); err != nil {
			return nil, err
		}
		return nil, idempotency.ErrForgotten
	case row.RunID != nil:
		return s.completeParse(ctx, key, row)
	}
	return nil, nil
}

// completeParse creates the response to a parse whose request ended before its response was stored.
func (s *server) completeParse(
	ctx context.Context, key idempotency.Key, row db.GetRememberedResponseRow,
) (*idempotency.Response, error) {
	body, err := problem.Encode(parseResponse{
		ImportID: *row.ImportID, Status: outcome.StatusQueued, WorkflowID: *row.WorkflowID, RunID: *row.RunID,
	})
	if err != nil {
		return nil, err
	}
	if err := s.completeResponse(ctx, key, *row.ClaimID, body); err != nil {
		return nil, err
	}
	return &idempotency.Response{Fingerprint: row.Fingerprint, Status: http.StatusOK, Body: body}, nil
}

// completeResponse stores the response to a parse that has started.
func (s *server) completeResponse(
	ctx context.Context, key idempotency.Key, claim uuid.UUID, body []byte,
) error {
	return s.store.AsService(ctx, func(q *db.Queries) error {
		return q.CompleteResponse(ctx, db.CompleteResponseParams{
			UserID: key.User, Key: key.Hash, ClaimID: claim, Status: http.StatusOK, Body: body,
		})
	})
}

func (s *server) forgetClaim(ctx context.Context, key idempotency.Key, claim uuid.UUID) error {
	return s.store.AsService(ctx, func(q *db.Queries) error {
		return q.ForgetClaim(ctx, db.ForgetClaimParams{UserID: key.User, Key: key.Hash, ClaimID: claim})
	})
}
