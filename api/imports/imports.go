package imports

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"research/api/problem"
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
	edge      problem.Edge
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
	s := &Server{
		store: d.Store, parser: d.Parser, log: d.Log,
		edge:  problem.Edge{Log: d.Log, Format: problem.FormatAPI, Translate: translate},
		uiURL: d.TemporalUIURL, namespace: d.Namespace,
		limit: int64(d.QueueLimit), share: int64(d.QueueShare),
	}
	r := chi.NewRouter()
	r.NotFound(s.edge.NotFound)
	r.MethodNotAllowed(s.edge.MethodNotAllowed)
	r.Group(func(r chi.Router) {
		r.Use(d.Gate.APIKey(s.edge.Write), d.Gate.Bearer(s.edge.Write), token.SignedIn(s.edge.Write))
		r.Post("/", s.edge.Handle(s.uploadImport))
		r.Get("/{importId}", s.edge.Handle(s.getImport))
		r.Post("/{importId}/parse", s.edge.Handle(s.parseImport))
		r.Post("/{importId}/cancel", s.edge.Handle(s.cancelImport))
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
	row, err := db.AsUser(r.Context(), s.store, token.From(r.Context()), func(q *db.Queries) (db.Import, error) {
		return q.GetImport(r.Context(), id)
	})
	if errors.Is(err, db.ErrNotFound) {
		return notFound(errImportNotFound)
	}
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, s.mirrorOf(row))
	return nil
}

// notFound gives an error the status of a GET; 422 is for requests that cannot be carried out.
func notFound(err error) error {
	var known *problem.Error
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
		return errNotParsing
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
	s.edge.WriteJSON(w, http.StatusOK, map[string]any{"importId": id, "status": status})
	return nil
}

// withdraw cancels a claim without a run. Its error is errNotParsing where there is none, or it has begun: its run has just ended, or the reconciler will say what became of it.
func (s *Server) withdraw(ctx context.Context, rights db.GetImportRightsRow) error {
	if rights.ClaimID == nil {
		return errNotParsing
	}
	withdrawn, err := db.AsService(ctx, s.store, func(q *db.Queries) (int64, error) {
		return q.WithdrawImport(ctx, db.WithdrawImportParams{
			ImportID: rights.ID, ClaimID: *rights.ClaimID, ErrorMessage: "Parsing was cancelled before it began.",
		})
	})
	if err == nil && withdrawn == 0 {
		return errNotParsing
	}
	return err
}

// rights loads what the caller may do with an import: errImportNotFound, errForbidden or nil.
func (s *Server) rights(ctx context.Context, id uuid.UUID) (db.GetImportRightsRow, error) {
	subject := token.From(ctx)
	row, err := db.AsUser(ctx, s.store, subject, func(q *db.Queries) (db.GetImportRightsRow, error) {
		return q.GetImportRights(ctx, id)
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
