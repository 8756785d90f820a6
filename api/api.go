// Package api is everything that speaks HTTP: one page that lists every mount, and the middleware that all share.
//
// What is mounted lives in a package of its own each, named after the first part of its path; they know nothing of each other.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/cors"

	"research/api/auth"
	"research/api/imports"
	"research/api/notifications"
	"research/api/rest"
	"research/api/token"
	"research/api/web"
	"research/db"
	"research/workflows"
)

// Deps are what the programs hand over; all but the URLs and the namespace are required.
type Deps struct {
	Store         *db.Store
	Workflows     *workflows.Client
	Keys          *token.Keys
	Gate          *token.Gate
	Rest          *rest.Handler
	Log           *slog.Logger
	Identity      auth.Config
	AnonKey       string // the page shows it, as every client does
	CronSecret    string
	TemporalUIURL string
	Namespace     string
}

// requestTimeout is above the slowest honest request: an upload of 10 MB over a slow line.
const requestTimeout = 2 * time.Minute

// New makes the handler of the whole service.
func New(ctx context.Context, d Deps) (http.Handler, error) {
	if d.Store == nil || d.Workflows == nil || d.Keys == nil || d.Gate == nil || d.Rest == nil || d.Log == nil {
		return nil, errors.New("api: a dependency is missing")
	}
	identity, err := auth.New(ctx, d.Identity, auth.Deps{Store: d.Store, Keys: d.Keys, Gate: d.Gate, Mail: d.Workflows, Log: d.Log})
	if err != nil {
		return nil, err
	}
	uploads, err := imports.New(imports.Deps{Store: d.Store, Parser: d.Workflows, Gate: d.Gate, Log: d.Log, TemporalUIURL: d.TemporalUIURL, Namespace: d.Namespace})
	if err != nil {
		return nil, err
	}
	notices, err := notifications.New(notifications.Deps{Store: d.Store, Digests: d.Workflows, Log: d.Log, CronSecret: d.CronSecret, PublicURL: d.Identity.PublicURL})
	if err != nil {
		return nil, err
	}
	page, err := web.New(web.Config{AnonKey: d.AnonKey})
	if err != nil {
		return nil, err
	}
	r := chi.NewRouter()
	r.Use(requestID, recoverer(d.Log), accessLog(d.Log), timeout(requestTimeout), crossOrigin())
	r.Mount("/auth/v1", identity)
	r.Mount("/api/import", uploads)
	r.Mount("/api/notifications", notices)
	r.Mount("/rest/v1", d.Gate.APIKey(d.Rest.WriteError)(d.Gate.Bearer(d.Rest.WriteError)(http.StripPrefix("/rest/v1", d.Rest))))
	r.Get("/healthz", healthz)
	r.Get("/readyz", readyz(d))
	r.Handle("/*", page)
	return r, nil
}

// crossOrigin lets browsers of other origins use the API: there are no cookies, so that an origin proves nothing.
func crossOrigin() func(http.Handler) http.Handler {
	return cors.Handler(cors.Options{
		AllowedOrigins: []string{"*"},
		AllowedMethods: []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"},
		AllowedHeaders: []string{"Accept", "Accept-Profile", "apikey", "Authorization", "Content-Profile", "Content-Type", "Prefer", "Range", "Range-Unit",
			"X-Client-Info", "X-Request-Id", "X-Retry-Count", "X-Supabase-Api-Version"},
		ExposedHeaders: []string{"Content-Encoding", "Content-Location", "Content-Range", "Location", "Preference-Applied", "Retry-After", "X-Request-Id",
			"X-Supabase-Api-Version", "X-Sb-Error-Code", "Link", "X-Rows-Cut", "X-Total-Count"},
		MaxAge: 86400,
	})
}

// healthz is liveness: it depends on nothing, so that a database that is away does not get the process killed.
func healthz(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// readyTimeout bounds each check of readiness.
const readyTimeout = 2 * time.Second

// readyz is readiness: PostgreSQL and Temporal answer.
func readyz(d Deps) http.HandlerFunc {
	checks := map[string]func(context.Context) error{"postgres": d.Store.Ping, "temporal": d.Workflows.Ready, "schema": d.Rest.Ready}
	return func(w http.ResponseWriter, r *http.Request) {
		type result struct {
			name string
			err  error
		}
		results := make(chan result, len(checks))
		ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
		defer cancel()
		for name, check := range checks {
			go func() { results <- result{name, check(ctx)} }()
		}
		body, status := map[string]string{}, http.StatusOK
		for range checks {
			one := <-results
			body[one.name] = "ok"
			if one.err != nil {
				body[one.name], status = "unavailable", http.StatusServiceUnavailable
				d.Log.WarnContext(r.Context(), "not ready", "dependency", one.name, "error", one.err)
			}
		}
		writeJSON(w, status, body)
	}
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}
