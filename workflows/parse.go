package workflows

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// ParseTranscriptInput names the import and the request.
type ParseTranscriptInput struct {
	activities.ParseRef

	// Set by a run that continues as new.
	Next     int       // the first chunk that was not begun
	Deadline time.Time // of the whole parse
}

// ParseTranscriptResult says how it ended, for those who read it in Temporal's UI.
type ParseTranscriptResult struct {
	Status   string
	Evidence int
	Rejected int
	Coverage float64
}

// imports names activities without having one.
var imports *activities.Imports

// ParseTranscript reads one import: it plans chunks, asks about several at a time, merges what was said and finishes. A chunk that cannot be read becomes a
// visible gap; an error that would meet every chunk ends the import. However it ends, the import says so before the workflow does.
func ParseTranscript(ctx workflow.Context, in ParseTranscriptInput) (ParseTranscriptResult, error) {
	workflow.SetCurrentDetails(ctx, "Planning the chunks.")
	begun, err := call(ctx, beginOptions("plan the chunks"), imports.BeginParse, activities.BeginParseInput{ParseRef: in.ParseRef})
	if isType(err, activities.TypeSuperseded) {
		return ParseTranscriptResult{Status: activities.TypeSuperseded}, nil
	}
	if err != nil {
		return end(ctx, in, err)
	}
	if in.Deadline.IsZero() {
		in.Deadline = workflow.Now(ctx).Add(begun.Timeout)
	}
	next, err := extractChunks(ctx, in, begun)
	if err != nil {
		return end(ctx, in, err)
	}
	if next < begun.Chunks {
		in.Next = next
		return ParseTranscriptResult{}, workflow.NewContinueAsNewError(ctx, ParseTranscript, in)
	}
	workflow.SetCurrentDetails(ctx, "Proving the quotes and writing the evidence.")
	done, err := call(ctx, databaseOptions("prove and merge"), imports.FinishParse, activities.FinishParseInput{ParseRef: in.ParseRef})
	if err != nil {
		return end(ctx, in, err)
	}
	return finished(ctx, done)
}

// errDeadline is the end of PARSE_TIMEOUT.
var errDeadline = errors.New("the parse took longer than it may")

// extractChunks has begun.Concurrency coroutines take one chunk after the other. It returns the first chunk that was not begun: fewer than all where the history
// has grown so long that the workflow should continue as new.
func extractChunks(ctx workflow.Context, in ParseTranscriptInput, begun activities.BeginParseResult) (next int, err error) {
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
	finishedChunks := in.Next
	var fatal error
	all := workflow.NewWaitGroup(ctx)
	for range min(begun.Concurrency, begun.Chunks-in.Next) {
		all.Add(1)
		workflow.Go(work, func(ctx workflow.Context) {
			defer all.Done()
			for next < begun.Chunks && fatal == nil && ctx.Err() == nil && !workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
				chunk := next
				next++
				if err := extractChunk(ctx, in, chunk, begun.Chunks); err != nil && fatal == nil {
					fatal = err
					stop()
				}
				finishedChunks++
				workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d of %d chunks read.", finishedChunks, begun.Chunks))
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

// extractChunk reads one chunk, or records that it could not be read. It returns only errors that end the import.
func extractChunk(ctx workflow.Context, in ParseTranscriptInput, chunk, total int) error {
	options := chunkOptions(fmt.Sprintf("chunk %d of %d", chunk+1, total))
	_, err := call(ctx, options, imports.ExtractChunk, activities.ExtractChunkInput{ParseRef: in.ParseRef, Chunk: chunk})
	if err == nil {
		return nil
	}
	if temporal.IsCanceledError(err) || ctx.Err() != nil {
		return err
	}
	code := errorCode(err)
	if code == activities.TypeSuperseded || activities.EndsImport(code) {
		return err
	}
	workflow.GetLogger(ctx).Warn("chunk not read", "import_id", in.ImportID, "chunk", chunk, "reason", code)
	_, err = call(ctx, beginOptions("record a gap"), imports.SkipChunk, activities.SkipChunkInput{ParseRef: in.ParseRef, Chunk: chunk, Reason: code})
	return err
}

// end says on the import how the run ended. It works even when the workflow is cancelled: the context is a disconnected one.
func end(ctx workflow.Context, in ParseTranscriptInput, cause error) (ParseTranscriptResult, error) {
	status, code := "failed", errorCode(cause)
	switch {
	case errors.Is(cause, errDeadline):
		status, code = "timed_out", "timed_out"
	case temporal.IsCanceledError(cause):
		status, code = "canceled", "canceled"
	case code == activities.TypeSuperseded:
		return ParseTranscriptResult{Status: code}, nil
	}
	workflow.SetCurrentDetails(ctx, "Ended: "+code)
	apart, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	done, err := call(apart, databaseOptions("record the end"), imports.FailImport,
		activities.FailImportInput{ParseRef: in.ParseRef, Status: status, ErrorCode: code})
	if err != nil {
		return ParseTranscriptResult{}, errors.Join(cause, err)
	}
	if status == "canceled" {
		return ParseTranscriptResult{}, cause
	}
	return ParseTranscriptResult{}, temporal.NewNonRetryableApplicationError("the import did not become parsed", code, nil,
		ParseTranscriptResult{Status: done.Status, Evidence: done.Evidence, Rejected: done.Rejected, Coverage: done.Coverage})
}

// finished returns the end that FinishParse wrote: where nothing could be read, that is a failure.
func finished(ctx workflow.Context, done activities.ParseEnd) (ParseTranscriptResult, error) {
	result := ParseTranscriptResult{Status: done.Status, Evidence: done.Evidence, Rejected: done.Rejected, Coverage: done.Coverage}
	if done.Status == "failed" {
		return result, temporal.NewNonRetryableApplicationError("nothing of the transcript could be read", done.ErrorCode, nil, result)
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("%s: %d pieces of evidence, %d quotes refused.", done.Status, done.Evidence, done.Rejected))
	return result, nil
}

// errorCode is the type of the error that an activity ended with, as it will stand on the import.
func errorCode(err error) string {
	var application *temporal.ApplicationError
	if errors.As(err, &application) {
		return application.Type()
	}
	var timeout *temporal.TimeoutError
	if errors.As(err, &timeout) {
		return "activity_timeout"
	}
	return "internal"
}

func isType(err error, name string) bool {
	return err != nil && errorCode(err) == name
}
