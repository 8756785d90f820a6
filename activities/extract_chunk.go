package activities

import (
	"context"
	"encoding/json"
	"fmt"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

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

// ExtractChunk asks the extractor about one chunk. Each response is stored under its key before the activity
// completes, so that a retry, a new run or a killed worker does not pay for it again. A chunk that is too
// long is split. It heartbeats.
func (a *Imports) ExtractChunk(ctx context.Context, in ExtractChunkInput) (ExtractChunkResult, error) {
	defer heartbeat(ctx)()
	text, err := a.loadTranscript(ctx, in.ImportID)
	if err != nil {
		return ExtractChunkResult{}, dbError("load the transcript", err)
	}
	r := &chunkReader{extraction: extraction{imports: a, ref: in.ParseRef, text: text}, ordinal: in.Chunk}
	row, err := db.AsService(ctx, a.store, func(q *db.Queries) (row db.PrivateImportChunk, err error) {
		imported, err := lockImport(ctx, q, in.ParseRef, activityRun(ctx))
		if err != nil {
			return row, err
		}
		r.sha256 = imported.Sha256
		if r.hypotheses, err = chosenHypotheses(ctx, q, in.ImportID); err != nil {
			return row, err
		}
		return getChunk(ctx, q, in)
	})
	if err != nil {
		return ExtractChunkResult{}, failed(ctx, a.log, "load the chunk", err, "import_id", in.ImportID)
	}
	if row.DoneAt != nil {
		return ExtractChunkResult{}, nil
	}
	read, err := r.read(ctx, chunkOf(row))
	if err != nil {
		return ExtractChunkResult{}, err
	}
	if err := a.finishChunk(ctx, in, read.keys, read.unread); err != nil {
		return ExtractChunkResult{}, err
	}
	return ExtractChunkResult{Findings: read.findings, Calls: read.calls, Unread: len(read.unread)}, nil
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
	return SkipChunkResult{}, a.finishChunk(ctx, skipped, nil, []unreadRange{unread(chunkOf(row), in.Reason)})
}

func getChunk(ctx context.Context, q *db.Queries, in ExtractChunkInput) (db.PrivateImportChunk, error) {
	return q.GetChunk(ctx, db.GetChunkParams{
		ImportID: in.ImportID, ClaimID: in.ClaimID, Ordinal: int32(in.Chunk),
	})
}

// finishChunk marks a chunk as done, with the keys of its responses and what was not read.
func (a *Imports) finishChunk(
	ctx context.Context, in ExtractChunkInput, keys [][]byte, ranges []unreadRange,
) error {
	unreadJSON, err := json.Marshal(nonNil(ranges))
	if err != nil {
		return fmt.Errorf("encode the unread ranges: %w", err)
	}
	err = a.store.AsService(ctx, func(q *db.Queries) error {
		_, err := q.LockImport(ctx, db.LockImportParams{ImportID: in.ImportID, ClaimID: in.ClaimID})
		if err != nil {
			return err
		}
		err = q.FinishChunk(ctx, db.FinishChunkParams{
			ImportID: in.ImportID, ClaimID: in.ClaimID, Ordinal: int32(in.Chunk),
			AnswerKeys: nonNil(keys), Unread: unreadJSON,
		})
		if err != nil {
			return err
		}
		return q.SetImportProgress(ctx, db.SetImportProgressParams{ImportID: in.ImportID, ClaimID: in.ClaimID})
	})
	return failed(ctx, a.log, "finish the chunk", err, "import_id", in.ImportID)
}

// nonNil returns an empty slice for nil, because neither the column nor the JSON may be null.
func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// An unreadRange is a part of a transcript that was not read. From and To are ordinals of utterances, both
// included.
type unreadRange struct {
	From      int          `json:"from"`
	To        int          `json:"to"`
	Reason    outcome.Code `json:"reason"`
	ByteStart int          `json:"byte_start"`
	ByteEnd   int          `json:"byte_end"`
}

func unread(chunk extract.Chunk, reason outcome.Code) unreadRange {
	return unreadRange{chunk.From, chunk.To - 1, reason, chunk.ByteStart, chunk.ByteEnd}
}
