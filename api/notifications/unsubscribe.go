package notifications

import (
	"context"
	"embed"
	"html/template"
	"net/http"

	"github.com/google/uuid"

	"research/db"
	"research/internal/unsubscribe"
)

//go:embed unsubscribe.html
var files embed.FS

var page = template.Must(template.ParseFS(files, "unsubscribe.html"))

// contentSecurityPolicy allows the page its inline styles and its own form, and nothing else.
const contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'"

// The states of the page.
const (
	pageAsk    = "ask"
	pageDone   = "done"
	pageBad    = "bad"
	pageFailed = "failed"
)

// askUnsubscribe shows a page with a button and changes nothing, because malware scanners follow every link.
func (s *server) askUnsubscribe(w http.ResponseWriter, r *http.Request) {
	if _, ok := s.tokenUser(w, r); ok {
		s.writePage(w, http.StatusOK, pageAsk)
	}
}

// unsubscribe turns off the digests of the token's user at once, for a mail program
// (List-Unsubscribe=One-Click) and for the form of the page. Repeating it is not an error, nor is a user who
// no longer exists.
func (s *server) unsubscribe(w http.ResponseWriter, r *http.Request) {
	user, ok := s.tokenUser(w, r)
	if !ok {
		return
	}
	_, err := db.AsService(r.Context(), s.Store, func(q *db.Queries) (int64, error) {
		return q.TurnOffDigests(r.Context(), user)
	})
	if err != nil {
		s.writeFailure(w, r, err)
		return
	}
	// After a restore, `research restore-fence --unsubscribed` takes the ids from here.
	s.Log.InfoContext(r.Context(), "unsubscribed from digests", "user_id", user)
	s.writePage(w, http.StatusOK, pageDone)
}

// tokenUser returns the user whom the request's token unsubscribes. If it returns false, it has responded.
func (s *server) tokenUser(w http.ResponseWriter, r *http.Request) (uuid.UUID, bool) {
	key, err := s.key(r.Context())
	if err != nil {
		s.writeFailure(w, r, err)
		return uuid.Nil, false
	}
	user, err := key.User(unsubscribe.Digests, r.URL.Query().Get("token"))
	if err != nil {
		s.writePage(w, http.StatusBadRequest, pageBad)
		return uuid.Nil, false
	}
	return user, true
}

func (s *server) key(ctx context.Context) (unsubscribe.Key, error) {
	return db.AsService(ctx, s.Store, func(q *db.Queries) (unsubscribe.Key, error) {
		return q.GetSecret(ctx, unsubscribe.SecretName)
	})
}

func (s *server) writeFailure(w http.ResponseWriter, r *http.Request, err error) {
	s.Log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
	w.Header().Set("Retry-After", "30")
	s.writePage(w, http.StatusServiceUnavailable, pageFailed)
}

func (s *server) writePage(w http.ResponseWriter, status int, state string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", contentSecurityPolicy)
	h.Set("Referrer-Policy", "no-referrer") // the URL has the token
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Robots-Tag", "noindex")
	w.WriteHeader(status)
	data := struct{ State, SettingsURL string }{state, s.PublicURL + "/settings"}
	if err := page.Execute(w, data); err != nil {
		s.Log.Debug("page not sent", "error", err)
	}
}
