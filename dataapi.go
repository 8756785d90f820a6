package main

import (
	"context"
	"log/slog"

	"research/api/rest"
	"research/config"
	"research/db"
)

// maxRows is what one answer of the data API holds, as in Supabase.
const maxRows = 1000

// openData makes the data API and keeps its schema up to date until the context ends.
func openData(ctx context.Context, cfg config.Config, store *db.Store, log *slog.Logger) (*rest.Handler, error) {
	data, err := rest.New(ctx, rest.Config{Schemas: []string{"public"}, MaxRows: maxRows, Prefix: "/rest/v1",
		OpenAPI: rest.OpenAPI{PublicURL: cfg.HTTP.PublicURL + "/rest/v1"}}, rest.Deps{Store: store, Log: log})
	if err != nil {
		return nil, err
	}
	go data.Follow(ctx)
	return data, nil
}
