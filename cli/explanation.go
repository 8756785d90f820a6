package cli

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"research/activities"
	"research/config"
	"research/db"
	"research/temporalclient"
)

// mostExplained is how many rows of each kind a timeline has at most; the oldest are left out.
const mostExplained = 200

// An explanation holds the state of an import in the database and in Temporal.
type explanation struct {
	at        time.Time
	imports   db.ExplainImportRow
	runs      []db.ExplainRunsRow // the newest first
	chunks    []db.ExplainChunksRow
	responses []db.ExplainResponsesRow
	workers   activities.RunningVersions

	history     temporalclient.ParseHistory
	temporalErr error // why Temporal could not be asked; activities.ErrNoRun for no run
	temporal    config.Temporal
}

func explainImport(ctx context.Context, cfg config.Config, id uuid.UUID) (*explanation, error) {
	store, err := openStore(ctx, cfg, "research explain", nil)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	e := &explanation{at: time.Now(), temporal: cfg.Temporal}
	err = store.AsService(ctx, func(q *db.Queries) (err error) {
		if e.imports, err = q.ExplainImport(ctx, id); err != nil {
			return err
		}
		e.runs, err = q.ExplainRuns(ctx, db.ExplainRunsParams{ImportID: id, Maximum: mostExplained})
		if err != nil {
			return err
		}
		e.chunks, err = q.ExplainChunks(ctx, db.ExplainChunksParams{ImportID: id, Maximum: mostExplained})
		if err != nil {
			return err
		}
		workers, err := q.ListWorkers(ctx)
		if err != nil {
			return err
		}
		e.workers = activities.VersionsOf(workers)
		e.responses, err = q.ExplainResponses(ctx, db.ExplainResponsesParams{ImportID: id, Maximum: mostExplained})
		return err
	})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, errors.New("there is no such import")
	case err != nil:
		return nil, err
	}
	c, _, err := dialTemporal(cfg, "research explain", false, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer c.Close()
	temporal := temporalclient.NewGuarded(c, cfg.Temporal.Timeout, cfg.Temporal.Namespace, store,
		cfg.HTTP.PublicURL)
	if e.temporalErr = temporal.CheckNamespace(ctx); e.temporalErr == nil {
		e.history, e.temporalErr = temporal.ReadParse(ctx, id)
	}
	return e, nil
}

func (e *explanation) ago(at time.Time) string { return e.at.Sub(at).Round(time.Second).String() }

// hasNoRun reports whether Temporal has no record of a run of the import.
func (e *explanation) hasNoRun() bool { return errors.Is(e.temporalErr, activities.ErrNoRun) }
