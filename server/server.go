// Package server runs the HTTP process: it wires the API, serves it, and drains it when the process is asked
// to stop.
//
// It mirrors package worker.
package server

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/sdk/client"

	"research/api"
	"research/api/answers"
	"research/api/auth"
	"research/api/cost"
	"research/api/events"
	"research/api/imports"
	"research/api/mcp"
	"research/api/notifications"
	"research/api/themes"
	"research/config"
	"research/db"
	"research/internal/outage"
	"research/telemetry"
	"research/temporalclient"
)

// Deps are the dependencies of Run, which the caller must close. All but PayloadKeys are required.
type Deps struct {
	Pools       Pools
	Temporal    client.Client
	Previews    notifications.Previewer
	Estimator   api.Estimator
	Prover      mcp.Prover
	PayloadKeys *temporalclient.Keyring // nil means that payloads are not encrypted
	// WatchImports keeps the states of imports true, until the context ends.
	WatchImports func(context.Context) error
	Version      string // of the program, for clients of /mcp
	Telemetry    *telemetry.Telemetry
	Log          *slog.Logger
}

// Run serves the API until ctx ends. Then it reports that it is not ready, drains the requests in progress,
// and returns.
func Run(ctx context.Context, cfg config.Config, d Deps) error {
	// Requests are drained after ctx has ended, so their dependencies must outlive it.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()

	signIn, err := AuthConfig(cfg)
	if err != nil {
		return err
	}
	keys, authenticator, err := OpenAuthenticator(ctx, cfg, d.Pools.Identity)
	if err != nil {
		return err
	}
	switch err := saveSettings(ctx, cfg, d.Pools.Identity); {
	case db.IsReadOnly(err): // what was stored last applies, and everything can be read
		go retrySettings(life, cfg, d.Pools.Identity, d.Log)
	case err != nil:
		return err
	}
	temporal := temporalclient.NewGuarded(d.Temporal, cfg.Temporal.Timeout, cfg.Temporal.Namespace,
		d.Pools.Identity, cfg.HTTP.PublicURL)
	preparing := make(chan struct{})
	go keepPrepared(ctx, temporal, cfg, d.Log, preparing)
	waitBriefly(preparing)
	statements := dataQueue(cfg.Data, d.Pools)
	data, err := openDataAPI(life, cfg, d.Pools, statements, d.Log)
	if err != nil {
		return err
	}
	go data.Follow(life)
	go expireEvents(life, d.Pools.Identity, cfg.Events.Retention, d.Log)
	go reloadOnHangup(life, data)
	go func() {
		if err := d.WatchImports(life); err != nil {
			d.Log.ErrorContext(life, "imports not watched", "error", err)
		}
	}()

	stopping := make(chan struct{})
	ready := api.Ready(api.Readiness{
		Needs: api.Checks{"postgres": d.Pools.Probes.Ping, "schema": data.Ready},
		Uses: api.Checks{ // sign-in, reads and exports do without Temporal, and reads without writes
			"temporal": temporal.Ready, "writes": d.Pools.Probes.CheckWrites,
		},
		Stopping: stopping, Log: d.Log,
	})
	handler, err := api.New(life, apiConfig(cfg, signIn, d.Version), api.Deps{
		Identity: d.Pools.Identity, Data: d.Pools.Data, Statements: statements, Uploads: uploadQueue(d.Pools),
		Workflows: temporal, Keys: keys, Authenticator: authenticator, Rest: data, Previews: d.Previews,
		Estimator: d.Estimator, Prover: d.Prover, PayloadKeys: d.PayloadKeys, Telemetry: d.Telemetry, Ready: ready,
		Stopping: stopping, Log: d.Log,
	})
	if err != nil {
		return err
	}
	if err := exportDatabase(d.Telemetry, d.Pools); err != nil {
		return err
	}
	if err := exportTemporal(d.Telemetry, temporal, cfg.Temporal.Namespace); err != nil {
		return err
	}
	if err := ServeOperators(life, cfg.Observability.MetricsAddr, d.Telemetry, ready, d.Log); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.HTTP.Addr)
	if err != nil {
		return fmt.Errorf("listen on HTTP_ADDR=%s: %w", cfg.HTTP.Addr, err)
	}
	d.Log.InfoContext(ctx, "serving", "address", listener.Addr().String(), "public_url", cfg.HTTP.PublicURL)
	limitMemory()
	return serve(ctx, newHTTPServer(handler, d.Log), listener, cfg.HTTP.DrainDelay, stopping, d.Log)
}

