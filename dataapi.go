package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"research/api/rest"
	"research/config"
	"research/db"
)

// openData makes the data API and keeps its schema up to date until the context ends.
func openData(
	ctx context.Context, cfg config.Config, store *db.Store, log *slog.Logger,
) (*rest.Handler, error) {
	c := cfg.Data
	data, err := rest.New(ctx, rest.Config{
		Schemas:          c.Schemas,
		MaxRows:          int64(c.MaxRows),
		MaxBodyBytes:     int64(c.MaxBodyBytes),
		StatementTimeout: c.StatementTimeout,
		AllowUnfiltered:  c.AllowUnfiltered,
		Aggregates:       c.Aggregates,
		Plan:             c.Plan,
		TerseErrors:      c.TerseErrors,
		Prefix:           "/rest/v1",
		PublicURL:        cfg.HTTP.PublicURL + "/rest/v1",
		HideDescription:  !c.OpenAPI,
	}, rest.Deps{Store: store, Log: log})
	if err != nil {
		return nil, err
	}
	go data.Follow(ctx)
	go reloadOnSignal(ctx, data)
	return data, nil
}

// reloadOnSignal reloads the schema on SIGHUP. (`research dev` ends on it, as its terminal does.)
func reloadOnSignal(ctx context.Context, data *rest.Handler) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
			_ = data.Reload(ctx) // it logs, and /readyz tells
		}
	}
}
