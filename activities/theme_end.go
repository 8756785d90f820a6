package activities

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"research/db"
	"research/outcome"
)

// FailThemes ends a run that did not finish. Nothing is proposed. A retry changes nothing.
func (a *Themes) FailThemes(ctx context.Context, in FailThemesInput) (ThemesEnd, error) {
	defer heartbeat(ctx, nil)()
	end, _, err := a.ender.fail(ctx, in)
	return end, err
}

// A themeEnder ends runs of themes, on behalf of the runs or of the reconciler.
type themeEnder struct {
	store *db.Store
	log   *slog.Logger
}

// fail ends a run without success.
func (e *themeEnder) fail(ctx context.Context, in FailThemesInput) (end ThemesEnd, wrote bool, err error) {
	end, wrote, err = e.end(ctx, in.ThemeRunRef, func(q *db.Queries, _ db.ThemeRun) (db.ThemeRun, error) {
		return q.EndThemeRun(ctx, endThemesParams(in))
	})
	if err == nil && wrote {
		e.log.InfoContext(ctx, "proposals of themes ended", "theme_run_id", in.ThemeRunID,
			"status", end.Status, "error_code", end.ErrorCode)
	}
	return end, wrote, err
}

func endThemesParams(in FailThemesInput) db.EndThemeRunParams {
	return db.EndThemeRunParams{
		ThemeRunID: in.ThemeRunID, ClaimID: in.ClaimID, Status: db.ThemeRunStatus(in.Status),
		ErrorCode: string(in.ErrorCode), ErrorMessage: in.ErrorCode.ThemesMessage(),
	}
}

// end locks a run and ends it. If it has already ended, end returns that end and false.
func (e *themeEnder) end(
	ctx context.Context, ref ThemeRunRef, write func(*db.Queries, db.ThemeRun) (db.ThemeRun, error),
) (end ThemesEnd, wrote bool, err error) {
	err = e.store.AsService(ctx, func(q *db.Queries) error {
		run, err := ref.lock(ctx, q)
		wrote = err == nil
		switch {
		case errors.Is(err, db.ErrNotFound):
			run, err = q.GetEndedThemeRun(ctx, db.GetEndedThemeRunParams(ref))
		case err == nil:
			run, err = write(q, run)
		}
		end = themesEndOf(run)
		return err
	})
	if err != nil {
		conflict := errors.Is(err, db.ErrConflict)
		err = failed(ctx, e.log, "finish a run of themes", err, ref.attributes()...)
		if conflict && activity.IsActivity(ctx) && activity.GetInfo(ctx).Attempt >= maxConflicts {
			err = temporal.NewNonRetryableApplicationError(err.Error(), string(outcome.CodeInternal), nil)
		}
		return ThemesEnd{}, false, err
	}
	return end, wrote, nil
}

// maxConflicts is how many attempts may violate a constraint. A conflict with what somebody just wrote passes
// with the next one; another one never does.
const maxConflicts = 3

// themesEndOf returns the end that the row of a run records.
func themesEndOf(row db.ThemeRun) ThemesEnd {
	end := ThemesEnd{
		Status: outcome.ThemeRunStatus(row.Status), ErrorCode: outcome.Code(valueOf(row.ErrorCode)),
		Proposed: int(row.ProposedCount), Quotes: int(row.QuotesCount), Unused: int(row.UnusedCount),
		Rejected: int(row.RejectedCount), Coverage: row.Coverage,
	}
	if row.FinishedAt != nil {
		end.Took = max(row.FinishedAt.Sub(row.QueuedAt), time.Duration(0))
	}
	return end
}
