package events

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"research/api/admission"
	"research/api/problem"
	"research/api/token"
	"research/db"
)

// Config holds the settings of operators. All are required.
type Config struct {
	Streams     int // the maximum of open streams
	UserStreams int // the same for one user
}

// Deps are the dependencies of the handler. All are required unless their comment says otherwise.
type Deps struct {
	Config
	Store         *db.Store
	Authenticator *token.Authenticator
	Log           *slog.Logger
	Stopping      <-chan struct{} // closed when the server is about to stop; nil means never
	Heartbeat     time.Duration   // between comments; 0 means 20 seconds
}

// defaultHeartbeat is below 30 seconds, after which some proxies close an idle connection.
const defaultHeartbeat = 20 * time.Second

// maxOpenings is the number of streams that may begin at the same time. Users take turns, one at a time.
const maxOpenings = 2

// openingWait is how long a stream may wait for its turn to begin.
const openingWait = 10 * time.Second

// maxReads is the number of streams that may read from the database at the same time.
const maxReads = 4

// A server serves the streams.
type server struct {
	store         *db.Store
	authenticator *token.Authenticator
	log           *slog.Logger
	edge          problem.Edge
	hub           *hub
	users         *admission.Queue
	openings      *admission.Queue
	reads         chan struct{}
	stopping      <-chan struct{}
	streams       int
	heartbeat     time.Duration
}

// Streams is the handler of the streams: of an import or an answer, if the route has the parameter importId
// or answerId, and otherwise of the caller's workspaces. It also wakes others in the process that wait for
// events.
type Streams struct {
	server  *server
	handler http.Handler
}

func (s *Streams) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// WatchAnswer registers a caller that waits for an answer on behalf of a user, until stop is called: wake
// receives after each event of the answer, and after each change of the user's memberships. It tells nothing
// about the events, which the caller reads with the rights of the user. Whoever waits counts as a stream.
//
// Errors: admission.ErrBusy if the user has as many streams as one may have, and a *problem.Error if the
// process has.
func (s *Streams) WatchAnswer(
	ctx context.Context, user, answer uuid.UUID,
) (wake <-chan struct{}, stop func(), err error) {
	ticket, err := s.server.users.Enter(ctx, admission.Caller{User: user})
	if err != nil {
		return nil, nil, err
	}
	watcher := &stream{user: user, entity: &entity{answers, answer}, wake: make(chan struct{}, 1)}
	if !s.server.hub.add(watcher, s.server.streams) {
		ticket.Leave()
		return nil, nil, errFull
	}
	return watcher.wake, func() {
		s.server.hub.remove(watcher)
		ticket.Leave()
	}, nil
}

// New returns the streams. It publishes events until ctx ends.
func New(ctx context.Context, d Deps) (*Streams, error) {
	if d.Store == nil || d.Authenticator == nil || d.Log == nil || d.Streams < 1 || d.UserStreams < 1 {
		return nil, errors.New("events: a dependency is missing")
	}
	s := &server{
		store: d.Store, authenticator: d.Authenticator, log: d.Log,
		edge:  problem.Edge{Log: d.Log, Format: problem.FormatAPI, Translations: translations, Lenient: true},
		hub:   &hub{store: d.Store, log: d.Log, streams: map[*stream]struct{}{}},
		users: admission.New(admission.Config{UserRequests: d.UserStreams}, nil),
		openings: admission.New(admission.Config{
			UserRequests: d.UserStreams, Slots: maxOpenings, WorkspaceSlots: 1, MaxWait: openingWait,
		}, ownTurn),
		reads: make(chan struct{}, maxReads), stopping: d.Stopping, streams: d.Streams, heartbeat: d.Heartbeat,
	}
	if s.heartbeat == 0 {
		s.heartbeat = defaultHeartbeat
	}
	go s.hub.run(ctx)
	return &Streams{s, d.Authenticator.APIKey(s.edge.Write)(s.edge.Handle(s.open))}, nil
}

// entityOf returns what the route names, or nil.
func entityOf(r *http.Request) (*entity, error) {
	for _, kind := range kinds {
		text := chi.URLParam(r, kind.parameter)
		if text == "" {
			continue
		}
		id, err := uuid.Parse(text)
		if err != nil {
			return nil, kind.missing // nothing has an id that is not a UUID
		}
		return &entity{kind, id}, nil
	}
	return nil, nil
}

// ownTurn gives each user turns of their own.
func ownTurn(_ context.Context, user uuid.UUID) (uuid.UUID, error) { return user, nil }

// open serves a stream until the client or the server ends it.
func (s *server) open(w http.ResponseWriter, r *http.Request) error {
	select {
	case <-s.stopping:
		return errStopping
	default:
	}
	principal, err := s.authenticator.Admit(r)
	if err != nil {
		return err
	}
	if principal.Subject.Role == db.RoleAnon {
		return token.ErrNoToken
	}
	if err := problem.CheckQuery(r); err != nil {
		return err
	}
	service := principal.Subject.Role == db.RoleService
	caller := admission.Caller{User: principal.Subject.UserID, Trusted: service}
	ticket, err := s.users.Enter(r.Context(), caller)
	if err != nil {
		return err
	}
	defer ticket.Leave()

	f := &follower{
		server: s, request: r,
		stream: &stream{user: principal.Subject.UserID, wake: make(chan struct{}, 1)},
	}
	if service {
		f.stream.user = uuid.Nil
	}
	if f.stream.entity, err = entityOf(r); err != nil {
		return err
	}
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		if f.after, err = strconv.ParseInt(last, 10, 64); err != nil || f.after < 0 {
			return problem.Invalid("Last-Event-ID", "Last-Event-ID is not the id of an event.")
		}
		f.resumed = true
	}
	// Register the stream first, so that it is woken for every event after its start.
	if !s.hub.add(f.stream, s.streams) {
		return errFull
	}
	defer s.hub.remove(f.stream)
	begin := func() error { return f.begin(principal.Subject) }
	if err := s.openings.Do(r.Context(), caller, begin); err != nil {
		return err
	}
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", "text/event-stream")
		return nil
	}
	f.follow(w, principal.Expires)
	return nil
}
