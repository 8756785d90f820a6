package mail

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"research/api/problem"
	"research/db"
)

// Deps are the dependencies of the handler. All but HTTP are required.
type Deps struct {
	Store  *db.Store
	Log    *slog.Logger
	Secret string            // MAIL_EVENTS_SECRET
	HTTP   http.RoundTripper // confirms subscriptions at Amazon; nil means http.DefaultTransport
}

const (
	// maxBodyBytes exceeds a notification that includes the bounced mail, and a hundred events of SES.
	maxBodyBytes = 2 << 20
	// maxEvents is how many events are recorded in one transaction.
	maxEvents = 1000
	// confirmTimeout bounds the confirmation of a subscription. SNS waits 15 seconds for the response.
	confirmTimeout = 10 * time.Second
)

type server struct {
	Deps
	edge   problem.Edge
	secret [sha256.Size]byte
	client *http.Client
}

// New returns the handler for /api/mail. Its paths are relative to that.
func New(d Deps) (http.Handler, error) {
	if d.Store == nil || d.Log == nil || d.Secret == "" {
		return nil, errors.New("mail: a dependency is missing")
	}
	s := &server{
		Deps:   d,
		edge:   problem.Edge{Log: d.Log, Format: problem.FormatAPI, Lenient: true},
		secret: sha256.Sum256([]byte(d.Secret)),
		client: &http.Client{
			Transport:     d.HTTP,
			Timeout:       confirmTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	r := chi.NewRouter()
	s.edge.Fallbacks(r)
	r.Post("/events", s.edge.Handle(s.receiveEvents))
	return r, nil
}

// eventsResponse counts the events of a request.
type eventsResponse struct {
	OK       bool `json:"ok"`
	Events   int  `json:"events"`   // bounces, complaints and deliveries
	Recorded int  `json:"recorded"` // those that changed the state of an address or a digest
}

// receiveEvents records the events of a request. A relay may repeat a request.
func (s *server) receiveEvents(w http.ResponseWriter, r *http.Request) error {
	if !s.authorized(r) {
		return errUnauthorized
	}
	if err := problem.CheckQuery(r); err != nil {
		return err
	}
	events, err := s.readEvents(w, r)
	if err != nil {
		return err
	}
	if len(events) > maxEvents {
		return errTooMany
	}
	recorded, err := s.record(r.Context(), events)
	if err != nil {
		return err
	}
	s.Log.InfoContext(r.Context(), "mail events received", "events", len(events), "recorded", recorded)
	s.edge.WriteJSON(w, http.StatusOK, eventsResponse{OK: true, Events: len(events), Recorded: recorded})
	return nil
}

// authorized reports whether the request has MAIL_EVENTS_SECRET: as a bearer token, or as the password of
// basic authentication, since Amazon and Postmark take credentials from the endpoint's URL. The comparison
// takes the same time for a secret of any length.
func (s *server) authorized(r *http.Request) bool {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	known := strings.EqualFold(scheme, "Bearer")
	if _, password, basic := r.BasicAuth(); basic {
		secret, known = password, true
	}
	given := sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(given[:], s.secret[:]) == 1 && known
}

// readEvents reads the body by its media type. Amazon SNS sends JSON as text/plain.
func (s *server) readEvents(w http.ResponseWriter, r *http.Request) ([]event, error) {
	mediaType, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return nil, errMediaType
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, errTooLarge
	case err != nil:
		return nil, err
	}
	switch mediaType {
	case "application/json", "text/plain":
		return s.readJSON(r.Context(), body)
	case "message/delivery-status", "multipart/report", "message/rfc822":
		return readNotification(mediaType, parameters, body)
	}
	return nil, errMediaType
}
