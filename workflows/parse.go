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

// ParseTranscript parses one import: it plans chunks, extracts evidence from several at a time, merges the
// results and ends the import. A chunk that cannot be read becomes an unread range; an error that every chunk
// would meet ends the import. However the run ends, the import is updated before the workflow closes.
func ParseTranscript(ctx workflow.Context, in ParseTranscriptInput) (ParseTranscriptResult, error) {
	workflow.SetCurrentDetails(ctx, "Planning the chunks.")
	begun, err := call(ctx, shortOptions("plan the chunks"), imports.BeginParse,
		activities.BeginParseInput{ParseRef: in.ParseRef})
	if err != nil {
		return endParse(ctx, in, err)
	}
	if in.Deadline.IsZero() {
		in.Deadline = workflow.Now(ctx).Add(begun.Timeout)
	}
	next, err := extractChunks(ctx, in, begun)
	if err != nil {
		return endParse(ctx, in, err)
	}
	if next < begun.Chunks {
		in.Next = next
		return ParseTranscriptResult{}, workflow.NewContinueAsNewError(ctx, ParseTranscript, in)
	}
	workflow.SetCurrentDetails(ctx, "Proving the quotes and writing the evidence.")
	end, err := call(ctx, databaseOptions("prove and merge"), imports.FinishParse,
		activities.FinishParseInput{ParseRef: in.ParseRef})
	if err != nil {
		return endParse(ctx, in, err)
	}
	if end.Status == outcome.StatusFailed {
		return ParseTranscriptResult{}, parseError("nothing of the transcript could be read", end.ErrorCode, end)
	}
	workflow.SetCurrentDetails(ctx,
		fmt.Sprintf("%s: %d pieces of evidence, %d rejected quotes.", end.Status, end.Evidence, end.Rejected))
	return resultOf(end), nil
}

// errDeadline means that PARSE_TIMEOUT has passed.
var errDeadline = errors.New("the parse took longer than PARSE_TIMEOUT")

// extractChunks extracts the chunks from in.Next on, begun.Concurrency at a time. It returns the first chunk
// that was not begun. That is less than the number of chunks if the history is so long that the workflow
// should continue as new.
func extractChunks(
	ctx workflow.Context, in ParseTranscriptInput, begun activities.BeginParseResult,
) (next int, err error) {
	work, stop := workflow.WithCancel(ctx)
	defer stop()
	expired := false
	workflow.Go(work, func(ctx workflow.Context) {
		if workflow.Sleep(ctx, in.Deadline.Sub(workflow.Now(ctx))) == nil {
			expired = true
			stop()
		}
	})

	next = in.Next
	finished := in.Next
	var fatal error
	all := workflow.NewWaitGroup(ctx)
	for range min(begun.Concurrency, begun.Chunks-in.Next) {
		all.Add(1)
		workflow.Go(work, func(ctx workflow.Context) {
			defer all.Done()
			for next < begun.Chunks && fatal == nil && ctx.Err() == nil &&
				!workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
				chunk := next
				next++
				if err := extractChunk(ctx, in, chunk, begun.Chunks); err != nil && fatal == nil {
					fatal = err
					stop()
				}
				finished++
				workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d of %d chunks read.", finished, begun.Chunks))
			}
		})
	}
	all.Wait(ctx)
	switch {
	case expired:
		return next, errDeadline
	case ctx.Err() != nil:
		return next, ctx.Err()
	}
	return next, fatal
}

// extractChunk extracts one chunk, or records that it could not be read. It only returns errors that end the
// import.
func extractChunk(ctx workflow.Context, in ParseTranscriptInput, chunk, total int) error {
	options := chunkOptions(fmt.Sprintf("chunk %d of %d", chunk+1, total))
	_, err := call(ctx, options, imports.ExtractChunk,
		activities.ExtractChunkInput{ParseRef: in.ParseRef, Chunk: chunk})
	if err == nil {
		return nil
	}
	code := errorCode(err)
	if temporal.IsCanceledError(err) || ctx.Err() != nil || isSuperseded(err) || code.EndsImport() {
		return err
	}
	workflow.GetLogger(ctx).Warn("chunk not read", "import_id", in.ImportID, "chunk", chunk, "reason", code)
	_, err = call(ctx, shortOptions("record an unread range"), imports.SkipChunk,
		activities.SkipChunkInput{ParseRef: in.ParseRef, Chunk: chunk, Reason: code})
	return err
}

// endParse records on the import how the run ended, and returns the result of the workflow. It uses a
// disconnected context, so that it works in a cancelled workflow.
func endParse(ctx workflow.Context, in ParseTranscriptInput, cause error) (ParseTranscriptResult, error) {
	status, code := outcome.StatusFailed, errorCode(cause)
	switch {
	case errors.Is(cause, errDeadline):
		status, code = outcome.StatusTimedOut, outcome.CodeTimedOut
	case temporal.IsCanceledError(cause):
		status, code = outcome.StatusCanceled, outcome.CodeCanceled
	case isSuperseded(cause):
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

// isSuperseded reports whether another request took over the import, so that this run must not write to it.
func isSuperseded(err error) bool {
	var application *temporal.ApplicationError
	return errors.As(err, &application) && application.Type() == activities.TypeSuperseded
}
