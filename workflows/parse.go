package workflows

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"research/activities"
	"research/outcome"
)

// imports is nil; it names the activity methods.
var imports *activities.Imports

// ParseTranscript parses one import: it plans the chunks to read, reads each of them by an activity, several
// at a time, and finishes the import with what all of them have found. A chunk that cannot be read becomes an
// unread range. An error that would affect every chunk ends the import, as does the deadline. However the run
// ends, the import is updated before the workflow closes.
//
// A run with a long history continues as new: the plan and what was read are in the database.
func ParseTranscript(ctx workflow.Context, in ParseTranscriptInput) (ParseTranscriptResult, error) {
	if err := checkSpeakers(ctx, in); err != nil {
		return endParse(ctx, in, err)
	}
	workflow.SetCurrentDetails(ctx, "Planning the chunks.")
	plan, err := call(ctx, parseOptions("plan the chunks"), imports.PlanImport, in.ParseRef)
	if err != nil {
		return endParse(ctx, in, err)
	}
	reading := reading{in: in, plan: plan}
	if err := reading.run(ctx); err != nil {
		return endParse(ctx, in, err)
	}
	if reading.left() > 0 {
		in.CheckSpeakers = false
		return ParseTranscriptResult{}, workflow.NewContinueAsNewError(ctx, ParseTranscript, in)
	}
	workflow.SetCurrentDetails(ctx, "Merging what was found.")
	end, err := call(ctx, parseOptions("merge what was found"), imports.FinishImport, in.ParseRef)
	if err != nil {
		return endParse(ctx, in, err)
	}
	return parseResult(ctx, end)
}

// checkSpeakers asks a model about speakers in doubt, if that is wanted. A check that fails changes nothing:
// the transcript stays as it was read. The error is that of a run that was cancelled, or is not the latest.
func checkSpeakers(ctx workflow.Context, in ParseTranscriptInput) error {
	if !in.CheckSpeakers {
		return nil
	}
	workflow.SetCurrentDetails(ctx, "Asking the model about speakers in doubt.")
	_, err := call(ctx, checkOptions(), imports.CheckSpeakers, in.ParseRef)
	if temporal.IsCanceledError(err) || isType(err, activities.TypeSuperseded) {
		return err
	}
	return nil
}

// A reading is the part of a run that reads chunks.
type reading struct {
	in   ParseTranscriptInput
	plan activities.ImportPlan

	next int   // index of the next chunk to read
	open []int // chunks that are being read, or wait for it
	err  error // why the reading ends early
}

// left returns how many chunks of the plan were not begun.
func (r *reading) left() int { return len(r.plan.Chunks) - r.next }

// run reads the chunks of the plan, PARSE_CONCURRENCY of them at a time: when one ends, the next begins. It
// stops early, without an error, when the history has become long.
//
// When it stops because of an error, calls in progress are cancelled. They get stopTimeout to store what was
// paid for; an activity that is paused, or whose worker is gone, does not hold up the end of the import.
func (r *reading) run(ctx workflow.Context) error {
	readCtx, stop := workflow.WithCancel(ctx)
	defer stop()
	workflow.Go(readCtx, r.watchDeadline)
	readers := min(r.plan.Concurrency, len(r.plan.Chunks))
	for range readers {
		workflow.Go(readCtx, func(ctx workflow.Context) {
			defer func() { readers-- }()
			for r.err == nil && r.left() > 0 && !workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
				chunk := r.plan.Chunks[r.next]
				r.next++
				r.fail(r.readChunk(ctx, chunk))
			}
		})
	}
	err := workflow.Await(ctx, func() bool { return r.err != nil || readers == 0 })
	if err == nil && r.err == nil {
		return nil
	}
	stop()
	detachedCtx, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	_, stopErr := workflow.AwaitWithTimeout(detachedCtx, stopTimeout, func() bool { return readers == 0 })
	return errors.Join(stopErr, err, r.err)
}

// fail records the first error.
func (r *reading) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// readChunk reads a chunk. One that is too long takes an activity for each of its parts.
func (r *reading) readChunk(ctx workflow.Context, chunk int) error {
	r.open = append(r.open, chunk)
	r.describe(ctx)
	defer func() {
		r.open = slices.DeleteFunc(r.open, func(open int) bool { return open == chunk })
		r.describe(ctx)
	}()
	for {
		result, err := call(ctx, readOptions(chunk, r.plan.Total), imports.ReadChunk,
			activities.ReadChunkInput{ParseRef: r.in.ParseRef, Ordinal: chunk})
		if err != nil || result.Done {
			return err
		}
	}
}

// describe shows the progress in Temporal's UI.
func (r *reading) describe(ctx workflow.Context) {
	details := fmt.Sprintf("%d of %d chunks read.", r.plan.Total-r.left()-len(r.open), r.plan.Total)
	for i, chunk := range r.open {
		if i == 0 {
			details += " Open: "
		} else {
			details += ", "
		}
		details += strconv.Itoa(chunk + 1)
	}
	workflow.SetCurrentDetails(ctx, details)
}

