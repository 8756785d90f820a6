package imports

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"research/api/idempotency"
	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/outcome"
	"research/temporalclient"
)

// parseResponse is the response body of POST /api/import/{importId}/parse.
type parseResponse struct {
	ImportID   uuid.UUID      `json:"importId"`
	Status     outcome.Status `json:"status"`
	WorkflowID string         `json:"workflowId"`
	RunID      string         `json:"runId"`
}

// parseImport claims the import and starts its run, if Temporal is available. The claim admits one of two
// concurrent requests. If the run still cannot be started, the claim is released, and the import is
// unchanged. The order of the checks is part of the interface.
func (s *server) parseImport(w http.ResponseWriter, r *http.Request) error {
	wanted, err := readParseRequest(w, r)
	if err != nil {
		return err
	}
	id, err := importID(r)
	if err != nil {
		return err
	}
	key, err := idempotency.ReadKey(r)
	if err != nil {
		return err
	}
	key.Fingerprint = wanted.fingerprint()
	ctx := r.Context()
	return key.Answer(ctx, w, s.edge, s.store, s.settle, http.StatusOK, func() ([]byte, error) {
		return s.startParse(ctx, id, wanted, key)
	})
}

// startParse claims the import, starts its run, and returns the response. Its error is
// idempotency.ErrAnswered if another request with the key came first.
func (s *server) startParse(
	ctx context.Context, id uuid.UUID, wanted parseRequest, key idempotency.Key,
) ([]byte, error) {
	if err := s.parser.Available(ctx); err != nil {
		return nil, err // nothing was written
	}
	request, err := s.claimImport(ctx, id, wanted, key)
	if err != nil {
		return nil, err
	}
	run, err := s.parser.StartParse(ctx, request)
	if err != nil {
		s.releaseImport(ctx, request)
		return nil, err
	}
	s.log.InfoContext(ctx, "parse started", "import_id", id,
		"workflow_id", run.WorkflowID, "run_id", run.RunID, "hypotheses", len(wanted.hypotheses),
		"refresh", wanted.refresh)
	body, err := problem.Encode(parseResponse{
		ImportID: id, Status: outcome.StatusQueued, WorkflowID: run.WorkflowID, RunID: run.RunID,
	})
	if err != nil || key.IsZero() {
		return body, err
	}
	if err := s.completeResponse(ctx, key, request.ClaimID, body); err != nil {
		// The parse has started, and will soon be recorded in the database. A later request builds the response
		// from that.
		s.log.WarnContext(ctx, "answer not stored", "import_id", id, "error", err)
	}
	return body, nil
}

// claimImport claims the import as the caller, and stores the claim under the key. The database checks
// rights, hypotheses, status and queue.
func (s *server) claimImport(
	ctx context.Context, id uuid.UUID, wanted parseRequest, key idempotency.Key,
) (temporalclient.ParseRequest, error) {
	claim := uuid.New()
	row, err := db.AsUser(ctx, s.store, token.From(ctx), func(q *db.Queries) (db.ClaimImportRow, error) {
		row, err := q.ClaimImport(ctx, db.ClaimImportParams{
			ImportID: id, ClaimID: claim, HypothesisIds: wanted.hypotheses, Refresh: wanted.refresh,
			ByModel:    s.UsesModel,
			QueueLimit: int64(s.QueueLimit), WorkspaceQueueLimit: int64(s.WorkspaceQueueLimit),
		})
		if err != nil || row.Result != db.PrivateClaimResultClaimed {
			return row, err
		}
		return row, key.Remember(ctx, q, db.RememberResponseParams{ImportID: &id, ClaimID: &claim})
	})
	if err != nil {
		return temporalclient.ParseRequest{}, err
	}
	if row.Result != db.PrivateClaimResultClaimed {
		return temporalclient.ParseRequest{}, claimError(id, row.Result)
	}
	return temporalclient.ParseRequest{
		ImportID: id, ClaimID: claim, WorkspaceID: row.WorkspaceID, ProjectID: row.ProjectID,
		CheckSpeakers: row.CheckSpeakers,
	}, nil
}

// releaseTimeout bounds the release of a claim, which does not end with the request.
const releaseTimeout = 10 * time.Second

// releaseImport undoes a claim whose run could not be started. If that fails, the reconciler starts the run.
func (s *server) releaseImport(ctx context.Context, request temporalclient.ParseRequest) {
	detachedCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	_, err := db.AsUser(detachedCtx, s.store, token.From(ctx), func(q *db.Queries) (bool, error) {
		return q.ReleaseImport(detachedCtx, db.ReleaseImportParams{
			ImportID: request.ImportID, ClaimID: request.ClaimID,
		})
	})
	if err != nil {
		s.log.ErrorContext(ctx, "claim not released", "import_id", request.ImportID, "error", err)
	}
}

const (
	// maxHypotheses is how many hypotheses one parse may have.
	maxHypotheses = 100
	// maxParseBody is far larger than a hundred ids, so that a list that is too long gets its own error.
	maxParseBody = 1 << 20
)

// A parseRequest is the body of a request to parse.
type parseRequest struct {
	hypotheses []uuid.UUID // without duplicates
	refresh    bool        // read again what was read before
}

// fingerprint identifies the content of the request, whatever its formatting.
func (p parseRequest) fingerprint() []byte {
	sum := sha256.New()
	for _, id := range p.hypotheses {
		sum.Write(id[:])
	}
	if p.refresh {
		sum.Write([]byte("refresh"))
	}
	return sum.Sum(nil)
}

// readParseRequest reads {"hypothesisIds": [uuid, …], "refresh": false}: at least one id and at most a
// hundred. Duplicates are removed; refresh may be left out.
func readParseRequest(w http.ResponseWriter, r *http.Request) (parseRequest, error) {
	const field = "hypothesisIds"
	var body struct {
		HypothesisIDs *[]string `json:"hypothesisIds"`
		Refresh       bool      `json:"refresh"`
	}
	var wanted parseRequest
	err := problem.ReadJSON(w, r, maxParseBody, &body)
	var known *problem.Error
	switch {
	case errors.As(err, &known):
		return wanted, err
	case err != nil:
		return wanted, &problem.Error{
			Status: http.StatusBadRequest, Code: "invalid_request",
			Message: `The body must be JSON of the form {"hypothesisIds": ["<uuid>", …]}, with "refresh": true ` +
				`to read again what was read before.`,
			Details: problem.Fields{"body": "not the expected JSON"}, Cause: err,
		}
	}
	switch {
	case body.HypothesisIDs == nil:
		return wanted, problem.Invalid(field, "hypothesisIds is missing: list the ids of the hypotheses to look "+
			"for.")
	case len(*body.HypothesisIDs) == 0:
		return wanted, problem.Invalid(field, "hypothesisIds is empty: list at least one hypothesis.")
	case len(*body.HypothesisIDs) > maxHypotheses:
		return wanted, problem.Invalid(field,
			fmt.Sprintf("hypothesisIds lists more than %d hypotheses.", maxHypotheses))
	}
	seen := map[uuid.UUID]bool{}
	wanted.refresh = body.Refresh
	for i, text := range *body.HypothesisIDs {
		id, err := uuid.Parse(text)
		if err != nil || len(text) != 36 {
			return wanted, problem.Invalid(field, fmt.Sprintf("hypothesisIds[%d] is not a UUID.", i))
		}
		if !seen[id] {
			seen[id] = true
			wanted.hypotheses = append(wanted.hypotheses, id)
		}
	}
	return wanted, nil
}
