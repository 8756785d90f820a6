package rest

import (
	"context"
	"fmt"
	"time"

	"research/api/rest/catalog"
	"research/db"
	"research/internal/outage"
)

// Reload loads the schema again. Requests use the old one until the new one is complete. If loading fails,
// the old one stays in use and Ready returns the error.
func (h *Handler) Reload(ctx context.Context) error {
	h.reload.Lock()
	defer h.reload.Unlock()
	c, err := catalog.Load(ctx, CatalogQuery(h.store), h.cfg.Schemas)
	h.failed.Store(&err)
	if err != nil {
		h.log.ErrorContext(ctx, "schema not reloaded", "error", err)
		return err
	}
	h.store.ForgetPrepared()
	h.schema.Store(newSchema(c))
	return nil
}

// CatalogQuery returns a query that reads the catalog of a database as the anonymous role.
func CatalogQuery(store *db.Store) catalog.Query {
	return func(ctx context.Context, sql string) ([]byte, error) {
		results, err := store.Run(ctx, db.Subject{}, db.Batch{
			ReadOnly: true, Settings: []db.Setting{{Name: "search_path", Value: ""}}, Queries: []db.Query{{SQL: sql}},
		}, nil)
		if err != nil {
			return nil, err
		}
		values := results[0].Values
		if len(values) == 0 {
			return nil, fmt.Errorf("the statement returned no row")
		}
		return values[0][0], nil
	}
}

// Ready returns the error of the latest reload.
func (h *Handler) Ready(context.Context) error {
	if failed := h.failed.Load(); failed != nil {
		return *failed
	}
	return nil
}

// reloads reports whether a notification requests a reload of the schema. PostgREST has others, such as one
// for its configuration.
func reloads(payload string) bool { return payload == "" || payload == "reload schema" }

// Follow reloads the schema whenever the database sends `notify pgrst`, until the context ends.
func (h *Handler) Follow(ctx context.Context) {
	failures := outage.New(h.log, "not listening for schema changes")
	for ctx.Err() == nil {
		err := h.store.Listen(ctx, "pgrst", func(payload string) {
			failures.Report(nil) // it listens
			if reloads(payload) {
				_ = h.Reload(ctx) // it logs, and Ready reports it
			}
		})
		if ctx.Err() == nil {
			failures.Report(err)
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
}
