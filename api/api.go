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
	"research/api/codec"
	"research/api/imports"
	"research/api/notifications"
	"research/api/rest"
	"research/api/token"
	"research/api/web"
	"research/db"
	"research/telemetry"
	"research/temporalclient"
)

// Deps are what the programs hand over; all are required but those that say otherwise.
type Deps struct {
	Store         *db.Store
	Workflows     *temporalclient.Client
	Keys          *token.Keys
	Authenticator *token.Authenticator
	Rest          *rest.Handler
	Log           *slog.Logger
	Auth          auth.Config
	Telemetry     *telemetry.Telemetry
	AnonKey       string // the page shows it, as every client does
	CronSecret    string
	MetricsToken  string                  // empty: /metrics is for this machine alone
	TemporalUIURL string                  // may be empty
	Namespace     string                  // may be empty
	QueueLimit    int                     // imports that may wait or be parsed at once; 0: any number
	QueueShare    int                     // the same, of one workspace
	PayloadKeys   *temporalclient.Keyring // nil: there is nothing to decrypt
	CodecSecret   string                  // empty: nobody may decrypt
	Stopping      <-chan struct{}         // closed when the server is about to stop; nil: never
}

// requestTimeout is above the slowest honest request: an upload of 10 MB over a slow line.
const requestTimeout = 2 * time.Minute

// New makes the handler of the whole service.
func New(ctx context.Context, d Deps) (http.Handler, error) {
	if d.Store == nil || d.Workflows == nil || d.Keys == nil || d.Authenticator == nil || d.Rest == nil || d.Telemetry == nil || d.Log == nil {
		return nil, errors.New("api: a dependency is missing")
	}
	identity, err := auth.New(ctx, d.Auth, auth.Deps{Store: d.Store, Keys: d.Keys, Authenticator: d.Authenticator, Mail: d.Workflows, Log: d.Log})
	if err != nil {
		return nil, err
	}
	uploads, err := imports.New(imports.Deps{Store: d.Store, Parser: d.Workflows, Authenticator: d.Authenticator, Log: d.Log, TemporalUIURL: d.TemporalUIURL, Namespace: d.Namespace,
		QueueLimit: d.QueueLimit, QueueShare: d.QueueShare})
	if err != nil {
		return nil, err
	}
	notices, err := notifications.New(notifications.Deps{Store: d.Store, Digests: d.Workflows, Log: d.Log, CronSecret: d.CronSecret, PublicURL: d.Auth.Identity.PublicURL})
	if err != nil {
		return nil, err
	}
	page, err := web.New(web.Config{AnonKey: d.AnonKey})
	if err != nil {
		return nil, err
	}
	r := chi.NewRouter()
	r.Use(requestID, careful, drain(d.Stopping), observe(d.Telemetry, d.Log), recoverer(d.Log), timeout(requestTimeout))
	r.Group(func(r chi.Router) {
		r.Use(crossOrigin())
		r.Mount("/auth/v1", identity)
		r.Mount("/api/import", uploads)
		r.Mount("/api/notifications", notices)
		r.Mount("/rest/v1", d.Authenticator.APIKey(d.Rest.WriteError)(d.Authenticator.Bearer(d.Rest.WriteError)(http.StripPrefix("/rest/v1", d.Rest))))
		r.Handle("/*", page)
	})
	// What follows is for operators, and so for no page of another origin.
	ready := map[string]func(context.Context) error{"postgres": d.Store.Ping, "temporal": d.Workflows.Ready, "schema": d.Rest.Ready}
	r.Get("/healthz", Live)
	r.Get("/readyz", Ready(ready, d.Stopping, d.Log))
	r.With(guardMetrics(d.MetricsToken)).Get("/metrics", d.Telemetry.Handler().ServeHTTP)
	if d.PayloadKeys != nil && d.CodecSecret != "" {
		decrypting, err := codec.New(codec.Config{
			Codec: d.PayloadKeys, Secret: d.CodecSecret, Log: d.Log,
			PublicURL: d.Auth.Identity.PublicURL, UIURL: d.TemporalUIURL,
		})
		if err != nil {
			return nil, err
		}
		r.Mount(codec.Path, decrypting)
	}
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

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}
