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
	"github.com/google/uuid"

	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/temporalclient"
)

// runner starts runs of digests. *temporalclient.Client implements it.
type runner interface {
	// SendDigests starts or joins the run that sends the due digests. Its error is
	// temporalclient.ErrUnavailable.
	SendDigests(ctx context.Context, frequency string) (temporalclient.DigestRun, error)
	// SendDigestPreview starts the workflow that mails a preview to a user. Its errors are
	// temporalclient.ErrPreviewSent and temporalclient.ErrUnavailable.
	SendDigestPreview(ctx context.Context, user uuid.UUID, frequency string) error
}

// Deps are the dependencies of the handler. All but Wait are required.
type Deps struct {
	Store         *db.Store
	Digests       runner
	Previews      Previewer
	Authenticator *token.Authenticator
	Log           *slog.Logger
	CronSecret    string
	PublicURL     string
	Wait          time.Duration // how long a request waits for the end of its run; 0 means 25 s
}

// defaultWait is below 30 seconds, after which many schedulers and proxies time out.
const defaultWait = 25 * time.Second

// A server serves /api/notifications.
type server struct {
	Deps
	edge   problem.Edge
	secret [sha256.Size]byte
}

// New returns the handler for /api/notifications. Its paths are relative to that.
func New(d Deps) (http.Handler, error) {
	if d.Store == nil || d.Digests == nil || d.Previews == nil || d.Authenticator == nil || d.Log == nil ||
		d.CronSecret == "" || d.PublicURL == "" {
		return nil, errors.New("notifications: a dependency is missing")
	}
	if d.Wait == 0 {
		d.Wait = defaultWait
	}
	s := &server{
		Deps:   d,
		edge:   problem.Edge{Log: d.Log, Format: problem.FormatAPI, Translations: translations},
		secret: sha256.Sum256([]byte(d.CronSecret)),
	}
	r := chi.NewRouter()
	s.edge.Fallbacks(r)
	r.With(s.requireSecret).Post("/digest", s.edge.Handle(s.sendDigests, "frequency"))
	r.Group(func(r chi.Router) {
		r.Use(
			d.Authenticator.APIKey(s.edge.Write), d.Authenticator.Bearer(s.edge.Write), token.SignedIn(s.edge.Write),
		)
		r.Get("/digest/preview", s.edge.Handle(s.previewDigest, "frequency"))
		r.Post("/digest/preview", s.edge.Handle(s.mailPreview, "frequency"))
	})
	// Programs that count clicks add parameters to links in mails.
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

// requireSecret rejects requests without CRON_SECRET.
func (s *server) requireSecret(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.authorized(r.Header.Get("Authorization")) {
			s.edge.Write(w, r, errUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// sendDigests starts a run, or joins the one in progress, and responds when it is done or Wait is over.
func (s *server) sendDigests(w http.ResponseWriter, r *http.Request) error {
	frequency, err := readFrequency(r)
	if err != nil {
		return err
	}
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
	case err == nil && result.Open > 0: // the run was about to end when this request joined it
		return s.stillRunning(w, r, response)
	case err == nil:
		response.Sent, response.Skipped = result.Sent, result.Skipped
		response.Failed, response.Uncertain = result.Failed, result.Uncertain
		s.edge.WriteJSON(w, http.StatusOK, response)
		return nil
	case r.Context().Err() != nil:
		return nil // the client has disconnected; the run continues
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, temporalclient.ErrUnavailable):
		// It was started: that Temporal does not answer now does not end it.
		return s.stillRunning(w, r, response)
	}
	return err
}

// stillRunning responds with what a run has done so far.
func (s *server) stillRunning(w http.ResponseWriter, r *http.Request, response digestResponse) error {
	counts, err := db.AsService(r.Context(), s.Store, func(q *db.Queries) (db.CountRequestedDigestsRow, error) {
		return q.CountRequestedDigests(r.Context(), response.RunID)
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

// authorized reports whether the header contains CRON_SECRET. The comparison takes the same time for a secret
// of any length.
func (s *server) authorized(authorization string) bool {
	scheme, secret, _ := strings.Cut(authorization, " ")
	given := sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(given[:], s.secret[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}
