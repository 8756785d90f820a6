package workflows

import (
	"errors"
	"fmt"
	"slices"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"research/activities"
	"research/outcome"
)

// imports is nil; it names the activity methods.
var imports *activities.Imports

// ParseTranscript parses one import, range by range of its chunks. The activity that reads the first range
// plans the chunks that are missing; the one that reads the last proves and merges the findings and ends the
// import. A chunk that cannot be read becomes an unread range. An error that would affect every chunk ends
// the import. However the run ends, the import is updated before the workflow closes.
func ParseTranscript(ctx workflow.Context, in ParseTranscriptInput) (ParseTranscriptResult, error) {
	workflow.SetCurrentDetails(ctx, "Planning the chunks.")
	for read, total := 0, 0; ; { // total is 0 until the chunks are planned
		if total > 0 {
			workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d of %d chunks read.", read, total))
		}
		result, err := call(ctx, readOptions(read, total), imports.ReadChunks, activities.ReadChunksInput(in))
		if err != nil {
			return endParse(ctx, in, err)
		}
		if result.End != nil {
			return parseResult(ctx, *result.End)
		}
		read += result.Done
		total = read + result.Left
	}
}

// parseResult returns the result of a workflow whose import ended with all chunks read.
func parseResult(ctx workflow.Context, end activities.ParseEnd) (ParseTranscriptResult, error) {
	if end.Status == outcome.StatusFailed {
		return ParseTranscriptResult{}, parseError("no part of the transcript could be read", end.ErrorCode, end)
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
	if status == outcome.StatusCanceled {
		return ParseTranscriptResult{}, cause
	}
	return ParseTranscriptResult{}, parseError("the import did not become parsed", code, end)
}

// parseError is the failure of a workflow whose import did not become parsed.
func parseError(message string, code outcome.Code, end activities.ParseEnd) error {
	return temporal.NewNonRetryableApplicationError(message, string(code), nil, resultOf(end))
}

func resultOf(end activities.ParseEnd) ParseTranscriptResult {
	return ParseTranscriptResult{
		Status: end.Status, Evidence: end.Evidence, Rejected: end.Rejected, Coverage: end.Coverage,
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
