package notifications

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"research/api/problem"
	"research/db"
	"research/workflows"
)

// runner starts runs of digests; *workflows.Client is one.
type runner interface {
	// SendDigests starts or joins the run that sends what is due. Its error is workflows.ErrUnavailable.
	SendDigests(ctx context.Context, frequency string) (workflows.DigestRun, error)
}

// Deps are what the server needs. All but Wait are required.
type Deps struct {
	Store      *db.Store
	Digests    runner
	Log        *slog.Logger
	CronSecret string
	PublicURL  string
	Wait       time.Duration // how long a call takes at most, from the start of its run on; 0: 25 s, below what schedulers wait for us
}

// defaultWait is below the half minute after which many schedulers and proxies give up.
const defaultWait = 25 * time.Second

// A server answers /api/notifications.
type server struct {
	Deps
	edge   problem.Edge
	secret [sha256.Size]byte
}

// New makes the handler for everything under /api/notifications; paths are those after it.
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

// digestAnswer is what the scheduler gets. All but the first three are ours.
type digestAnswer struct {
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

func (s *server) sendDigests(w http.ResponseWriter, r *http.Request) error {
	if !s.opens(r.Header.Get("Authorization")) {
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
	answer := digestAnswer{OK: true, Frequency: frequency, Status: "done", WorkflowID: run.WorkflowID, RunID: run.RunID}
	result, err := run.Wait(waiting)
	switch {
	case err == nil:
		answer.Sent, answer.Skipped, answer.Failed, answer.Uncertain = result.Sent, result.Skipped, result.Failed, result.Uncertain
		s.edge.WriteJSON(w, http.StatusOK, answer)
		return nil
	case r.Context().Err() != nil:
		return nil // nobody waits any more; the run goes on
	case errors.Is(err, context.DeadlineExceeded):
		return s.stillRunning(w, r, answer)
	}
	return err
}

// stillRunning tells where a run stands that takes longer than a caller waits.
func (s *server) stillRunning(w http.ResponseWriter, r *http.Request, answer digestAnswer) error {
	answer.Status = "running"
	err := s.Store.AsService(r.Context(), func(q *db.Queries) error {
		counts, err := q.CountDigestRun(r.Context(), answer.RunID)
		for _, c := range counts {
			switch c.Status {
			case db.DeliveryStatusSent:
				answer.Sent = int(c.Deliveries)
			case db.DeliveryStatusSkipped:
				answer.Skipped = int(c.Deliveries)
			case db.DeliveryStatusFailed:
				answer.Failed = int(c.Deliveries)
			case db.DeliveryStatusUncertain:
				answer.Uncertain = int(c.Deliveries)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusAccepted, answer)
	return nil
}

// opens compares with CRON_SECRET in constant time, whatever the length.
func (s *server) opens(authorization string) bool {
	scheme, secret, _ := strings.Cut(authorization, " ")
	given := sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(given[:], s.secret[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}

//go:embed unsubscribe.html
var files embed.FS

var page = template.Must(template.ParseFS(files, "unsubscribe.html"))

// The states of the page.
const (
	pageAsk     = "ask"
	pageStopped = "stopped"
	pageBad     = "bad"
	pageTrouble = "trouble"
)

// askUnsubscribe shows a page with a button, and changes nothing: programs that look for malware follow every link.
func (s *server) askUnsubscribe(w http.ResponseWriter, r *http.Request) {
	key, err := s.key(r.Context())
	if err != nil {
		s.trouble(w, r, err)
		return
	}
	if _, err := db.ReadUnsubscribeToken(key, db.ListDigest, r.URL.Query().Get("token")); err != nil {
		s.show(w, http.StatusBadRequest, pageBad)
		return
	}
	s.show(w, http.StatusOK, pageAsk)
}

// unsubscribe takes effect at once, whoever posts: a mail program (List-Unsubscribe=One-Click) or the page's own form. A repetition is no error, and neither is an
// account that is gone.
func (s *server) unsubscribe(w http.ResponseWriter, r *http.Request) {
	key, err := s.key(r.Context())
	if err != nil {
		s.trouble(w, r, err)
		return
	}
	user, err := db.ReadUnsubscribeToken(key, db.ListDigest, r.URL.Query().Get("token"))
	if err != nil {
		s.show(w, http.StatusBadRequest, pageBad)
		return
	}
	err = s.Store.AsService(r.Context(), func(q *db.Queries) error {
		_, err := q.StopDigests(r.Context(), user)
		return err
	})
	if err != nil {
		s.trouble(w, r, err)
		return
	}
	s.show(w, http.StatusOK, pageStopped)
}

func (s *server) key(ctx context.Context) ([]byte, error) {
	return db.AsService(ctx, s.Store, func(q *db.Queries) ([]byte, error) {
		return q.GetSecret(ctx, db.SecretUnsubscribe)
	})
}

func (s *server) trouble(w http.ResponseWriter, r *http.Request, err error) {
	s.Log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
	w.Header().Set("Retry-After", "30")
	s.show(w, http.StatusServiceUnavailable, pageTrouble)
}

func (s *server) show(w http.ResponseWriter, status int, state string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("Referrer-Policy", "no-referrer") // the address is the token
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Robots-Tag", "noindex")
	w.WriteHeader(status)
	if err := page.Execute(w, struct{ State, SettingsURL string }{state, s.PublicURL + "/settings"}); err != nil {
		s.Log.Debug("the client went away", "error", err)
	}
}
