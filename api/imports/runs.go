package imports

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"research/api/token"
	"research/db"
	"research/outcome"
)

// maxRuns bounds the response of GET /api/import/{importId}/runs.
const maxRuns = 50

// runsResponse is the response body of GET /api/import/{importId}/runs.
type runsResponse struct {
	ImportID uuid.UUID     `json:"importId"`
	Runs     []runResponse `json:"runs"` // newest first
}

// runResponse is one request to parse an import.
type runResponse struct {
	ID            uuid.UUID      `json:"id"`
	Status        outcome.Status `json:"status"`
	ErrorCode     *string        `json:"errorCode"`
	RequestedBy   *uuid.UUID     `json:"requestedBy"`
	HypothesisIDs []uuid.UUID    `json:"hypothesisIds"`
	Refresh       bool           `json:"refresh"`
	Extractor     *string        `json:"extractor"`
	Model         *string        `json:"model"`
	PromptVersion *string        `json:"promptVersion"`
	Calls         int32          `json:"calls"`
	InputTokens   int64          `json:"inputTokens"`
	OutputTokens  int64          `json:"outputTokens"`
	QueuedAt      time.Time      `json:"queuedAt"`
	StartedAt     *time.Time     `json:"startedAt"`
	FirstCallAt   *time.Time     `json:"firstCallAt"`
	FinishedAt    *time.Time     `json:"finishedAt"`
	Added         []runChange    `json:"added"`
	Changed       []runChange    `json:"changed"`
	Gone          []runChange    `json:"gone"`
	// Discarded are the quotes that did not become evidence, as the worker stored them; at most 200.
	Discarded json.RawMessage `json:"discarded"`
}

// A runChange is what a run changed about a piece of evidence and a hypothesis.
type runChange struct {
	EvidenceID   uuid.UUID  `json:"evidenceId"`
	HypothesisID uuid.UUID  `json:"hypothesisId"`
	Quote        string     `json:"quote"`
	Before       *judgement `json:"before,omitempty"` // absent for added evidence
	After        *judgement `json:"after,omitempty"`  // absent for evidence that is gone
	// Kept means that the run no longer found the evidence, but that it stays because a person accepted or
	// edited it.
	Kept bool `json:"kept,omitempty"`
}

// A judgement is the stance of evidence on a hypothesis.
type judgement struct {
	Stance   string `json:"stance"`
	Strength string `json:"strength"`
}

// listRuns responds with the latest runs of an import. An import that is not found is a 404, as this is a
// GET.
func (s *server) listRuns(w http.ResponseWriter, r *http.Request) error {
	id, err := importID(r)
	if err != nil {
		return errNoSuchImport
	}
	ctx := r.Context()
	// Whoever may read the import may read its runs.
	_, err = db.AsUser(ctx, s.store, token.From(ctx), func(q *db.Queries) (db.Import, error) {
		return q.GetImport(ctx, id)
	})
	if errors.Is(err, db.ErrNotFound) {
		return errNoSuchImport
	}
	if err != nil {
		return err
	}
	var runs []db.ListRunsRow
	var changes []db.ListRunChangesRow
	err = s.store.AsService(ctx, func(q *db.Queries) error {
		if runs, err = q.ListRuns(ctx, db.ListRunsParams{ImportID: id, PageSize: maxRuns}); err != nil {
			return err
		}
		claims := make([]uuid.UUID, len(runs))
		for i, run := range runs {
			claims[i] = run.ClaimID
		}
		changes, err = q.ListRunChanges(ctx, claims)
		return err
	})
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, newRunsResponse(id, runs, changes))
	return nil
}

func newRunsResponse(id uuid.UUID, runs []db.ListRunsRow, changes []db.ListRunChangesRow) runsResponse {
	response := runsResponse{ImportID: id, Runs: make([]runResponse, len(runs))}
	byClaim := make(map[uuid.UUID]*runResponse, len(runs))
	for i, run := range runs {
		response.Runs[i] = runResponse{
			ID:            run.ClaimID,
			Status:        run.Status,
			ErrorCode:     run.ErrorCode,
			RequestedBy:   run.RequestedBy,
			HypothesisIDs: run.Hypotheses,
			Refresh:       run.Refresh,
			Extractor:     run.Extractor,
			Model:         named(run.Model),
			PromptVersion: run.PromptVersion,
			Calls:         run.Calls,
			InputTokens:   run.InputTokens,
			OutputTokens:  run.OutputTokens,
			QueuedAt:      run.QueuedAt,
			StartedAt:     run.BegunAt,
			FirstCallAt:   run.FirstCallAt,
			FinishedAt:    run.FinishedAt,
			Added:         []runChange{},
			Changed:       []runChange{},
			Gone:          []runChange{},
			Discarded:     run.Discarded,
		}
		byClaim[run.ClaimID] = &response.Runs[i]
	}
	for _, row := range changes {
		byClaim[row.ClaimID].add(row)
	}
	return response
}

// named returns the name of a model, or nil for the keyword extractor, which has none.
func named(model *string) *string {
	if model != nil && *model == "" {
		return nil
	}
	return model
}

// add adds a change of the run.
func (r *runResponse) add(row db.ListRunChangesRow) {
	change := runChange{
		EvidenceID:   row.EvidenceID,
		HypothesisID: row.HypothesisID,
		Quote:        row.Quote,
		Before:       newJudgement(row.StanceBefore, row.StrengthBefore),
		After:        newJudgement(row.StanceAfter, row.StrengthAfter),
		Kept:         row.Kept,
	}
	switch row.Kind {
	case "added":
		r.Added = append(r.Added, change)
	case "changed":
		r.Changed = append(r.Changed, change)
	case "gone":
		r.Gone = append(r.Gone, change)
	}
}

func newJudgement(stance, strength string) *judgement {
	if stance == "" {
		return nil
	}
	return &judgement{stance, strength}
}
