package imports

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"research/api/cost"
	"research/api/token"
	"research/db"
	"research/outcome"
	"research/transcript"
)

// importResponse is the response body of GET /api/import/{importId}.
type importResponse struct {
	ImportID      uuid.UUID       `json:"importId"`
	ProjectID     uuid.UUID       `json:"projectId"`
	Title         string          `json:"title"`
	Format        string          `json:"format"`
	Status        outcome.Status  `json:"status"`
	Progress      progress        `json:"progress"`
	WaitingReason *string         `json:"waitingReason"` // see imports.waiting_reason
	EvidenceCount int32           `json:"evidenceCount"`
	RejectedCount int32           `json:"rejectedCount"`
	Coverage      float64         `json:"coverage"`
	Confidence    float64         `json:"confidence"` // of the speakers
	NeedsLook     bool            `json:"needsLook"`
	Unread        json.RawMessage `json:"unread"`
	Warnings      []string        `json:"warnings"` // doubts about how the file was read, in sentences
	WarningCodes  json.RawMessage `json:"warningCodes"`
	Extractor     *string         `json:"extractor"`
	Model         *string         `json:"model"`
	InputTokens   int64           `json:"inputTokens"`
	OutputTokens  int64           `json:"outputTokens"`
	Cost          *cost.Cost      `json:"cost,omitempty"` // of the tokens used, if prices are configured
	ErrorCode     *string         `json:"errorCode"`
	ErrorMessage  *string         `json:"errorMessage"`
	WorkflowID    *string         `json:"workflowId"`
	RunID         *string         `json:"runId"`
	WorkflowURL   string          `json:"workflowUrl,omitempty"` // of the run in Temporal's UI, for admins
	CreatedAt     time.Time       `json:"createdAt"`
	StartedAt     *time.Time      `json:"startedAt"`
	FinishedAt    *time.Time      `json:"finishedAt"`
}

// progress counts the chunks of the latest run.
type progress struct {
	Done  int32 `json:"done"`
	Total int32 `json:"total"`
}

// getImport responds with the state of an import. An import that is not found is a 404, as this is a GET.
func (s *server) getImport(w http.ResponseWriter, r *http.Request) error {
	id, err := importID(r)
	if err != nil {
		return errNoSuchImport
	}
	response, err := db.AsUser(r.Context(), s.store, token.From(r.Context()),
		func(q *db.Queries) (importResponse, error) {
			row, err := q.GetImport(r.Context(), id)
			if err != nil {
				return importResponse{}, err
			}
			response := s.importResponse(row)
			response.WorkflowURL, err = s.workflowURL(r.Context(), q, row)
			return response, err
		})
	if errors.Is(err, db.ErrNotFound) {
		return errNoSuchImport
	}
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, response)
	return nil
}

// workflowURL returns the address of the latest run of an import in Temporal's UI, which is for those who run
// things: the owners and admins of its workspace.
func (s *server) workflowURL(ctx context.Context, q *db.Queries, row db.Import) (string, error) {
	if s.TemporalUIURL == "" || row.WorkflowID == nil || row.RunID == nil {
		return "", nil
	}
	if admin, err := q.IsAdmin(ctx, row.WorkspaceID); err != nil || !admin {
		return "", err
	}
	return s.TemporalUIURL + "/namespaces/" + s.TemporalNamespace + "/workflows/" +
		*row.WorkflowID + "/" + *row.RunID, nil
}

// storedMessages returns the warnings of an import as sentences.
func storedMessages(stored json.RawMessage) []string {
	var warnings []transcript.Warning
	if json.Unmarshal(stored, &warnings) != nil {
		return []string{}
	}
	return messages(warnings)
}

func (s *server) importResponse(row db.Import) importResponse {
	return importResponse{
		ImportID:      row.ID,
		ProjectID:     row.ProjectID,
		Title:         row.Title,
		Format:        row.Format,
		Status:        row.Status,
		Progress:      progress{row.ProgressDone, row.ProgressTotal},
		WaitingReason: row.WaitingReason,
		EvidenceCount: row.EvidenceCount,
		RejectedCount: row.RejectedCount,
		Coverage:      row.Coverage,
		Confidence:    row.ReadingConfidence,
		NeedsLook:     row.NeedsLook,
		Unread:        row.Unread,
		Warnings:      storedMessages(row.Warnings),
		WarningCodes:  row.Warnings,
		Extractor:     row.Extractor,
		Model:         row.Model,
		InputTokens:   row.InputTokens,
		OutputTokens:  row.OutputTokens,
		Cost:          s.Prices.OfUse(row.InputTokens, row.OutputTokens),
		ErrorCode:     row.ErrorCode,
		ErrorMessage:  row.ErrorMessage,
		WorkflowID:    row.WorkflowID,
		RunID:         row.RunID,
		CreatedAt:     row.CreatedAt,
		StartedAt:     row.StartedAt,
		FinishedAt:    row.FinishedAt,
	}
}
