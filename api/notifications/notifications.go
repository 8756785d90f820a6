package notifications

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"research/api/problem"
	"research/db"
	"research/temporalclient"
	"research/workflows"
)

// runner starts runs of digests; *temporalclient.Client is one.
type runner interface {
	// SendDigests starts or joins the run that sends what is due. Its error is temporalclient.ErrUnavailable.
	SendDigests(ctx context.Context, frequency string) (temporalclient.DigestRun, error)
}

// Deps are the dependencies of the handler. All but Wait are required.
type Deps struct {
	Store      *db.Store
	Digests    runner
	Log        *slog.Logger
	CronSecret string
	PublicURL  string
	Wait       time.Duration // how long a request waits for the end of its run; 0 means 25 s
}

// defaultWait is below the 30 seconds after which many schedulers and proxies time out.
const defaultWait = 25 * time.Second

// A server answers /api/notifications.
type server struct {
	Deps
	edge   problem.Edge
	secret [sha256.Size]byte
}

// New returns the handler for everything below /api/notifications, which is not part of its paths.
func New(d Deps) (http.Handler, error) {
	if d.Store == nil || d.Digests == nil || d.Log == nil || d.CronSecret == "" || d.PublicURL == "" {
		return nil, errors.New("notifications: a dependency is missing")
	}
	if d.Wait == 0 {
		d.Wait = defaultWait
	}
	s := &server{
		Deps:   d,
		edge:   problem.Edge{Log: d.Log, Format: problem.FormatAPI, Translate: translate},
		secret: sha256.Sum256([]byte(d.CronSecret)),
	}
	r := chi.NewRouter()
	r.NotFound(s.edge.NotFound)
	r.MethodNotAllowed(s.edge.MethodNotAllowed)
	r.Post("/digest", s.edge.Handle(s.sendDigests))
	r.Get("/unsubscribe", s.askUnsubscribe)
	r.Post("/unsubscribe", s.unsubscribe)
	return r, nil
}

// digestResponse is the response to the scheduler. docs/digests.md describes the fields that go beyond ok,
// frequency and sent.
type digestResponse struct {
	OK         bool   `json:"ok"`
	Frequency  string `json:"frequency"`
	Sent       int    `json:"sent"`
	Skipped    int    `json:"skipped"`
	Failed     int    `json:"failed"`
	Uncertain  int    `json:"uncertain"`
	Status     string `json:"status"` // done or running
	WorkflowID string `json:"workflowId"`
	RunID      string `json:"runId"`
}

// sendDigests starts a run, or joins the one in progress, and responds when it is done or Wait is over.
func (s *server) sendDigests(w http.ResponseWriter, r *http.Request) error {
	if !s.authorized(r.Header.Get("Authorization")) {
		return errUnauthorized
	}
	frequencies := r.URL.Query()["frequency"]
	if len(frequencies) != 1 || frequencies[0] != workflows.Daily && frequencies[0] != workflows.Weekly {
		return errFrequency
	}
	frequency := frequencies[0]
	waiting, cancel := context.WithTimeout(r.Context(), s.Wait)
	defer cancel()
	run, err := s.Digests.SendDigests(waiting, frequency)
	if err != nil {
		return err
	}
	response := digestResponse{
		OK: true, Frequency: frequency, Status: "done", WorkflowID: run.WorkflowID, RunID: run.RunID,
	}
	result, err := run.Wait(waiting)
	switch {
	case err == nil:
		response.Sent, response.Skipped = result.Sent, result.Skipped
		response.Failed, response.Uncertain = result.Failed, result.Uncertain
		s.edge.WriteJSON(w, http.StatusOK, response)
		return nil
	case r.Context().Err() != nil:
		return nil // the client is gone; the run continues
	case errors.Is(err, context.DeadlineExceeded):
		return s.stillRunning(w, r, response)
	}
	return err
}

// stillRunning responds with what a run has done so far.
func (s *server) stillRunning(w http.ResponseWriter, r *http.Request, response digestResponse) error {
	counts, err := db.AsService(r.Context(), s.Store, func(q *db.Queries) (db.CountDigestRunRow, error) {
		return q.CountDigestRun(r.Context(), response.RunID)
	})
	if err != nil {
		return err
	}
	response.Status = "running"
	response.Sent, response.Skipped = int(counts.Sent), int(counts.Skipped)
	response.Failed, response.Uncertain = int(counts.Failed), int(counts.Uncertain)
	s.edge.WriteJSON(w, http.StatusAccepted, response)
	return nil
}

// authorized reports whether the header has CRON_SECRET. It takes the same time whatever the length of the
// secret.
func (s *server) authorized(authorization string) bool {
	scheme, secret, _ := strings.Cut(authorization, " ")
	given := sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(given[:], s.secret[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}
