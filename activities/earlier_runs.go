package activities

import (
	"context"
	"errors"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

// The activities in this file finish runs of an earlier version, which read each chunk in an activity of its
// own. A later version removes them.

// ExtractChunkInput names a chunk of the plan.
type ExtractChunkInput struct {
	ParseRef
	Chunk int
}

// ExtractChunkResult counts the findings of a chunk, before any quote is proven.
type ExtractChunkResult struct {
	Findings int
	Calls    int // to the extractor; 0 if every response was stored
	Unread   int // ranges that could not be read
}

// ExtractChunk reads one chunk, like ReadChunks.
func (a *Imports) ExtractChunk(ctx context.Context, in ExtractChunkInput) (ExtractChunkResult, error) {
	defer heartbeat(ctx)()
	text, err := a.loadTranscript(ctx, in.ImportID)
	if err != nil {
		return ExtractChunkResult{}, err
	}
	lease := a.calls.leases.hold(ctx, in.ClaimID, false) // its chunks are read by several workers at the same time
	defer a.calls.leases.endAttempt(lease)
	r := &chunkReader{
		imports: a, ref: in.ParseRef, lease: lease, workspace: workspaceOf(ctx),
		text: text.Transcript, sha256: text.sha256, answers: newAnswerSaver(a.store, in.ParseRef, nil),
	}
	row, err := db.AsService(ctx, a.store, func(q *db.Queries) (row db.PrivateImportChunk, err error) {
		if _, err := lockImport(ctx, q, in.ParseRef, activityRun(ctx)); err != nil {
			return row, err
		}
		if row, err = getChunk(ctx, q, in); err != nil {
			return row, err
		}
		return row, r.load(ctx, q, []db.PrivateImportChunk{row})
	})
	if err != nil {
		return ExtractChunkResult{}, failed(ctx, a.log, "load the chunk", err, "import_id", in.ImportID)
	}
	if row.DoneAt != nil {
		return ExtractChunkResult{}, nil
	}
	read, err := r.read(ctx, row, turn{})
	if isCanceled(ctx) {
		lease.cancel(context.Cause(ctx))
	}
	var failed *extract.Error
	if errors.As(err, &failed) {
		return ExtractChunkResult{}, modelError(failed, modelDelay(failed, int(attempt(ctx))))
	}
	return ExtractChunkResult{Findings: read.findings, Calls: read.calls, Unread: read.unread}, err
}

// SkipChunkInput names a chunk that could not be read, and why.
type SkipChunkInput struct {
	ParseRef
	Chunk  int
	Reason outcome.Code
}

// SkipChunkResult is empty.
type SkipChunkResult struct{}

// SkipChunk records a chunk as an unread range. A retry changes nothing.
func (a *Imports) SkipChunk(ctx context.Context, in SkipChunkInput) (SkipChunkResult, error) {
	skipped := ExtractChunkInput{in.ParseRef, in.Chunk}
	row, err := db.AsService(ctx, a.store, func(q *db.Queries) (db.PrivateImportChunk, error) {
		return getChunk(ctx, q, skipped)
	})
	if err != nil {
		return SkipChunkResult{}, dbError("load the chunk", err)
	}
	r := &chunkReader{imports: a, ref: in.ParseRef}
	state := chunkState{unread: []unreadRange{unread(chunkOf(row), in.Reason)}}
	return SkipChunkResult{}, r.finish(ctx, row.Ordinal, state)
}

func getChunk(ctx context.Context, q *db.Queries, in ExtractChunkInput) (db.PrivateImportChunk, error) {
	return q.GetChunk(ctx, db.GetChunkParams{
		ImportID: in.ImportID, ClaimID: in.ClaimID, Ordinal: int32(in.Chunk),
	})
}

// FinishParseInput is the input of FinishParse.
type FinishParseInput struct{ ParseRef }

// FinishParse ends an import of which all chunks are done, like the last ReadChunks.
func (a *Imports) FinishParse(ctx context.Context, in FinishParseInput) (ParseEnd, error) {
	defer heartbeat(ctx)()
	end, _, err := a.finishImport(ctx, in.ParseRef, activityRun(ctx), outcome.StatusParsed, "")
	return end, err
}
