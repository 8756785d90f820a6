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
	"research/outcome"
)

// Types of errors that are not an outcome.Code, as Temporal's histories record them.
const (
	// TypeSuperseded means that a newer request claimed the import, or that the import is gone. Nothing more to
	// do.
	TypeSuperseded = "superseded"
	// TypeHandedOver means that the worker was asked to stop between two calls.
	TypeHandedOver = "handed_over"
	// TypeMailRefused means that the mail server permanently rejects this recipient or this mail.
	TypeMailRefused = "mail_refused"
)

// Limits of the attempts of a chunk, by error. The limit of the workflow's options is above both.
const (
	// A server that fails six times within half a minute will not recover soon: the chunk becomes an unread
	// range.
	unavailableAttempts = 6
	// A server that limits the rate is called again for up to half an hour.
	rateLimitedAttempts = 30
)

// handOverDelay is short: the stopping worker takes no more tasks, so the next attempt is another worker's.
const handOverDelay = 100 * time.Millisecond

// errSuperseded is never retried.
func errSuperseded() error {
	return temporal.NewNonRetryableApplicationError("another request took over this import", TypeSuperseded, nil)
}

func isSuperseded(err error) bool {
	var known *temporal.ApplicationError
	return errors.As(err, &known) && known.Type() == TypeSuperseded
}

// errHandedOver lets another worker continue from the responses that are stored. It is benign: Temporal
// neither logs nor counts it as a failure.
func errHandedOver() error {
	return temporal.NewApplicationErrorWithOptions("the worker is stopping", TypeHandedOver,
		temporal.ApplicationErrorOptions{
			NextRetryDelay: handOverDelay, Category: temporal.ApplicationErrorCategoryBenign,
		})
}

func errTokenLimit() error {
	return temporal.NewNonRetryableApplicationError("the token limit of the import is reached",
		string(outcome.CodeTokenLimit), nil)
}

// modelError decides whether a failed call is retried, and when.
func modelError(err *extract.Error, attempt int32) error {
	options := temporal.ApplicationErrorOptions{NonRetryable: true, NextRetryDelay: err.RetryAfter}
	switch err.Code {
	case outcome.CodeModelUnavailable:
		options.NonRetryable = attempt >= unavailableAttempts
	case outcome.CodeModelRateLimited:
		options.NonRetryable = attempt >= rateLimitedAttempts
		if options.NextRetryDelay == 0 {
			options.NextRetryDelay = min(time.Duration(attempt)*2*time.Second, time.Minute)
		}
	}
	return temporal.NewApplicationErrorWithOptions(err.Error(), string(err.Code), options)
}

// mailError does not retry what the mail server permanently rejects.
func mailError(err error) error {
	var permanent *mail.PermanentError
	if errors.As(err, &permanent) {
		return temporal.NewNonRetryableApplicationError(permanent.Error(), TypeMailRefused, nil)
	}
	return temporal.NewApplicationError("the mail server did not accept the mail", "mail_unavailable")
}

// dbError keeps the driver's text out of Temporal's histories. A missing row means that the claim is not the
// latest, and is not retried.
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
	return temporal.NewApplicationError(doing+": the database returned an error, see the worker's log", "database")
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
