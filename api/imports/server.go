package imports

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/temporalclient"
)

// parser starts and cancels parses. *temporalclient.Client implements it.
type parser interface {
	// StartParse starts the run of a claimed import. Its error is temporalclient.ErrUnavailable.
	StartParse(ctx context.Context, r temporalclient.ParseRequest) (temporalclient.Run, error)
	// CancelParse asks the run to stop. Its errors are temporalclient.ErrNotRunning and
	// temporalclient.ErrUnavailable.
	CancelParse(ctx context.Context, importID uuid.UUID) error
}

// Deps are the dependencies of the server. TemporalUIURL and Namespace may be empty; the others are required.
type Deps struct {
	Store         *db.Store
	Parser        parser
	Authenticator *token.Authenticator
	Log           *slog.Logger
	TemporalUIURL string
	Namespace     string
	QueueLimit    int // imports that may be queued or parsing at once; 0 means no limit
	QueueShare    int // the same, of one workspace
}

// A Server serves /api/import.
type Server struct {
	store     *db.Store
	parser    parser
	log       *slog.Logger
	edge      problem.Edge
	uiURL     string
	namespace string

	queueLimit          int64
	workspaceQueueLimit int64
}

// New returns the handler of everything under /api/import. Its paths are relative to that.
func New(d Deps) (http.Handler, error) {
	if d.Store == nil || d.Parser == nil || d.Authenticator == nil || d.Log == nil {
		return nil, errors.New("imports: a dependency is missing")
	}
	s := &Server{
		store: d.Store, parser: d.Parser, log: d.Log,
		edge:  problem.Edge{Log: d.Log, Format: problem.FormatAPI, Translate: translate},
		uiURL: d.TemporalUIURL, namespace: d.Namespace,
		queueLimit: int64(d.QueueLimit), workspaceQueueLimit: int64(d.QueueShare),
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
		r.Post("/{importId}/parse", s.edge.Handle(s.parseImport))
		r.Post("/{importId}/cancel", s.edge.Handle(s.cancelImport))
	})
	return r, nil
}

// importID returns the id in the path. A text that is not a UUID is the id of no import.
func importID(r *http.Request) (uuid.UUID, error) {
	id, err := uuid.Parse(chi.URLParam(r, "importId"))
	if err != nil {
		return uuid.Nil, errImportNotFound
	}
	return id, nil
}
