package refi

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
	"research/db"
	"research/internal/ratelimit"
	"research/transcript"
)

// An Interview is a source that is stored like an upload.
type Interview struct {
	ProjectID     uuid.UUID
	Title         string
	Filename      string
	Data          []byte
	Layout        transcript.Layout  // in which it was read, or ""
	Reading       transcript.Reading // with which it was read, without a layout
	Transcript    *transcript.Transcript
	InterviewedOn time.Time // zero for none
}

// Config holds the settings of operators: those of uploads.
type Config struct {
	UploadLimit          int // uploads of one user in an hour; 0 means no limit
	WorkspaceUploadLimit int // uploads of one workspace in an hour; 0 means no limit
}

// Deps are the dependencies of the handlers. All are required unless their comment says otherwise.
type Deps struct {
	Config
	Store *db.Store
	// StoreInterview stores an interview as its upload would be, within a transaction of the caller, and counts
	// it. Its error is the response to an upload that exceeds a quota, or one of package db.
	StoreInterview func(context.Context, *db.Queries, Interview) (uuid.UUID, error)
	Statements     *admission.Queue // of the Store's connections; nil means that every statement is admitted
	Uploads        *admission.Queue // of uploads; nil means that all are admitted
	Log            *slog.Logger
}

// A server serves exports and imports of projects.
type server struct {
	Deps
	edge    problem.Edge
	exports *admission.Queue
	loads   *admission.Queue
	tries   *ratelimit.Limiter // of dry runs, by user
}

// Handlers are the handlers of the package, for requests that are authenticated. Their paths have projectId.
type Handlers struct {
	Project  http.Handler // GET /api/project/{projectId}/refi.qdpx
	Codebook http.Handler // GET /api/project/{projectId}/codebook.qdc
	Import   http.Handler // POST /api/project/{projectId}/refi
}

const (
	// maxFiles is how many imports a process receives at once. Each has a file in memory.
	maxFiles = 16
	// maxLoads is how many of them it plans and stores at once. Each has its texts in memory as well.
	maxLoads = 2
	// loadWait is how long an import waits for its turn, once its file has arrived.
	loadWait = 30 * time.Second
	// maxTries is how many dry runs a user has in an hour.
	maxTries = 120
)

// New returns the handlers.
func New(d Deps) (Handlers, error) {
	if d.Store == nil || d.StoreInterview == nil || d.Log == nil {
		return Handlers{}, errors.New("refi: a dependency is missing")
	}
	s := &server{
		Deps:    d,
		edge:    problem.Edge{Log: d.Log, Format: problem.FormatAPI, Translations: translations},
		exports: admission.New(admission.Config{UserRequests: 1}, nil),
		loads: admission.New(admission.Config{
			Requests: maxFiles, UserRequests: 1, Slots: maxLoads, WorkspaceSlots: 1, MaxWait: loadWait,
		}, byUser),
		tries: ratelimit.New(maxTries, time.Hour, time.Now),
	}
	return Handlers{
		Project:  s.edge.Handle(s.exportProject),
		Codebook: s.edge.Handle(s.exportCodebook),
		Import:   s.edge.Handle(s.importProject, "dry_run"),
	}, nil
}

// byUser lets users take turns, each for themselves.
func byUser(_ context.Context, user uuid.UUID) (uuid.UUID, error) { return user, nil }

// projectID returns the id in the path. If it is not a UUID, no project has it.
func projectID(r *http.Request) (uuid.UUID, error) {
	id, err := uuid.Parse(chi.URLParam(r, "projectId"))
	if err != nil {
		return uuid.Nil, errNoProject
	}
	return id, nil
}
