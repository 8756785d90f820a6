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
	"research/workflows"
)

// maxHypotheses is how many one parse may be asked about.
const maxHypotheses = 100

// maxParseBody is room for a hundred ids, pretty-printed.
const maxParseBody = 64 << 10

// parseImport claims the import in the database, which lets exactly one of two callers through, and then starts the run. A run that could not be started gives the claim
// back, so that the import is as it was. The order of the checks is part of the interface.
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
	rights, err := s.rights(ctx, id)
	if err != nil {
		return err
	}
	claim := uuid.New()
	before, err := s.claim(ctx, rights, claim, hypotheses)
	if err != nil {
		return err
	}
	run, err := s.parser.StartParse(ctx, workflows.ParseRequest{ImportID: id, ClaimID: claim, WorkspaceID: rights.WorkspaceID, ProjectID: rights.ProjectID})
	if err != nil {
		return s.release(ctx, claim, before, err)
	}
	// The run writes its id itself as it begins; this only makes it show while it still waits.
	if err := s.store.AsService(ctx, func(q *db.Queries) error {
		return q.RecordRun(ctx, db.RecordRunParams{ImportID: id, ClaimID: claim, WorkflowID: run.WorkflowID, RunID: run.RunID})
	}); err != nil {
		s.log.WarnContext(ctx, "run not recorded", "import_id", id, "error", err)
	}
	s.log.InfoContext(ctx, "parse started", "import_id", id, "workflow_id", run.WorkflowID, "run_id", run.RunID, "hypotheses", len(hypotheses))
	s.edge.WriteJSON(w, http.StatusOK, map[string]any{"importId": id, "status": string(db.ImportStatusQueued), "workflowId": run.WorkflowID, "runId": run.RunID})
	return nil
}

// claim checks the hypotheses and claims the import, as the caller. It returns the row as it was.
func (s *Server) claim(ctx context.Context, rights db.GetImportRightsRow, claim uuid.UUID, hypotheses []uuid.UUID) (json.RawMessage, error) {
	return db.AsUser(ctx, s.store, token.From(ctx), func(q *db.Queries) (json.RawMessage, error) {
		known, err := q.ListHypothesisIDs(ctx, db.ListHypothesisIDsParams{ProjectID: rights.ProjectID, Ids: hypotheses})
		if err != nil {
			return nil, err
		}
		if len(known) != len(hypotheses) {
			return nil, unprocessable("hypothesis_not_found",
				"At least one of the hypotheses does not exist in the import's project.")
		}
		before, err := q.ClaimImport(ctx, db.ClaimImportParams{ImportID: rights.ID, ClaimID: claim, HypothesisIds: hypotheses})
		if err != nil {
			return nil, err
		}
		if before != nil {
			return before, s.checkQueue(ctx, q, rights.WorkspaceID)
		}
		now, err := q.GetImportRights(ctx, rights.ID)
		if err != nil {
			return nil, err
		}
		if now.Status == db.ImportStatusParsed {
			return nil, unprocessable("import_already_parsed", "This import is already parsed.")
		}
		return nil, unprocessable("import_already_parsing", "This import is being parsed right now.")
	})
}

// checkQueue refuses a claim, which its transaction then undoes, where there are too many. Requests of the same moment do not see each other: the limits are no exact ones.
func (s *Server) checkQueue(ctx context.Context, q *db.Queries, workspace uuid.UUID) error {
	if s.limit == 0 && s.share == 0 {
		return nil
	}
	queue, err := q.QueueLength(ctx, workspace)
	switch {
	case err != nil:
		return err
	case s.share > 0 && queue.OfWorkspace > s.share:
		return errWorkspaceQueueFull
	case s.limit > 0 && queue.Everybody > s.limit:
		return errQueueFull
	}
	return nil
}

// release gives a claim back after the run could not be started. Even if the client is gone.
func (s *Server) release(ctx context.Context, claim uuid.UUID, before json.RawMessage, cause error) error {
	apart, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := s.store.AsUser(apart, token.From(ctx), func(q *db.Queries) error {
		_, err := q.ReleaseImport(apart, db.ReleaseImportParams{ClaimID: claim, Before: before})
		return err
	})
	if err != nil {
		// The reconciler starts what was claimed and never started.
		s.log.ErrorContext(ctx, "claim not released", "error", err)
	}
	return cause
}

// readHypothesisIDs reads {"hypothesisIds": [uuid, …]}: non-empty, at most a hundred, duplicates counted once.
func readHypothesisIDs(w http.ResponseWriter, r *http.Request) ([]uuid.UUID, error) {
	const field = "hypothesisIds"
	var body struct {
		HypothesisIDs *[]string `json:"hypothesisIds"`
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxParseBody))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&body)
	if err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("more than one value")
		}
	}
	if err != nil {
		return nil, &problem.Error{Status: http.StatusBadRequest, Code: "invalid_request",
			Message: `The body must be JSON of the form {"hypothesisIds": ["<uuid>", …]}.`, Details: problem.Fields{"body": "not the expected JSON"}, Cause: err}
	}
	switch {
	case body.HypothesisIDs == nil:
		return nil, problem.Invalid(field, "hypothesisIds is missing: list the ids of the hypotheses to look for.")
	case len(*body.HypothesisIDs) == 0:
		return nil, problem.Invalid(field, "hypothesisIds is empty: list at least one hypothesis.")
	case len(*body.HypothesisIDs) > maxHypotheses:
		return nil, problem.Invalid(field, fmt.Sprintf("hypothesisIds lists more than %d hypotheses.", maxHypotheses))
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
