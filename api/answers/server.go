package answers

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
	"research/outcome"
	"research/temporalclient"
)

// A runner starts and cancels the runs of answers. *temporalclient.Client implements it.
type runner interface {
	// Available returns nil if a run can be started now. Its errors are those of StartAnswer.
	Available(ctx context.Context) error
	// StartAnswer starts the run of a claimed answer. Its errors are temporalclient.ErrUnavailable and
	// temporalclient.ErrWrongNamespace.
	StartAnswer(ctx context.Context, r temporalclient.AnswerRequest) (temporalclient.Run, error)
	// CancelAnswer requests the cancellation of a run; an empty runID means the latest. Its errors are
	// temporalclient.ErrNotRunning and temporalclient.ErrUnavailable.
	CancelAnswer(ctx context.Context, answerID uuid.UUID, runID string) error
}

// An Estimator estimates the cost of an answer.
type Estimator interface {
	// EstimateAnswer estimates what it would take to ask again in a mode, and starts nothing. It counts only
	// what was not read yet. Its error is db.ErrNotFound if the answer is gone, and ErrScopeTooLarge.
	EstimateAnswer(ctx context.Context, answerID uuid.UUID, mode outcome.AnswerMode) (Estimate, error)
}

// ErrScopeTooLarge means that the interviews of an answer are too many or too long to be read together.
var ErrScopeTooLarge = errors.New("answers: the scope of the answer is too large")

// An Estimate is the expected size of an answer. Without a model, it has no calls and tokens.
type Estimate struct {
	Calls                     int // to the model
	InputTokens, OutputTokens int64
	Imports, Passages         int // in the scope; the passages that would be read
}

// Config holds the settings of operators.
type Config struct {
	QueueLimit          int           // answers that may be queued or read at once; 0 means no limit
	WorkspaceQueueLimit int           // the same for one workspace
	Limit               int           // questions of one user within an hour; 0 means no limit
	Timeout             time.Duration // of a run
	UsesModel           bool          // without one, only passages are shown
	Prices              cost.Prices   // of the model; the zero value means that answers have no cost
}

// Deps are the dependencies of the handlers. All are required unless their comment says otherwise.
type Deps struct {
	Config
	Store         *db.Store
	Estimates     *admission.Queue // of estimates; nil means that all are admitted
	Statements    *admission.Queue // of the Store's connections, for other requests; nil: all are admitted
	Runner        runner
	Estimator     Estimator
	Authenticator *token.Authenticator
	Log           *slog.Logger
}

// A server serves the answers of projects.
type server struct {
	Deps
	edge problem.Edge
}

// Handlers are the handlers of the package.
type Handlers struct {
	Answers http.Handler // for /api/answer; its paths are relative to that
	Ask     http.Handler // for POST /api/project/{projectId}/ask, after authentication
	Asker   *Asker       // asks for other edges
}

// New returns the handlers.
func New(d Deps) (Handlers, error) {
	if d.Store == nil || d.Runner == nil || d.Estimator == nil || d.Authenticator == nil || d.Log == nil {
		return Handlers{}, errors.New("answers: a dependency is missing")
	}
	s := &server{
		Deps: d, edge: problem.Edge{Log: d.Log, Format: problem.FormatAPI, Translations: translations},
	}
	r := chi.NewRouter()
	s.edge.Fallbacks(r)
	r.Group(func(r chi.Router) {
		r.Use(d.Authenticator.APIKey(s.edge.Write))
		bearer := func(scopes ...string) chi.Router {
			return r.With(d.Authenticator.BearerFor(s.edge.Write, scopes...), token.SignedIn(s.edge.Write))
		}
		bearer().Get("/{answerId}", s.handle(s.get))
		bearer().Delete("/{answerId}", s.handle(s.delete))
		bearer(token.ScopeAsk).Post("/{answerId}/again", s.handle(s.again))
		// Neither costs anything. Who may ask may do both.
		either := bearer(token.ScopeAsk, token.ScopeWrite)
		either.Post("/{answerId}/cancel", s.handle(s.cancel))
		either.Post("/{answerId}/estimate", s.edge.Handle(s.estimate)) // it waits in a queue of its own
	})
	return Handlers{Answers: r, Ask: s.handle(s.ask), Asker: &Asker{s}}, nil
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

// modes are those that this installation has.
func (s *server) modes() modes { return modes{byModel: s.UsesModel} }

// answerID returns the id in the path. If it is not a UUID, no answer has it.
func answerID(r *http.Request) (uuid.UUID, error) {
	id, ok := parseID(chi.URLParam(r, "answerId"))
	if !ok {
		return uuid.Nil, errNoAnswer
	}
	return id, nil
}