// apiConfig returns the settings of the API. The version is the program's.
func apiConfig(cfg config.Config, signIn auth.Config, version string) api.Config {
	return api.Config{
		Auth: signIn,
		Imports: imports.Config{
			QueueLimit:           cfg.Parse.QueueLimit,
			WorkspaceQueueLimit:  cfg.Parse.WorkspaceQueueLimit,
			UploadLimit:          cfg.Parse.UploadLimit,
			WorkspaceUploadLimit: cfg.Parse.WorkspaceUploadLimit,
			UsesModel:            cfg.Extract.UsesModel(),
			Prices:               cost.Prices(cfg.Extract.Prices),
			TemporalUIURL:        cfg.Temporal.UIURL,
			TemporalNamespace:    cfg.Temporal.Namespace,
		},
		Answers: answers.Config{
			QueueLimit:          cfg.Parse.QueueLimit,
			WorkspaceQueueLimit: cfg.Parse.WorkspaceQueueLimit,
			Limit:               cfg.Ask.Limit,
			Timeout:             cfg.Ask.Timeout,
			UsesModel:           cfg.Extract.UsesModel(),
			Prices:              cost.Prices(cfg.Extract.Prices),
		},
		Themes: themes.Config{
			QueueLimit:          cfg.Parse.QueueLimit,
			WorkspaceQueueLimit: cfg.Parse.WorkspaceQueueLimit,
			Limit:               cfg.Ask.Limit,
			Timeout:             cfg.Parse.Timeout,
			UsesModel:           cfg.Extract.UsesModel(),
			Prices:              cost.Prices(cfg.Extract.Prices),
		},
		MCP:           mcp.Config{Limit: cfg.MCP.Limit, Version: version},
		WithoutMCP:    withoutMCP(cfg),
		Events:        events.Config{Streams: cfg.Events.Streams, UserStreams: cfg.Events.UserStreams},
		RestBodyBytes: int64(cfg.Data.MaxBodyBytes),
		BodyBytes:     int64(cfg.HTTP.BodyBytes),
		AnonKey:       cfg.Keys.Anon,
		CronSecret:    cfg.Keys.CronSecret,
		MetricsToken:  cfg.Observability.MetricsToken,
		LocalMetrics:  cfg.Observability.LocalMetrics,
		CodecSecret:   cfg.Temporal.CodecSecret,
		MailSecret:    cfg.Mail.EventsSecret,
	}
}

// withoutMCP says why assistants cannot be connected. It is empty if they can.
func withoutMCP(cfg config.Config) string {
	switch {
	case !cfg.MCP.On:
		return "Assistants cannot be connected here: the operator has turned the MCP server off (MCP=off)."
	case cfg.Identity.Off:
		return "Assistants cannot be connected here: accounts belong to another service (IDENTITY=off)."
	}
	return ""
}

// settingsInterval is how often settings are stored that could not be at the start.
const settingsInterval = 5 * time.Second

// retrySettings stores the settings once the database can be written to.
func retrySettings(ctx context.Context, cfg config.Config, store *db.Store, log *slog.Logger) {
	failures := outage.New(log, "settings not stored")
	for {
		err := saveSettings(ctx, cfg, store)
		if ctx.Err() != nil {
			return
		}
		failures.Report(err)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(settingsInterval):
		}
	}
}

// saveSettings stores the settings that functions of the database read.
func saveSettings(ctx context.Context, cfg config.Config, store *db.Store) error {
	count := func(n int64) string { return strconv.FormatInt(n, 10) }
	return store.AsService(ctx, func(q *db.Queries) error {
		for _, setting := range []db.PutSettingParams{
			{Name: "digest_default_frequency", Value: cfg.Digest.DefaultFrequency},
			{Name: "webhook_endpoints", Value: count(int64(cfg.Events.WebhookEndpoints))},
			{Name: "webhook_allowed_hosts", Value: strings.ToLower(strings.Join(cfg.Events.WebhookHosts, ","))},
			{Name: "workspace_storage", Value: count(cfg.Quotas.WorkspaceStorage)},
			{Name: "account_storage", Value: count(cfg.Quotas.AccountStorage)},
			{Name: "workspace_uploads_per_day", Value: count(cfg.Quotas.WorkspaceUploadsPerDay)},
			{Name: "account_uploads_per_day", Value: count(cfg.Quotas.AccountUploadsPerDay)},
			{Name: "workspace_tokens_per_day", Value: count(cfg.Quotas.WorkspaceTokensPerDay)},
			{Name: "account_tokens_per_day", Value: count(cfg.Quotas.AccountTokensPerDay)},
		} {
			if err := q.PutSetting(ctx, setting); err != nil {
				return err
			}
		}
		return nil
	})
}
