// Package api serves HTTP. This file lists every mount; the middleware that they share is beside it.
//
// Each mount is a package of its own, named after the first part of its path. They do not import each other.
package api

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"research/api/account"
	"research/api/address"
	"research/api/admission"
	"research/api/answers"
	"research/api/auth"
	"research/api/body"
	"research/api/codec"
	"research/api/events"
	"research/api/findings"
	"research/api/imports"
	"research/api/mail"
	"research/api/mcp"
	"research/api/notifications"
	"research/api/problem"
	"research/api/projects"
	"research/api/reference"
	"research/api/refi"
	"research/api/rest"
	"research/api/themes"
	"research/api/token"
	"research/api/web"
	"research/db"
	"research/identity"
	"research/internal/ratelimit"
	"research/telemetry"
	"research/temporalclient"
	"research/transcript"
)

// Config holds the settings of operators, with a part for each edge that has several.
type Config struct {
	Auth          auth.Config
	Answers       answers.Config
	Themes        themes.Config
	Imports       imports.Config
	Events        events.Config
	MCP           mcp.Config
	WithoutMCP    string // why assistants cannot be connected; empty if they can
	AnonKey       string // the page sends it, as every client does
	RestBodyBytes int64  // of one request to the data API
	BodyBytes     int64  // of all request bodies in memory; 0 means 128 MB
	CronSecret    string // the scheduler's bearer token
	MetricsToken  string // for /metrics
	LocalMetrics  bool   // without a token, requests from this machine may read /metrics
	CodecSecret   string // empty disables decryption of payloads
	MailSecret    string // for relays that report bounces; empty rejects all reports
}

// Deps are the dependencies of New. All are required unless their comment says otherwise.
type Deps struct {
	Identity      *db.Store        // for statements that must not wait for those of clients
	Data          *db.Store        // for imports
	Statements    *admission.Queue // of Data's connections; nil means that every statement is admitted
	Uploads       *admission.Queue // of uploads; nil means that all are admitted
	Workflows     *temporalclient.Client
	Keys          *token.Keys
	Authenticator *token.Authenticator
	Rest          *rest.Handler
	Previews      notifications.Previewer
	Estimator     Estimator
	Prover        mcp.Prover
	PayloadKeys   *temporalclient.Keyring // nil means that payloads are not encrypted
	Telemetry     *telemetry.Telemetry
	Ready         http.Handler    // answers /readyz; see Ready
	Stopping      <-chan struct{} // closed when the server is about to stop; nil means never
	Log           *slog.Logger
}

// An Estimator estimates what a model would take to read.
type Estimator interface {
	imports.Estimator
	answers.Estimator
	themes.Estimator
}

// ReadTimeout is how long a body may take to arrive.
const ReadTimeout = 3 * time.Minute

// defaultBodyBytes suffices for a dozen uploads at the same moment.
const defaultBodyBytes = 128 << 20

// requestTimeout exceeds the slowest legitimate request, an upload of 10 MB over a slow connection.
const requestTimeout = 2 * time.Minute

// edges are the handlers of the mounts that clients use.
type edges struct {
	signIn, accounts, answers, imports, streams, findings, notifications, projects, data, page http.Handler

	assistants http.Handler

	reference reference.Routes
	documents auth.Documents
}

// New makes the handler of the whole service.
func New(ctx context.Context, cfg Config, d Deps) (http.Handler, error) {
	if d.Identity == nil || d.Data == nil || d.Workflows == nil || d.Keys == nil || d.Authenticator == nil ||
		d.Rest == nil || d.Previews == nil || d.Estimator == nil || d.Prover == nil || d.Telemetry == nil ||
		d.Ready == nil || d.Log == nil {
		return nil, errors.New("api: a dependency is missing")
	}
	e, err := newEdges(ctx, cfg, d)
	if err != nil {
		return nil, err
	}
	r := chi.NewRouter()
	r.Use(
		body.Drain,
		cleanPath,
		routedMethods,
		requestID,
		securityHeaders(strings.HasPrefix(cfg.Auth.Identity.PublicURL, "https://")),
		closeConnections(d.Stopping),
		observe(d.Telemetry, d.Log),
		recoverer(d.Log),
		limitBodies(cfg).Handler,
	)
	ours := problem.Edge{Log: d.Log, Format: formatAny, Lenient: true}
	clients := chi.NewRouter()
	clients.Use(crossOrigin, plainBodies(ours))
	clients.Handle("/api/events", ours.ReadOnly(e.streams)) // streams outlast the request timeout
	clients.Handle("/api/import/{importId}/events", ours.ReadOnly(e.streams))
	clients.Handle("/api/answer/{answerId}/events", ours.ReadOnly(e.streams))
	clients.Group(func(r chi.Router) {
		r.Use(timeout(requestTimeout))
		r.Mount("/auth/v1", e.signIn)
		r.Mount("/api/account", e.accounts)
		r.Mount("/api/answer", e.answers)
		r.Mount("/api/findings", e.findings)
		r.Mount("/api/import", e.imports)
		r.Mount("/api/notifications", e.notifications)
		r.Mount("/api/project", e.projects)
		r.Mount("/rest/v1", e.data)
		r.Mount(mcp.Path, e.assistants)
		for _, prefix := range reserved {
			r.Mount(prefix, notFound(ours))
		}
		for prefix, sentence := range notOffered {
			r.Mount(prefix, ours.Handle(absent(sentence)))
		}
		for path, document := range e.documents {
			r.Handle(path, ours.ReadOnly(document)) // they replace what is reserved
		}
		e.reference.Mount(r, d.Rest.ServeGuide, ours.ReadOnly) // /docs replaces what is reserved
		r.Handle("/*", ours.ReadOnly(e.page))
	})
	r.Mount("/", clients)
	// The following routes are for operators, so they have no CORS headers.
	if err := mountOperators(r.With(timeout(requestTimeout)), cfg, d); err != nil {
		return nil, err
	}
	return r, nil
}

