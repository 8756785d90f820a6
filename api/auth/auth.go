package auth

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"github.com/go-chi/chi/v5"
	"golang.org/x/crypto/bcrypt"

	"research/api/token"
	"research/db"
)

// Deps are what the server needs; all are required.
type Deps struct {
	Store *db.Store
	Keys  *token.Keys
	Gate  *token.Gate
	Log   *slog.Logger
}

// A Server answers /auth/v1.
type Server struct {
	store   *db.Store
	keys    *token.Keys
	gate    *token.Gate
	log     *slog.Logger
	now     func() time.Time
	hashing chan struct{} // one token a password being hashed
	decoy   []byte        // a hash that no password has, so that unknown users take as long as known ones
}

// maxBody is what GoTrue accepts.
const maxBody = 1 << 20

// New makes the handler for everything under /auth/v1; paths are those after it.
func New(d Deps) (http.Handler, error) {
	if d.Store == nil || d.Keys == nil || d.Gate == nil || d.Log == nil {
		return nil, errors.New("auth: a dependency is missing")
	}
	decoy, err := bcrypt.GenerateFromPassword([]byte(token.NewServiceKey()), bcrypt.DefaultCost)
	if err != nil {
		return nil, err
	}
	// Hashing is left one core less than there are, so that other requests stay quick.
	s := &Server{store: d.Store, keys: d.Keys, gate: d.Gate, log: d.Log, now: time.Now, decoy: decoy, hashing: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1))}
	r := chi.NewRouter()
	r.NotFound(s.handle(func(http.ResponseWriter, *http.Request) error {
		return fail(http.StatusNotFound, "not_found", "There is nothing at this path.")
	}))
	r.MethodNotAllowed(s.handle(func(http.ResponseWriter, *http.Request) error {
		return fail(http.StatusMethodNotAllowed, "method_not_allowed", "This path does not answer this method.")
	}))
	r.Group(func(r chi.Router) {
		r.Use(d.Gate.APIKey(s.writeError))
		r.Post("/token", s.handle(s.grantToken))
	})
	return r, nil
}

// readJSON reads a body of at most maxBody. Unknown fields are tolerated, as GoTrue does.
func readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(into)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return fail(http.StatusRequestEntityTooLarge, "request_too_large", "The body is larger than 1 MB.")
	case err != nil:
		return fail(http.StatusBadRequest, "bad_json", "Could not read the body as JSON of the right shape.")
	}
	return nil
}
