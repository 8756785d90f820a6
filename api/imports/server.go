package imports

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"research/api/admission"
	"research/api/cost"
	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/internal/ratelimit"
	"research/temporalclient"
)

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

// Config holds the settings of operators.
type Config struct {
	QueueLimit           int         // imports that may be queued or parsing at once; 0 means no limit
	WorkspaceQueueLimit  int         // the same for one workspace
	UploadLimit          int         // uploads of one user in an hour, and a fifth of the dry runs; 0: no limit
	WorkspaceUploadLimit int         // uploads of one workspace within an hour; 0 means no limit
	UsesModel            bool        // parses are read by a language model, not by keyword matching
	Prices               cost.Prices // of the model; the zero value means that imports have no cost
	TemporalUIURL        string      // empty means no links to runs
	TemporalNamespace    string      // in those links
}

// Deps are the dependencies of the server. All are required unless their comment says otherwise.
type Deps struct {
	Config
	Store         *db.Store
	Uploads       *admission.Queue // also of estimates; nil means that all are admitted
	Statements    *admission.Queue // of the Store's connections, for other requests; nil: all are admitted
	Parser        parser
	Estimator     Estimator
	Authenticator *token.Authenticator
	Log           *slog.Logger
}

// A server serves /api/import.
type server struct {
	Config
	store     *db.Store
	uploads   *admission.Queue
	requests  *admission.Queue // other than uploads and estimates
	parser    parser
	estimator Estimator
	log       *slog.Logger
	edge      problem.Edge
	dryRuns   *ratelimit.Limiter // by user
}

// admitted wraps a handler that only reads: it works when it is the caller's turn.
func (s *server) admitted(read problem.Handler) problem.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := s.requests.Do(r.Context(), callerOf(r), func() error { return read(w, r) })
		if errors.Is(err, admission.ErrBusy) {
			return errBusy
		}
		return err
	}
}

// entered wraps a handler that also waits for others than the database: it bounds the caller's requests only.
func (s *server) entered(change problem.Handler) problem.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		ticket, err := s.requests.Enter(r.Context(), callerOf(r))
		if errors.Is(err, admission.ErrBusy) {
			return errBusy
		}
		if err != nil {
			return err
		}
		defer ticket.Leave()
		return change(w, r)
	}
}

func callerOf(r *http.Request) admission.Caller {
	subject := token.From(r.Context())
	return admission.Caller{User: subject.UserID, Trusted: subject.Role == db.RoleService}
}

// importID returns the id in the path. If it is not a UUID, no import has it.
func importID(r *http.Request) (uuid.UUID, error) {
	id, err := uuid.Parse(chi.URLParam(r, "importId"))
	if err != nil {
		return uuid.Nil, errImportNotFound
	}
	return id, nil
}

// An Estimator estimates the cost of a parse.
type Estimator interface {
	// EstimateParse estimates a parse of the import for the hypotheses, and starts nothing. It counts only what
	// was not read yet; with refresh, everything. Its error is db.ErrNotFound if the import is gone.
	EstimateParse(
		ctx context.Context, importID uuid.UUID, hypotheses []uuid.UUID, refresh bool,
	) (Estimate, error)
}

// An Estimate is the expected size of a parse. It is zero if no model is needed.
type Estimate struct {
	Calls                     int // to the model
	InputTokens, OutputTokens int64
}
