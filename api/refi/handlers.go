package refi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"research/api/admission"
	"research/api/problem"
	"research/internal/ratelimit"
)

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
