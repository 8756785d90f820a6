package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

// A ThemeRunRef names a run that proposes themes and the request for it. A write for a request that has ended
// changes nothing.
type ThemeRunRef struct {
	ThemeRunID uuid.UUID
	ClaimID    uuid.UUID
}

// Themes are the activities that propose themes. They share the store, the transcripts and the breaker of
// Imports, because they call the same model. Temporal knows them by the names of the methods.
type Themes struct {
	imports *Imports
	finder  extract.ThemeFinder // nil without a model
	cfg     ThemesConfig
	ender   *themeEnder
}

// ThemesConfig configures how themes are proposed.
type ThemesConfig struct {
	MaxTokens int64 // of one run; 0 means no limit
}

// NewThemes returns the activities. finder is nil without a model: then runs fail.
func NewThemes(imports *Imports, finder extract.ThemeFinder, cfg ThemesConfig) (*Themes, error) {
	if imports == nil {
		return nil, errors.New("activities: a dependency of Themes is missing")
	}
	return &Themes{
		imports: imports, finder: finder, cfg: cfg, ender: &themeEnder{imports.store, imports.log},
	}, nil
}

// A ThemePlan is what a run has to read.
type ThemePlan struct {
	Chunks      []int // ordinals of the chunks that are not read yet
	Total       int   // chunks of the plan
	Concurrency int   // PARSE_CONCURRENCY
}

// ReadForThemesInput names a chunk of the plan of a run.
type ReadForThemesInput struct {
	ThemeRunRef
	Ordinal int
}

// LabelGroups is how far labels are grouped, for readers of Temporal's UI.
type LabelGroups struct {
	// Done is false if another call is needed: the next activity makes it.
	Done   bool
	Labels int
	Groups int
}

// FailThemesInput describes how a run ended.
type FailThemesInput struct {
	ThemeRunRef
	Status    outcome.ThemeRunStatus // failed, canceled or timed_out
	ErrorCode outcome.Code
}

// ThemesEnd is the end of a run, as the database records it.
type ThemesEnd struct {
	Status    outcome.ThemeRunStatus
	ErrorCode outcome.Code // empty for done

	Proposed, Quotes, Unused, Rejected int
	Coverage                           float64
	Took                               time.Duration // from the request to the end
}

// attributes name the run in logs.
func (ref ThemeRunRef) attributes() []any { return []any{"theme_run_id", ref.ThemeRunID} }

// lock locks the row of a run for a write on its behalf. The error is db.ErrNotFound if the claim has ended.
func (ref ThemeRunRef) lock(ctx context.Context, q *db.Queries) (db.ThemeRun, error) {
	return q.LockThemeRun(ctx, db.LockThemeRunParams(ref))
}

// isClaimed returns db.ErrNotFound if the claim has ended.
func (ref ThemeRunRef) isClaimed(ctx context.Context, q *db.Queries) error {
	_, err := q.FindThemeClaim(ctx, db.FindThemeClaimParams(ref))
	return err
}

// needModel returns an error if there is no model: a run may have been planned by a worker that had one.
func (a *Themes) needModel() error {
	if a.finder == nil {
		return temporal.NewNonRetryableApplicationError("no model is configured",
			string(outcome.CodeModelNotFound), nil)
	}
	return nil
}

// end records what a run waits for after an attempt to call the model has failed, and converts its error for
// Temporal.
func (a *Themes) end(ctx context.Context, ref ThemeRunRef, err error) error {
	if err == nil {
		return nil
	}
	reason, err := attemptEnd(ctx, err)
	detachedCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	endErr := a.imports.store.AsService(detachedCtx, func(q *db.Queries) error {
		_, err := q.SetThemeRunWaiting(detachedCtx, db.SetThemeRunWaitingParams{
			ThemeRunID: ref.ThemeRunID, ClaimID: ref.ClaimID, WaitingReason: reason,
		})
		return err
	})
	if endErr != nil { // the reconciler finds out by itself
		a.imports.log.WarnContext(ctx, "end of an attempt not recorded",
			append(ref.attributes(), "error", endErr)...)
	}
	return err
}

// reserveTokens reserves the tokens of a call if neither MAX_TOKENS_PER_ANSWER nor the day forbids it. spent
// is what the run has taken until now.
func (a *Themes) reserveTokens(
	ctx context.Context, ref ThemeRunRef, wanted int64, reserve func(q *db.Queries, spent int64) (bool, error),
) error {
	err := a.imports.store.AsService(ctx, func(q *db.Queries) error {
		run, err := ref.lock(ctx, q)
		if err != nil {
			return err
		}
		spent := run.InputTokens + run.OutputTokens
		if a.cfg.MaxTokens > 0 && spent+wanted > a.cfg.MaxTokens {
			return errThemesTokenLimit()
		}
		reserved, err := reserve(q, spent)
		if err == nil && !reserved {
			return errThemesTokenLimit()
		}
		return err
	})
	return failed(ctx, a.imports.log, "reserve tokens", err, ref.attributes()...)
}

// errThemesTokenLimit ends a run whose next call would exceed what it may use, or what is left of the day.
func errThemesTokenLimit() error { return tokenLimitError("the token limit of the run is reached") }

// readerOfThemes is what reads with a model.
func readerOfThemes(f extract.ThemeFinder) reader {
	return reader{f.Name(), f.Model(), f.ThemesPromptVersion()}
}

// promptOf names the prompts about themes for keys of responses.
func promptOf(kind string, f extract.ThemeFinder) string {
	return fmt.Sprintf("themes %s\n%s\n%s\n%s", kind, f.Name(), f.Model(), f.ThemesPromptVersion())
}
