package themes

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"research/api/admission"
	"research/api/cost"
	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/temporalclient"
)

// A runner starts and cancels runs that propose themes. *temporalclient.Client implements it.
type runner interface {
	// Available returns nil if a run can be started now. Its errors are those of StartThemes.
	Available(ctx context.Context) error
	// StartThemes starts the run of a claim. Its errors are temporalclient.ErrUnavailable and
	// temporalclient.ErrWrongNamespace.
	StartThemes(ctx context.Context, r temporalclient.ThemesRequest) (temporalclient.Run, error)
	// CancelThemes requests the cancellation of a run. Its errors are temporalclient.ErrNotRunning and
	// temporalclient.ErrUnavailable.
	CancelThemes(ctx context.Context, projectID uuid.UUID, runID string) error
}

// An Estimator estimates what it would take to propose themes.
type Estimator interface {
	// EstimateThemes estimates a run for a project, and starts nothing. It counts only what was not read yet.
	// Its error is ErrScopeTooLarge.
	EstimateThemes(ctx context.Context, projectID uuid.UUID) (Estimate, error)
}

// ErrScopeTooLarge means that the interviews of a project are too many or too long to be read together.
var ErrScopeTooLarge = errors.New("themes: the interviews of the project are too many")

// An Estimate is the expected size of a run.
type Estimate struct {
	Calls                     int // to the model
	InputTokens, OutputTokens int64
	Imports                   int // of the project
}

// Config holds the settings of operators.
type Config struct {
	QueueLimit          int           // runs that may be queued or read at once; 0 means no limit
	WorkspaceQueueLimit int           // the same for one workspace
	Limit               int           // questions and proposals of one user within an hour; 0 means no limit
	Timeout             time.Duration // of a run
	UsesModel           bool          // without one, nothing is proposed
	Prices              cost.Prices   // of the model; the zero value means that runs have no cost
}

// Deps are the dependencies of the handlers. All are required unless their comment says otherwise.
type Deps struct {
	Config
	Store      *db.Store
	Estimates  *admission.Queue // of estimates; nil means that all are admitted
	Statements *admission.Queue // of the Store's connections, for other requests; nil: all are admitted
	Runner     runner
	Estimator  Estimator
	Log        *slog.Logger
}

// A server serves the proposals of themes.
type server struct {
	Deps
	edge problem.Edge
}

// Handlers are the handlers of the package, after authentication. Their routes have a parameter projectId.
type Handlers struct {
	Propose, Estimate, Cancel http.Handler
}

// New returns the handlers.
func New(d Deps) (Handlers, error) {
	if d.Store == nil || d.Runner == nil || d.Estimator == nil || d.Log == nil {
		return Handlers{}, errors.New("themes: a dependency is missing")
	}
	s := &server{
		Deps: d, edge: problem.Edge{Log: d.Log, Format: problem.FormatAPI, Translations: translations},
	}
	return Handlers{
		Propose: s.handle(s.propose), Cancel: s.handle(s.cancel),
		Estimate: s.edge.Handle(s.estimate), // it waits in a queue of its own
	}, nil
}

// handle wraps a handler: it bounds the caller's requests.
func (s *server) handle(h problem.Handler) http.HandlerFunc {
	return s.edge.Handle(func(w http.ResponseWriter, r *http.Request) error {
		ticket, err := s.Statements.Enter(r.Context(), callerOf(r.Context()))
		if err != nil {
			return err
		}
		defer ticket.Leave()
		return h(w, r)
	})
}

func callerOf(ctx context.Context) admission.Caller {
	subject := token.From(ctx)
	return admission.Caller{User: subject.UserID, Trusted: subject.Role == db.RoleService}
}

// projectID returns the id in the path. If it is not a UUID in its usual form, no project has it.
func projectID(r *http.Request) (uuid.UUID, error) {
	text := chi.URLParam(r, "projectId")
	id, err := uuid.Parse(text)
	if err != nil || len(text) != 36 {
		return uuid.Nil, errNoProject
	}
	return id, nil
}
