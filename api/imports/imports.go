package imports

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"research/api/token"
	"research/db"
	"research/workflows"
)

// parser starts and stops parses; *workflows.Client is one.
type parser interface {
	// StartParse starts the run of a claimed import. Its error is workflows.ErrUnavailable.
	StartParse(ctx context.Context, r workflows.ParseRequest) (workflows.Run, error)
	// CancelParse asks the run to stop. Its errors are workflows.ErrNotRunning and workflows.ErrUnavailable.
	CancelParse(ctx context.Context, importID uuid.UUID) error
}

// Deps are what the server needs. TemporalUIURL and Namespace may be empty; all else is required.
type Deps struct {
	Store         *db.Store
	Parser        parser
	Gate          *token.Gate
	Log           *slog.Logger
	TemporalUIURL string
	Namespace     string
	QueueLimit    int // imports that may wait or be parsed at once; 0: any number
	QueueShare    int // the same, of one workspace
}

// A Server answers /api/import.
type Server struct {
	store     *db.Store
	parser    parser
	log       *slog.Logger
	uiURL     string
	namespace string
	limit     int64
	share     int64
}

// New makes the handler for everything under /api/import; paths are those after it.
func New(d Deps) (http.Handler, error) {
	if d.Store == nil || d.Parser == nil || d.Gate == nil || d.Log == nil {
		return nil, errors.New("imports: a dependency is missing")
	}
	s := &Server{store: d.Store, parser: d.Parser, log: d.Log, uiURL: d.TemporalUIURL, namespace: d.Namespace, limit: int64(d.QueueLimit), share: int64(d.QueueShare)}
	r := chi.NewRouter()
	r.NotFound(s.handle(func(http.ResponseWriter, *http.Request) error {
		return &Error{Status: http.StatusNotFound, Code: "not_found", Message: "There is nothing at this path."}
	}))
	r.MethodNotAllowed(s.handle(func(http.ResponseWriter, *http.Request) error {
		return &Error{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Message: "This path does not answer this method."}
	}))
	r.Group(func(r chi.Router) {
		r.Use(d.Gate.APIKey(s.writeError), d.Gate.Bearer(s.writeError), token.SignedIn(s.writeError))
		r.Post("/", s.handle(s.uploadImport))
		r.Get("/{importId}", s.handle(s.getImport))
		r.Post("/{importId}/parse", s.handle(s.parseImport))
		r.Post("/{importId}/cancel", s.handle(s.cancelImport))
	})
	return r, nil
}

// importID reads the path. An id that is no UUID is one that does not exist.
func importID(r *http.Request) (uuid.UUID, error) {
	id, err := uuid.Parse(chi.URLParam(r, "importId"))
	if err != nil {
		return uuid.Nil, errImportNotFound
	}
	return id, nil
}

// mirror is an import as GET /api/import/{id} shows it.
type mirror struct {
	ImportID      uuid.UUID  `json:"importId"`
	ProjectID     uuid.UUID  `json:"projectId"`
	Title         string     `json:"title"`
	Format        string     `json:"format"`
	Status        string     `json:"status"`
	Progress      progress   `json:"progress"`
	EvidenceCount int32      `json:"evidenceCount"`
	RejectedCount int32      `json:"rejectedCount"`
	Coverage      float64    `json:"coverage"`
	Unread        any        `json:"unread"`
	Extractor     *string    `json:"extractor"`
	Model         *string    `json:"model"`
	InputTokens   int64      `json:"inputTokens"`
	OutputTokens  int64      `json:"outputTokens"`
	ErrorCode     *string    `json:"errorCode"`
	ErrorMessage  *string    `json:"errorMessage"`
	WorkflowID    *string    `json:"workflowId"`
	RunID         *string    `json:"runId"`
	WorkflowURL   string     `json:"workflowUrl,omitempty"`
	CreatedAt     time.Time  `json:"createdAt"`
	StartedAt     *time.Time `json:"startedAt"`
	FinishedAt    *time.Time `json:"finishedAt"`
}

type progress struct {
	Done  int32 `json:"done"`
	Total int32 `json:"total"`
}

