package activities

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
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
	// TypeSuperseded means that a newer request claimed the import or answer, or that it is gone. The activity
	// has nothing more to do.
	TypeSuperseded = "superseded"
	// TypeHandedOver means that the worker was asked to stop between two calls.
	TypeHandedOver = "handed_over"
	// TypeParseTimeout means that PARSE_TIMEOUT has passed. Its detail is the code of the import.
	TypeParseTimeout = "parse_timeout"
	// TypeTokenBudget means that the quota of tokens of the day is used up.
	TypeTokenBudget = "token_budget"
	// TypeMailRefused means that the mail server permanently rejects this recipient or this mail.
	TypeMailRefused = "mail_refused"
)

// handOverDelay is short: the stopping worker takes no more tasks, so the next attempt is another worker's.
const handOverDelay = 100 * time.Millisecond

// errSuperseded is never retried.
func errSuperseded() error {
	return temporal.NewNonRetryableApplicationError("another request took over", TypeSuperseded, nil)
}

// errHandedOver lets another worker continue from the responses that are stored. It is benign: Temporal
// neither logs nor counts it as a failure.
func errHandedOver() error {
	return benignError("the worker is stopping", TypeHandedOver, handOverDelay)
}

func benignError(message, errorType string, delay time.Duration) error {
	return temporal.NewApplicationErrorWithOptions(message, errorType, temporal.ApplicationErrorOptions{
		NextRetryDelay: delay, Category: temporal.ApplicationErrorCategoryBenign,
	})
}

// errTokenBudget lets the import wait for the tokens of the next day.
func errTokenBudget() error {
	return benignError("the tokens of the day are used up", TypeTokenBudget, budgetDelay(time.Now()))
}

// maxBudgetDelay is how long an import waits for more tokens before it looks again: an operator may have
// raised the quota.
const maxBudgetDelay = 10 * time.Minute

// budgetDelay returns the delay until the next day begins in UTC, if that is soon. It is jittered, so that
// imports do not begin at the same moment.
func budgetDelay(now time.Time) time.Duration {
	const day = 24 * time.Hour
	left := now.UTC().Truncate(day).Add(day).Sub(now)
	if left < maxBudgetDelay {
		return left + time.Duration(rand.Int64N(int64(time.Minute)))
	}
	return maxBudgetDelay - time.Duration(rand.Int64N(int64(maxBudgetDelay/4)))
}

func errTokenLimit() error { return tokenLimitError("the token limit of the import is reached") }

func tokenLimitError(message string) error {
	return temporal.NewNonRetryableApplicationError(message, string(outcome.CodeTokenLimit), nil)
}

// isType reports whether an error is one of Temporal's of a type.
func isType(err error, errorType string) bool {
	var known *temporal.ApplicationError
	return errors.As(err, &known) && known.Type() == errorType
}

func isSuperseded(err error) bool { return isType(err, TypeSuperseded) }

// modelError is the error of an activity whose call failed. A failure that may pass is tried again after the
// delay.
func modelError(err *extract.Error, delay time.Duration) error {
	code := err.Code
	return temporal.NewApplicationErrorWithOptions(err.Error(), string(code), temporal.ApplicationErrorOptions{
		NonRetryable: !isTransient(code), NextRetryDelay: delay,
	})
}

// isTransient reports whether a failure of the model may pass.
func isTransient(code outcome.Code) bool {
	return code == outcome.CodeModelUnavailable || code == outcome.CodeModelRateLimited
}

// transientFailure returns the failure of a model that may pass, or nil.
func transientFailure(err error) *extract.Error {
	var failure *extract.Error
	if errors.As(err, &failure) && isTransient(failure.Code) {
		return failure
	}
	return nil
}

// Delays between attempts while the model fails.
const (
	firstModelDelay = time.Second
	maxModelDelay   = time.Minute
)

// modelDelay returns the delay after a number of consecutive failures of the model: the one that its server
// requests, or one that doubles. It is jittered, so that imports do not retry at the same moment.
func modelDelay(err *extract.Error, failures int) time.Duration {
	if err.RetryAfter > 0 {
		return err.RetryAfter
	}
	delay := maxModelDelay
	if failures < 7 { // 1 s · 2⁶ is above the maximum
		delay = min(firstModelDelay<<max(failures-1, 0), maxModelDelay)
	}
	return jittered(delay)
}

// jittered returns a delay that is up to a quarter shorter.
func jittered(delay time.Duration) time.Duration {
	return delay - time.Duration(rand.Int64N(int64(delay)/4))
}

// isRefused reports whether the mail server refused a mail for good.
func isRefused(err error) bool {
	var permanent *mail.PermanentError
	return errors.As(err, &permanent)
}

// mailError makes permanent rejections by the mail server non-retryable.
func mailError(err error) error {
	var permanent *mail.PermanentError
	if errors.As(err, &permanent) {
		return temporal.NewNonRetryableApplicationError(permanent.Error(), TypeMailRefused, nil)
	}
	return temporal.NewApplicationError("the mail server did not accept the mail", "mail_unavailable")
}

// dbError keeps the driver's text out of Temporal's histories. A missing row means that the claim is not the
// latest; it is not retried.
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
	message := doing + ": the database returned an error, see the worker's log"
	return temporal.NewApplicationError(message, "database")
}

// failed logs an error where it occurred, with the given attributes and the activity's place in Temporal, and
// returns it as dbError does: nil for nil. An error that is Temporal's already is a result, and is not
// logged.
func failed(ctx context.Context, log *slog.Logger, doing string, err error, attributes ...any) error {
	var known *temporal.ApplicationError
	if err == nil || errors.As(err, &known) {
		return err
	}
	log = log.With(attributes...)
	if activity.IsActivity(ctx) {
		info := activity.GetInfo(ctx)
		log = log.With("workflow_id", info.WorkflowExecution.ID, "run_id", info.WorkflowExecution.RunID,
			"attempt", info.Attempt)
	}
	log.ErrorContext(ctx, "activity failed", "doing", doing, "error", err)
	return dbError(doing, err)
}
