package server

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"research/api/admission"
	"research/api/rest"
	"research/config"
)

// openDataAPI creates the handler of /rest/v1 and loads the database's schema.
func openDataAPI(
	ctx context.Context, cfg config.Config, pools Pools, statements *admission.Queue, log *slog.Logger,
) (*rest.Handler, error) {
	c := cfg.Data
	return rest.New(ctx, rest.Config{
		Schemas:          c.Schemas,
		MaxRows:          int64(c.MaxRows),
		MaxBodyBytes:     int64(c.MaxBodyBytes),
		MaxAnswerBytes:   int64(c.MaxAnswerBytes),
		MaxCost:          float64(c.MaxCost),
		StatementTimeout: c.StatementTimeout,
		AllowUnfiltered:  c.AllowUnfiltered,
		Rollback:         c.Rollback,
		TxOverride:       c.TxOverride,
		Aggregates:       c.Aggregates,
		Plan:             c.Plan,
		TerseErrors:      c.TerseErrors,
		Prefix:           "/rest/v1",
		PublicURL:        cfg.HTTP.PublicURL + "/rest/v1",
		HideDescription:  !c.OpenAPI,
	}, rest.Deps{Store: pools.Data, Admission: statements, Log: log})
}

// reloadOnHangup reloads the schema on each SIGHUP, until ctx ends.
func reloadOnHangup(ctx context.Context, data *rest.Handler) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
			_ = data.Reload(ctx) // it logs its error, and /readyz reports it
		}
	}
}