// limitBodies bounds the bodies of all requests. What counts as one client is a network: accounts are free.
func limitBodies(cfg Config) *body.Limiter {
	bytes := cmp.Or(cfg.BodyBytes, defaultBodyBytes)
	return body.New(body.Config{
		Bytes:        bytes,
		RequestBytes: min(bytes/2, max(cfg.RestBodyBytes, transcript.MaxBytes)+1<<20),
		ReadTimeout:  ReadTimeout,
		NetworkOf: func(r *http.Request) string {
			return ratelimit.Network(address.Of(r, cfg.Auth.TrustedHops))
		},
	})
}

// mountOperators adds the routes for operators, mail relays and Temporal's UI.
func mountOperators(r chi.Router, cfg Config, d Deps) error {
	guarded := guardMetrics(cfg.MetricsToken, cfg.LocalMetrics)(d.Telemetry.Handler())
	ours := problem.Edge{Log: d.Log, Format: problem.FormatAPI}
	r.Handle("/healthz", ours.ReadOnly(http.HandlerFunc(live)))
	r.Handle("/readyz", ours.ReadOnly(d.Ready))
	r.Handle("/metrics", ours.ReadOnly(guarded))
	if d.PayloadKeys != nil && cfg.CodecSecret != "" {
		decrypting, err := codec.New(codec.Config{
			Codec: d.PayloadKeys, Secret: cfg.CodecSecret, Log: d.Log,
			PublicURL: cfg.Auth.Identity.PublicURL, UIURL: cfg.Imports.TemporalUIURL,
		})
		if err != nil {
			return err
		}
		r.Mount(codec.Path, decrypting)
	}
	if cfg.MailSecret != "" {
		relays, err := mail.New(mail.Deps{Store: d.Identity, Log: d.Log, Secret: cfg.MailSecret})
		if err != nil {
			return err
		}
		r.With(plainBodies(ours)).Mount("/api/mail", relays)
	}
	return nil
}

