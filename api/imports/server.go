package imports

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"research/api/admission"
	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/internal/ratelimit"
	"research/temporalclient"
)

// dryRunsPerUpload is how many dry runs a user has for each upload of the limit. A dry run costs as much as an upload,
// and the page makes one for each file and for each layout that somebody tries.
const dryRunsPerUpload = 5

// parser starts and cancels parses. *temporalclient.Client implements it.
type parser interface {
	// Available returns nil if a run can be started now. Its errors are those of StartParse.
	Available(ctx context.Context) error
	// StartParse starts the run of a claimed import. Its errors are temporalclient.ErrUnavailable and
	// temporalclient.ErrWrongNamespace.
	StartParse(ctx context.Context, r temporalclient.ParseRequest) (temporalclient.Run, error)
	// CancelParse requests the cancellation of the run. Its errors are temporalclient.ErrNotRunning and
	// temporalclient.ErrUnavailable.
	CancelParse(ctx context.Context, importID uuid.UUID) error
}

// Deps are the dependencies of the server. All are required unless their comment says otherwise.
type Deps struct {
	Store         *db.Store
	Uploads       *admission.Queue // also of estimates; nil means that all are admitted
	Parser        parser
	Estimator     Estimator
	Authenticator *token.Authenticator
	Log           *slog.Logger
	TemporalUIURL string // may be empty
	Namespace     string // may be empty
	QueueLimit    int    // imports that may be queued or parsing at once; 0 means no limit
	QueueShare    int    // the same for one workspace
	UploadLimit   int    // uploads of one user within an hour, and a fifth of the dry runs; 0 means no limit
	UploadShare   int    // uploads of one workspace within an hour
	Prices        Prices // of the model; the zero value means that imports have no cost
}

// A server serves /api/import.
type server struct {
	store     *db.Store
	uploads   *admission.Queue
	parser    parser
	estimator Estimator
	log       *slog.Logger
	edge      problem.Edge
	uiURL     string
	namespace string
	prices    Prices

	queueLimit          int64
	workspaceQueueLimit int64

	uploadLimit          int64
	workspaceUploadLimit int64

	dryRuns *ratelimit.Limiter // by user
}

// New returns the handler for /api/import. Its paths are relative to that.
func New(d Deps) (http.Handler, error) {
	if d.Store == nil || d.Parser == nil || d.Estimator == nil || d.Authenticator == nil || d.Log == nil {
		return nil, errors.New("imports: a dependency is missing")
	}
	s := &server{
		store: d.Store, uploads: d.Uploads, parser: d.Parser, estimator: d.Estimator, log: d.Log,
		edge:  problem.Edge{Log: d.Log, Format: problem.FormatAPI, Translate: translate},
		uiURL: d.TemporalUIURL, namespace: d.Namespace, prices: d.Prices,
		queueLimit: int64(d.QueueLimit), workspaceQueueLimit: int64(d.QueueShare),
		uploadLimit: int64(d.UploadLimit), workspaceUploadLimit: int64(d.UploadShare),
		dryRuns: ratelimit.New(dryRunsPerUpload*d.UploadLimit, time.Hour, time.Now),
	}
	r := chi.NewRouter()
	r.NotFound(s.edge.NotFound)
	r.MethodNotAllowed(s.edge.MethodNotAllowed)
	r.Group(func(r chi.Router) {
		r.Use(
			d.Authenticator.APIKey(s.edge.Write), d.Authenticator.Bearer(s.edge.Write), token.SignedIn(s.edge.Write),
		)
		r.Post("/", s.edge.Handle(s.createImport))
		r.Get("/{importId}", s.edge.Handle(s.getImport))
		r.Delete("/{importId}", s.edge.Handle(s.deleteImport))
		r.Post("/{importId}/parse", s.edge.Handle(s.parseImport))
		r.Post("/{importId}/estimate", s.edge.Handle(s.estimateImport))
		r.Post("/{importId}/cancel", s.edge.Handle(s.cancelImport))
		r.Get("/{importId}/runs", s.edge.Handle(s.listRuns))
	})
	return r, nil
}

// importID returns the id in the path. If it is not a UUID, no import has it.
func importID(r *http.Request) (uuid.UUID, error) {
	id, err := uuid.Parse(chi.URLParam(r, "importId"))
	if err != nil {
		return uuid.Nil, errImportNotFound
	}
	return id, nil
}