func (s *Server) getImport(w http.ResponseWriter, r *http.Request) error {
	id, err := importID(r)
	if err != nil {
		return notFound(err)
	}
	var row db.Import
	err = s.store.AsUser(r.Context(), token.From(r.Context()), func(q *db.Queries) (err error) {
		row, err = q.GetImport(r.Context(), id)
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return notFound(errImportNotFound)
	}
	if err != nil {
		return err
	}
	writeJSON(w, s.log, http.StatusOK, s.mirrorOf(row))
	return nil
}

// notFound is the status of a GET: 422 is for what cannot be done.
func notFound(err error) error {
	var known *Error
	if !errors.As(err, &known) {
		return err
	}
	answer := *known
	answer.Status = http.StatusNotFound
	return &answer
}

func (s *Server) mirrorOf(row db.Import) mirror {
	m := mirror{
		ImportID: row.ID, ProjectID: row.ProjectID, Title: row.Title, Format: row.Format, Status: string(row.Status),
		Progress: progress{row.ProgressDone, row.ProgressTotal}, EvidenceCount: row.EvidenceCount, RejectedCount: row.RejectedCount,
		Coverage: row.Coverage, Unread: row.Unread, Extractor: row.Extractor, Model: row.Model, InputTokens: row.InputTokens, OutputTokens: row.OutputTokens,
		ErrorCode: row.ErrorCode, ErrorMessage: row.ErrorMessage, WorkflowID: row.WorkflowID, RunID: row.RunID,
		CreatedAt: row.CreatedAt, StartedAt: row.StartedAt, FinishedAt: row.FinishedAt,
	}
	if s.uiURL != "" && row.WorkflowID != nil && row.RunID != nil {
		m.WorkflowURL = s.uiURL + "/namespaces/" + s.namespace + "/workflows/" + *row.WorkflowID + "/" + *row.RunID
	}
	return m
}

// cancelImport asks the run to stop; the import says canceled when it has. A claim whose run does not exist yet is withdrawn at once.
func (s *Server) cancelImport(w http.ResponseWriter, r *http.Request) error {
	id, err := importID(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	rights, err := s.rights(ctx, id)
	if err != nil {
		return err
	}
	if rights.Status != db.ImportStatusQueued && rights.Status != db.ImportStatusParsing {
		return errNothingRuns
	}
	status := "canceling"
	err = s.parser.CancelParse(ctx, id)
	if errors.Is(err, workflows.ErrNotRunning) {
		err, status = s.withdraw(ctx, rights), string(db.ImportStatusCanceled)
	}
	if err != nil {
		return err
	}
	s.log.InfoContext(ctx, "parse cancelled", "import_id", id, "workflow_id", rights.WorkflowID)
	writeJSON(w, s.log, http.StatusOK, map[string]any{"importId": id, "status": status})
	return nil
}

// withdraw cancels a claim without a run. Its error is errNothingRuns where there is none, or it has begun: its run has just ended, or the reconciler will say what became of it.
func (s *Server) withdraw(ctx context.Context, rights db.GetImportRightsRow) error {
	if rights.ClaimID == nil {
		return errNothingRuns
	}
	var withdrawn int64
	err := s.store.AsService(ctx, func(q *db.Queries) (err error) {
		withdrawn, err = q.WithdrawImport(ctx, db.WithdrawImportParams{
			ImportID: rights.ID, ClaimID: *rights.ClaimID, ErrorMessage: "Parsing was cancelled before it began.",
		})
		return err
	})
	if err == nil && withdrawn == 0 {
		return errNothingRuns
	}
	return err
}

// rights loads what the caller may do with an import: errImportNotFound, errForbidden or nil.
func (s *Server) rights(ctx context.Context, id uuid.UUID) (db.GetImportRightsRow, error) {
	subject := token.From(ctx)
	var row db.GetImportRightsRow
	err := s.store.AsUser(ctx, subject, func(q *db.Queries) (err error) {
		row, err = q.GetImportRights(ctx, id)
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return row, errImportNotFound
	}
	if err != nil {
		return row, err
	}
	if subject.Role != db.RoleService && (row.MemberRole == "" || row.MemberRole == string(db.MemberRoleViewer)) {
		return row, errForbidden
	}
	return row, nil
}
