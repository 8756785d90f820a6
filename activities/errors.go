package activities

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"research/activities/extract"
	"research/activities/mail"
	"research/db"
)

// The types of errors that a workflow may branch on, as they stand in Temporal's history. Those of a model's server are extract.Kind.
const (
	// TypeSuperseded: the import was claimed by a newer request, or is gone; nothing more to do.
	TypeSuperseded = "superseded"
	// TypeTokenLimit: MAX_TOKENS_PER_IMPORT would be passed.
	TypeTokenLimit = "token_limit"
	// TypeHandedOver: the worker was asked to stop between two calls.
	TypeHandedOver = "handed_over"
	// TypeMailRefused: the mail server does not take this recipient or this mail, now or later.
	TypeMailRefused = "mail_refused"
)

// How often a chunk is tried, by what went wrong. The workflow's own limit is above both.
const (
	// A server that fails six times within half a minute has a longer trouble: the chunk becomes a visible gap.
	unavailableAttempts = 6
	// A server that asks to wait is asked again for up to half an hour.
	rateLimitedAttempts = 30
)

// handOverDelay is short: the worker that stops takes no more work, so that the next attempt is another's.
const handOverDelay = 100 * time.Millisecond

// EndsImport tells the types of errors after which no other chunk could be read either.
func EndsImport(errorType string) bool {
	switch errorType {
	case TypeTokenLimit, string(extract.BadKey), string(extract.NoCredit), string(extract.ModelNotFound), string(extract.BadRequest):
		return true
	}
	return false
}

// errSuperseded is never retried.
func errSuperseded() error {
	return temporal.NewNonRetryableApplicationError("another request took over this import", TypeSuperseded, nil)
}

func isSuperseded(err error) bool {
	var known *temporal.ApplicationError
	return errors.As(err, &known) && known.Type() == TypeSuperseded
}

// errHandedOver: this worker is stopping, and another one goes on from the answers that are stored. Nobody needs to look into it.
func errHandedOver() error {
	return temporal.NewApplicationErrorWithOptions("the worker is stopping", TypeHandedOver, temporal.ApplicationErrorOptions{
		NextRetryDelay: handOverDelay, Category: temporal.ApplicationErrorCategoryBenign,
	})
}

func errTokenLimit() error {
	return temporal.NewNonRetryableApplicationError("the limit of tokens for one import is reached", TypeTokenLimit, nil)
}

// modelError decides whether a failed call is made again, and when.
func modelError(err *extract.Error, attempt int32) error {
	options := temporal.ApplicationErrorOptions{NonRetryable: true, NextRetryDelay: err.RetryAfter}
	switch err.Kind {
	case extract.Unavailable:
		options.NonRetryable = attempt >= unavailableAttempts
	case extract.RateLimited:
		options.NonRetryable = attempt >= rateLimitedAttempts
		if options.NextRetryDelay == 0 {
			options.NextRetryDelay = min(time.Duration(attempt)*2*time.Second, time.Minute)
		}
	}
	return temporal.NewApplicationErrorWithOptions(err.Error(), string(err.Kind), options)
}

// mailError: what the mail server refuses for good is not tried again.
func mailError(err error) error {
	var refused *mail.PermanentError
	if errors.As(err, &refused) {
		return temporal.NewNonRetryableApplicationError(refused.Error(), TypeMailRefused, nil)
	}
	return temporal.NewApplicationError("the mail was not taken", "mail_unavailable")
}

// dbError keeps the driver's words out of Temporal's history; what it knows to be final is not retried.
func dbError(doing string, err error) error {
	var known *temporal.ApplicationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, db.ErrNotFound):
		return errSuperseded()
	case errors.Is(err, db.ErrUnavailable):
		return temporal.NewApplicationError(doing+": the database is unavailable", "database_unavailable")
	}
	return temporal.NewApplicationErrorWithOptions(doing+": the database refused", "database", temporal.ApplicationErrorOptions{Cause: hidden{err}})
}

// failed logs an error where it occurred, with the given attributes and the activity's place in Temporal, and
// returns it as dbError does: nil for nil.
func failed(ctx context.Context, log *slog.Logger, doing string, err error, attributes ...any) error {
	if err == nil {
		return nil
	}
	info := activity.GetInfo(ctx)
	log.With(attributes...).ErrorContext(ctx, "activity failed",
		"doing", doing,
		"workflow_id", info.WorkflowExecution.ID,
		"run_id", info.WorkflowExecution.RunID,
		"attempt", info.Attempt,
		"error", err)
	return dbError(doing, err)
}

// hidden is an error that logs can see and histories cannot: Temporal's converter stores its text.
type hidden struct{ err error }

func (h hidden) Error() string { return "see the worker's log" }
func (h hidden) Unwrap() error { return nil }
