package workflows

import (
	"errors"
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"research/activities"
)

// parseByChunk is ParseTranscript for runs that an earlier version started: each chunk is an activity of its
// own, and a timer ends the parse. A later version removes it.
func parseByChunk(ctx workflow.Context, in ParseTranscriptInput) (ParseTranscriptResult, error) {
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
	return parseResult(ctx, end)
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

// extractChunk extracts one chunk, or records that it could not be read. It returns only errors that end the
// import.
func extractChunk(ctx workflow.Context, in ParseTranscriptInput, chunk, total int) error {
	options := chunkOptions(fmt.Sprintf("chunk %d of %d", chunk+1, total))
	_, err := call(ctx, options, imports.ExtractChunk,
		activities.ExtractChunkInput{ParseRef: in.ParseRef, Chunk: chunk})
	if err == nil {
		return nil
	}
	code := errorCode(err)
	if temporal.IsCanceledError(err) || ctx.Err() != nil || isType(err, activities.TypeSuperseded) || code.EndsImport() {
		return err
	}
	workflow.GetLogger(ctx).Warn("chunk not read", "import_id", in.ImportID, "chunk", chunk, "reason", code)
	_, err = call(ctx, shortOptions("record an unread range"), imports.SkipChunk,
		activities.SkipChunkInput{ParseRef: in.ParseRef, Chunk: chunk, Reason: code})
	return err
}
