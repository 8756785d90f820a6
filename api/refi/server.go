package refi

import (
	"context"
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

// projectID returns the id in the path. If it is not a UUID, no project has it.
func projectID(r *http.Request) (uuid.UUID, error) {
	id, err := uuid.Parse(chi.URLParam(r, "projectId"))
	if err != nil {
		return uuid.Nil, errNoProject
	}
	return id, nil
}
