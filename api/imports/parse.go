package imports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"

	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/outcome"
	"research/temporalclient"
)

// parseResponse is the answer of POST /api/import/{importId}/parse.
type parseResponse struct {
	ImportID   uuid.UUID      `json:"importId"`
	Status     outcome.Status `json:"status"`
	WorkflowID string         `json:"workflowId"`
	RunID      string         `json:"runId"`
}

// parseImport claims the import and starts its run. The claim admits one of two concurrent requests. If the
// run cannot be started, the claim is released, and the import is as it was. The order of the checks is part
// of the interface.
func (s *Server) parseImport(w http.ResponseWriter, r *http.Request) error {
	hypotheses, err := readHypothesisIDs(w, r)
	if err != nil {
		return err
	}
	id, err := importID(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	request, err := s.claimImport(ctx, id, hypotheses)
	if err != nil {
		return err
	}
	run, err := s.parser.StartParse(ctx, request)
	if err != nil {
		s.releaseImport(ctx, request)
		return err
	}
	s.log.InfoContext(ctx, "parse started", "import_id", id,
		"workflow_id", run.WorkflowID, "run_id", run.RunID, "hypotheses", len(hypotheses))
	s.edge.WriteJSON(w, http.StatusOK, parseResponse{
		ImportID: id, Status: outcome.StatusQueued, WorkflowID: run.WorkflowID, RunID: run.RunID,
	})
	return nil
}

// claimErrors are the answers to claims that the database rejects.
var claimErrors = map[db.PrivateClaimResult]*problem.Error{
	db.PrivateClaimResultImportNotFound:       errImportNotFound,
	db.PrivateClaimResultForbidden:            errForbidden,
	db.PrivateClaimResultHypothesisNotFound:   errHypothesisNotFound,
	db.PrivateClaimResultImportAlreadyParsed:  errAlreadyParsed,
	db.PrivateClaimResultImportAlreadyParsing: errAlreadyParsing,
	db.PrivateClaimResultWorkspaceQueueFull:   errWorkspaceQueueFull,
	db.PrivateClaimResultQueueFull:            errQueueFull,
}

// claimImport claims the import as the caller. The database checks rights, hypotheses, status and queue.
func (s *Server) claimImport(
	ctx context.Context, id uuid.UUID, hypotheses []uuid.UUID,
) (temporalclient.ParseRequest, error) {
	claim := uuid.New()
	row, err := db.AsUser(ctx, s.store, token.From(ctx), func(q *db.Queries) (db.ClaimImportRow, error) {
		return q.ClaimImport(ctx, db.ClaimImportParams{
			ImportID: id, ClaimID: claim, HypothesisIds: hypotheses,
			QueueLimit: s.queueLimit, WorkspaceQueueLimit: s.workspaceQueueLimit,
		})
	})
	if err != nil {
		return temporalclient.ParseRequest{}, err
	}
	if row.Result != db.PrivateClaimResultClaimed {
		if rejected, ok := claimErrors[row.Result]; ok {
			return temporalclient.ParseRequest{}, rejected
		}
		return temporalclient.ParseRequest{}, fmt.Errorf("claim import %s: unknown result %q", id, row.Result)
	}
	return temporalclient.ParseRequest{
		ImportID: id, ClaimID: claim, WorkspaceID: row.WorkspaceID, ProjectID: row.ProjectID,
	}, nil
}

// releaseTimeout bounds the release of a claim, which does not end with the request.
const releaseTimeout = 10 * time.Second

// releaseImport undoes a claim whose run could not be started. If that fails, the reconciler starts the run.
func (s *Server) releaseImport(ctx context.Context, request temporalclient.ParseRequest) {
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
	// maxParseBody is room for a hundred ids, pretty-printed.
	maxParseBody = 64 << 10
)

// readHypothesisIDs reads {"hypothesisIds": [uuid, …]}: at least one id and at most a hundred. Duplicates are
// removed.
func readHypothesisIDs(w http.ResponseWriter, r *http.Request) ([]uuid.UUID, error) {
	const field = "hypothesisIds"
	var body struct {
		HypothesisIDs *[]string `json:"hypothesisIds"`
	}
	if err := decodeJSON(http.MaxBytesReader(w, r.Body, maxParseBody), &body); err != nil {
		return nil, &problem.Error{
			Status: http.StatusBadRequest, Code: "invalid_request",
			Message: `The body must be JSON of the form {"hypothesisIds": ["<uuid>", …]}.`,
			Details: problem.Fields{"body": "not the expected JSON"}, Cause: err,
		}
	}
	switch {
	case body.HypothesisIDs == nil:
		return nil, problem.Invalid(field, "hypothesisIds is missing: list the ids of the hypotheses to look for.")
	case len(*body.HypothesisIDs) == 0:
		return nil, problem.Invalid(field, "hypothesisIds is empty: list at least one hypothesis.")
	case len(*body.HypothesisIDs) > maxHypotheses:
		return nil, problem.Invalid(field,
			fmt.Sprintf("hypothesisIds lists more than %d hypotheses.", maxHypotheses))
	}
	seen := map[uuid.UUID]bool{}
	var ids []uuid.UUID
	for i, text := range *body.HypothesisIDs {
		id, err := uuid.Parse(text)
		if err != nil || len(text) != 36 {
			return nil, problem.Invalid(field, fmt.Sprintf("hypothesisIds[%d] is not a UUID.", i))
		}
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// decodeJSON decodes exactly one JSON value without unknown fields.
func decodeJSON(body io.Reader, into any) error {
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one value")
	}
	return nil
}
