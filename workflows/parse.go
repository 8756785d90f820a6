package workflows

import (
	"errors"
	"fmt"
	"slices"
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
	reading := newReading(in.ParseRef, plan)
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
	chunkReader
	ref      activities.ParseRef
	timeLeft time.Duration
}

func newReading(ref activities.ParseRef, plan activities.ImportPlan) *reading {
	r := &reading{ref: ref, timeLeft: plan.TimeLeft}
	r.chunkReader = chunkReader{
		chunks: plan.Chunks, total: plan.Total, concurrency: plan.Concurrency, watch: r.watchDeadline,
		read: func(ctx workflow.Context, chunk int) (bool, error) {
			result, err := call(ctx, readOptions(chunk, plan.Total), imports.ReadChunk,
				activities.ReadChunkInput{ParseRef: ref, Ordinal: chunk})
			return result.Done, err
		},
	}
	return r
}

// watchDeadline ends the reading when PARSE_TIMEOUT has passed. Time in which the import waits for its turn,
// for a worker or for the tokens of the next day does not count: only the database knows it.
func (r *reading) watchDeadline(ctx workflow.Context) {
	for left := r.timeLeft; ; {
		timer := workflow.NewTimerWithOptions(ctx, left, workflow.TimerOptions{Summary: "PARSE_TIMEOUT"})
		if timer.Get(ctx, nil) != nil {
			return // the reading has ended
		}
		deadline, err := call(ctx, parseOptions("compare the time with PARSE_TIMEOUT"),
			imports.CheckDeadline, r.ref)
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
