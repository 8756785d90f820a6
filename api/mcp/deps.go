package mcp

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"

	"research/api/admission"
	"research/api/token"
	"research/db"
)

// An Authenticator admits the tokens that are for a resource. *token.Authenticator implements it.
type Authenticator interface {
	// AdmitResource returns the principal of a request. Its errors are those of token.IsUnauthenticated, and
	// db.ErrUnavailable.
	AdmitResource(r *http.Request, resource string) (token.Principal, error)
}

// Telemetry records calls. *telemetry.Telemetry implements it.
type Telemetry interface {
	// ToolCalled records a call of a tool or a prompt that has ended, with the code of its error, or ok.
	ToolCalled(ctx context.Context, tool, outcome string, took time.Duration)
}

// An Asker asks questions. *answers.Asker implements it.
type Asker interface {
	// Ask asks a question about the interviews of a project for the caller of token.From, in a mode or the
	// usual one, and returns the id of its answer. Who asks the same again gets the same answer. Its errors are
	// a *problem.Error, and those that every edge may have.
	Ask(ctx context.Context, project uuid.UUID, question, mode string) (uuid.UUID, error)
}

// Answers wakes those who wait for an answer. *events.Streams implements it.
type Answers interface {
	// WatchAnswer registers a user who waits for an answer until stop is called: wake receives after each event
	// of it. The error says that too many wait.
	WatchAnswer(ctx context.Context, user, answer uuid.UUID) (wake <-chan struct{}, stop func(), err error)
}

// A Claim is words that somebody is said to have said in an interview.
type Claim struct {
	Quote    string
	Speakers []string // who says it, as the transcript names them; empty for anybody
	Turns    []int    // where, if that is known
}

// A Place is words of an interview.
type Place struct {
	Quote              string
	Speaker            string
	From, To           int // turns, both included
	ByteStart, ByteEnd int
	Repaired           bool // the words are those of the interview, and those of the claim differ slightly
}

// A Proof is what an interview has of a claim.
type Proof struct {
	Place

	// Rejected says why the claim is not proven, and is empty for one that is: not_found, meaning_differs,
	// too_short, interviewer, note or other_speaker.
	Rejected string
	Nearest  []Place // what was said that is nearest, if it is not proven
}

// A Prover proves quotes of interviews, as those of models are proven.
type Prover interface {
	// ProveQuote looks for a claim in an interview, whoever asks: the caller has checked that the user sees it.
	// Its errors are those of db.Store; db.ErrNotFound if there is no such interview.
	ProveQuote(ctx context.Context, importID uuid.UUID, c Claim) (Proof, error)
}

// A Guide returns the guide of the next interview of a project as Markdown, as the caller: projects.Guide.
// Its error is db.ErrNotFound if the caller does not see the project.
type Guide func(ctx context.Context, q *db.Queries, project uuid.UUID) (string, error)

// Deps are the dependencies of the handler. All are required but those whose comment says what nil means.
type Deps struct {
	Store         *db.Store
	Statements    *admission.Queue // of the Store's connections; nil means that every statement is admitted
	Proofs        *admission.Queue // of those who have quotes proven; nil means that all are admitted
	Authenticator Authenticator
	Asker         Asker
	Answers       Answers
	Prover        Prover
	Guide         Guide
	Telemetry     Telemetry // nil records no metrics
	Log           *slog.Logger
	Stopping      <-chan struct{}  // closed when the server is about to stop; nil means never
	Now           func() time.Time // nil means time.Now
}