// newEdges creates the edges. The edge of events publishes until ctx ends.
func newEdges(ctx context.Context, cfg Config, d Deps) (e edges, err error) {
	users, err := identity.New(ctx, cfg.Auth.Identity, identity.Deps{
		Store: d.Identity, Mail: d.Workflows, Sessions: d.Authenticator,
	})
	if err != nil {
		return e, err
	}
	signIn := auth.Deps{Identity: users, Keys: d.Keys, Authenticator: d.Authenticator, Log: d.Log}
	if e.signIn, err = auth.New(cfg.Auth, signIn); err != nil {
		return e, err
	}
	if e.documents, err = auth.NewDocuments(cfg.Auth, signIn, cfg.WithoutMCP); err != nil {
		return e, err
	}
	e.accounts, err = account.New(account.Deps{
		Identity: users, Store: d.Data, Statements: d.Statements, Authenticator: d.Authenticator, Log: d.Log,
		TrustedHops: cfg.Auth.TrustedHops,
	})
	if err != nil {
		return e, err
	}
	e.imports, err = imports.New(imports.Deps{
		Config: cfg.Imports, Store: d.Data, Uploads: d.Uploads, Statements: d.Statements,
		Parser: d.Workflows, Estimator: d.Estimator,
		Authenticator: d.Authenticator, Log: d.Log,
	})
	if err != nil {
		return e, err
	}
	asked, err := answers.New(answers.Deps{
		Config: cfg.Answers, Store: d.Data, Estimates: d.Uploads, Statements: d.Statements,
		Runner: d.Workflows, Estimator: d.Estimator, Authenticator: d.Authenticator, Log: d.Log,
	})
	if err != nil {
		return e, err
	}
	e.answers = asked.Answers
	proposed, err := themes.New(themes.Deps{
		Config: cfg.Themes, Store: d.Data, Estimates: d.Uploads, Statements: d.Statements,
		Runner: d.Workflows, Estimator: d.Estimator, Log: d.Log,
	})
	if err != nil {
		return e, err
	}
	streams, err := events.New(ctx, events.Deps{
		Config: cfg.Events, Store: d.Identity, Authenticator: d.Authenticator, Log: d.Log, Stopping: d.Stopping,
	})
	if err != nil {
		return e, err
	}
	e.streams = streams
	e.findings, err = findings.New(findings.Deps{
		Store: d.Data, Statements: d.Statements, Authenticator: d.Authenticator, Log: d.Log,
		PublicURL: cfg.Auth.Identity.PublicURL, TrustedHops: cfg.Auth.TrustedHops,
	})
	if err != nil {
		return e, err
	}
	e.notifications, err = notifications.New(notifications.Deps{
		Store: d.Identity, Digests: d.Workflows, Previews: d.Previews, Authenticator: d.Authenticator, Log: d.Log,
		CronSecret: cfg.CronSecret, PublicURL: cfg.Auth.Identity.PublicURL,
	})
	if err != nil {
		return e, err
	}
	exchange, err := newExchange(cfg, d)
	if err != nil {
		return e, err
	}
	e.projects, err = projects.New(projects.Deps{
		Store: d.Data, Statements: d.Statements, Ask: asked.Ask, Exchange: exchange,
		Themes:        projects.Themes(proposed),
		Authenticator: d.Authenticator, Log: d.Log,
	})
	if err != nil {
		return e, err
	}
	if e.assistants, err = newAssistants(cfg, d, asked.Asker, streams); err != nil {
		return e, err
	}
	data := http.StripPrefix("/rest/v1", http.Handler(d.Rest))
	for _, authenticate := range []func(token.ErrorWriter) func(http.Handler) http.Handler{
		d.Authenticator.Bearer, d.Authenticator.APIKey, d.Authenticator.KeyInAddress,
	} {
		data = authenticate(d.Rest.WriteError)(data)
	}
	e.data = data
	if e.page, err = newPage(cfg); err != nil {
		return e, err
	}
	e.reference, err = reference.New()
	return e, err
}

// newExchange creates the handlers of exports and imports of projects. Interviews of a project that is
// imported are stored as uploads are.
func newExchange(cfg Config, d Deps) (projects.Exchange, error) {
	handlers, err := refi.New(refi.Deps{
		Config: refi.Config{
			UploadLimit: cfg.Imports.UploadLimit, WorkspaceUploadLimit: cfg.Imports.WorkspaceUploadLimit,
		},
		Store: d.Data, Statements: d.Statements, Uploads: d.Uploads, Log: d.Log,
		StoreInterview: func(ctx context.Context, q *db.Queries, i refi.Interview) (uuid.UUID, error) {
			return imports.StoreFile(ctx, q, imports.File(i))
		},
	})
	return projects.Exchange(handlers), err
}

// newAssistants creates the edge of assistants, or its replacement where there is none.
func newAssistants(
	cfg Config, d Deps, asker *answers.Asker, streams *events.Streams,
) (http.Handler, error) {
	if cfg.WithoutMCP != "" {
		edge := problem.Edge{Log: d.Log, Format: formatAny, Lenient: true}
		return edge.Handle(absent(cfg.WithoutMCP)), nil
	}
	cfg.MCP.PublicURL = cfg.Auth.Identity.PublicURL
	return mcp.New(cfg.MCP, mcp.Deps{
		Store: d.Data, Statements: d.Statements, Proofs: d.Uploads, Authenticator: d.Authenticator,
		Asker: asker, Answers: streams, Prover: d.Prover, Guide: projects.Guide, Telemetry: d.Telemetry,
		Log: d.Log, Stopping: d.Stopping,
	})
}

// newPage makes the page, with the address for assistants if they can be connected.
func newPage(cfg Config) (http.Handler, error) {
	page := web.Config{AnonKey: cfg.AnonKey, UsesModel: cfg.Imports.UsesModel}
	if cfg.WithoutMCP == "" {
		page.MCP = token.Resource(cfg.Auth.Identity.PublicURL)
	}
	return web.New(page)
}