// watchDeadline ends the reading when PARSE_TIMEOUT has passed. Time in which the import waits for its turn,
// for a worker or for the tokens of the next day does not count: only the database knows it.
func (r *reading) watchDeadline(ctx workflow.Context) {
	for left := r.plan.TimeLeft; ; {
		timer := workflow.NewTimerWithOptions(ctx, left, workflow.TimerOptions{Summary: "PARSE_TIMEOUT"})
		if timer.Get(ctx, nil) != nil {
			return // the reading has ended
		}
		deadline, err := call(ctx, parseOptions("compare the time with PARSE_TIMEOUT"),
			imports.CheckDeadline, r.in.ParseRef)
		switch {
		case err != nil:
			r.fail(err)
			return
		case deadline.Left <= 0:
			r.fail(temporal.NewNonRetryableApplicationError("the parse took longer than PARSE_TIMEOUT",
				activities.TypeParseTimeout, nil, deadline.Code))
			return
		}
		left = max(deadline.Left, time.Second)
	}
}

// parseResult returns the result of a workflow whose import ended with all chunks read.
func parseResult(ctx workflow.Context, end activities.ParseEnd) (ParseTranscriptResult, error) {
	if err := publishEnd(ctx, end); err != nil {
		return ParseTranscriptResult{}, err
	}
	if end.Status == outcome.StatusFailed {
		return ParseTranscriptResult{}, parseError(
			"no part of the transcript could be read", end.ErrorCode, nil, end)
	}
	workflow.SetCurrentDetails(ctx,
		fmt.Sprintf("%s: %d pieces of evidence, %d rejected quotes.", end.Status, end.Evidence, end.Rejected))
	return resultOf(end), nil
}

// endParse records on the import how the run ended, and returns the result of the workflow. It uses a
// disconnected context, so that it works in a cancelled workflow.
func endParse(ctx workflow.Context, in ParseTranscriptInput, cause error) (ParseTranscriptResult, error) {
	status, code := outcome.StatusFailed, errorCode(cause)
	switch {
	case isType(cause, activities.TypeParseTimeout):
		status, code = outcome.StatusTimedOut, timeoutCode(cause)
	case temporal.IsCanceledError(cause):
		status, code = outcome.StatusCanceled, outcome.CodeCanceled
	case isType(cause, activities.TypeSuperseded):
		return ParseTranscriptResult{Status: activities.TypeSuperseded}, nil
	}
	workflow.SetCurrentDetails(ctx, "Ended: "+string(code))
	detachedCtx, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	end, err := call(detachedCtx, databaseOptions("record the end"), imports.FailImport,
		activities.FailImportInput{ParseRef: in.ParseRef, Status: status, ErrorCode: code})
	if err != nil {
		return ParseTranscriptResult{}, errors.Join(cause, err)
	}
	if err := publishEnd(ctx, end); err != nil {
		return ParseTranscriptResult{}, errors.Join(cause, err)
	}
	if status == outcome.StatusCanceled {
		return ParseTranscriptResult{}, cause
	}
	return ParseTranscriptResult{}, parseError("the import did not become parsed", code, cause, end)
}

// publishEnd writes the end of an import into the search attributes of its run, unless it was started without
// them: then the namespace lacks them, and would refuse the end of the run for their sake.
func publishEnd(ctx workflow.Context, end activities.ParseEnd) error {
	if !workflow.GetTypedSearchAttributes(ctx).ContainsKey(UnreadRangesAttribute) {
		return nil
	}
	updates := []temporal.SearchAttributeUpdate{UnreadRangesAttribute.ValueSet(int64(end.Unread))}
	if end.ErrorCode != "" {
		updates = append(updates, ErrorCodeAttribute.ValueSet(string(end.ErrorCode)))
	}
	return workflow.UpsertTypedSearchAttributes(ctx, updates...)
}

// parseError is the failure of a workflow whose import did not become parsed.
func parseError(message string, code outcome.Code, cause error, end activities.ParseEnd) error {
	return temporal.NewNonRetryableApplicationError(message, string(code), cause, resultOf(end))
}

func resultOf(end activities.ParseEnd) ParseTranscriptResult {
	return ParseTranscriptResult{
		Status: end.Status, Evidence: end.Evidence, Rejected: end.Rejected, Coverage: end.Coverage,
		Unread: end.Unread,
	}
}

// errorCode returns the code with which an activity ended. Errors without a code of their own, such as those
// of the database, are internal.
func errorCode(err error) outcome.Code {
	var application *temporal.ApplicationError
	if errors.As(err, &application) {
		if code := outcome.Code(application.Type()); slices.Contains(outcome.Codes, code) {
			return code
		}
		return outcome.CodeInternal
	}
	var timeout *temporal.TimeoutError
	if errors.As(err, &timeout) {
		return outcome.CodeActivityTimeout
	}
	return outcome.CodeInternal
}

// isType reports whether an activity ended with an error of a type.
func isType(err error, errorType string) bool {
	var application *temporal.ApplicationError
	return errors.As(err, &application) && application.Type() == errorType
}

// timeoutCode returns why PARSE_TIMEOUT ended an import.
func timeoutCode(err error) outcome.Code {
	var application *temporal.ApplicationError
	code := outcome.CodeTimedOut
	if errors.As(err, &application) && application.HasDetails() && application.Details(&code) != nil {
		return outcome.CodeTimedOut
	}
	return code
}
