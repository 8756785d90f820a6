package activities

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/db"
)

// A chunkReading is an attempt to read one chunk.
type chunkReading struct {
	imports *Imports
	ref     ParseRef
	ordinal int32

	text         cachedTranscript
	chunk        extract.Chunk
	hypotheses   []extract.Hypothesis
	interviewers []string
	origin       evidenceOrigin
	state        chunkState
	responses    []extract.ChunkResult

	progress atomic.Pointer[ChunkProgress]
}

// ChunkProgress is what an activity does, for readers of Temporal's UI.
type ChunkProgress struct {
	Chunk int    // from 1
	Doing string // loading, asking the model, storing the response
	Since time.Time
}

func (r *chunkReading) does(what string) {
	r.progress.Store(&ChunkProgress{Chunk: int(r.ordinal) + 1, Doing: what, Since: time.Now().UTC()})
}

// read reads the chunk from its stored responses and at most one call. It reports whether the chunk is done:
// of one that is too long, parts may be left.
func (r *chunkReading) read(ctx context.Context) (done bool, err error) {
	r.does("loading")
	if done, err := r.load(ctx); done || err != nil {
		return done, err
	}
	called, inParts := false, false
	for !r.state.done() {
		request := r.request(r.state.parts[0])
		inParts = inParts || request.part.Failed != ""
		key := requestKey(r.imports.extractor, r.text.sha256, request.Request)
		stored, found, err := r.find(ctx, key, request.part.Again)
		if err != nil {
			return false, err
		}
		if !found {
			if called {
				return false, nil
			}
			if stored, err = r.ask(ctx, key, request); err != nil {
				return false, err
			}
			called = !stored.Skipped
		}
		if stored.Failed == "" {
			r.responses = append(r.responses, extract.ChunkResult{Chunk: r.chunk, Response: stored.Response})
		}
		r.state = r.state.after(r.text.Transcript, key, stored)
	}
	if inParts {
		release := func(recovery *extract.Recovery) { recovery.Release(int(r.ordinal)) }
		if err := r.recover(ctx, release); err != nil {
			return false, err
		}
	}
	if err := r.finish(ctx); err != nil {
		return false, err
	}
	r.imports.chunkEnded(ctx, ChunkEnd{Called: called, Unread: len(r.state.unread)})
	return true, nil
}

// A partRequest is the request about a part of a chunk.
type partRequest struct {
	extract.Request
	part extract.Part
}

func (r *chunkReading) request(part extract.Part) partRequest {
	return partRequest{extract.Request{
		Transcript: r.text.Transcript, Chunk: part.Chunk, Hypotheses: r.hypotheses,
		Interviewers: r.interviewers, Again: part.Again,
	}, part}
}

// load loads what the requests about the chunk need, and records that it is being read. It reports true if
// nothing is to be read: the chunk is done, or its import has ended.
func (r *chunkReading) load(ctx context.Context) (done bool, err error) {
	if r.text, err = r.imports.ender.transcripts.load(ctx, r.ref); err != nil {
		return false, err
	}
	err = r.imports.store.AsService(ctx, func(q *db.Queries) error {
		locked, err := lockImport(ctx, q, r.ref, activityRun(ctx))
		if err != nil || !locked.Import.Status.Open() {
			done = err == nil
			return err
		}
		r.interviewers = locked.Interviewers
		r.origin = originOf(locked)
		row, err := q.StartReading(ctx, db.StartReadingParams{
			ImportID: r.ref.ImportID, ClaimID: r.ref.ClaimID, Ordinal: r.ordinal,
		})
		if errors.Is(err, db.ErrNotFound) { // it is done
			done = true
			return nil
		}
		if err != nil {
			return err
		}
		r.chunk = chunkOf(row.PrivateImportChunk)
		chosen, err := q.ListChosenHypotheses(ctx, r.ref.ImportID)
		r.hypotheses = hypothesesOf(row.PrivateImportChunk, existingHypotheses(chosen))
		return err
	})
	r.state = newChunkState(r.chunk)
	if len(r.hypotheses) == 0 { // they were deleted
		r.state.parts = nil
	}
	return done, failed(ctx, r.imports.log, "load a chunk", err, "import_id", r.ref.ImportID)
}

// find returns the stored response to a request, or its failure in this run. A second request has the key of
// the first: its response replaces the one that could not be read.
func (r *chunkReading) find(ctx context.Context, key responseKey, again bool) (storedResponse, bool, error) {
	failure := failureKey(key, r.ref.ClaimID, again)
	type byKey = map[responseKey]storedResponse
	stored, err := db.AsService(ctx, r.imports.store, func(q *db.Queries) (byKey, error) {
		return listResponses(ctx, q, r.ref.ImportID, []responseKey{key, failure})
	})
	if err != nil {
		return storedResponse{}, false, failed(ctx, r.imports.log, "look for a stored response", err,
			"import_id", r.ref.ImportID)
	}
	if response, ok := stored[key]; ok && response.Failed == "" {
		return response, true, nil
	}
	response, ok := stored[failure]
	return response, ok, nil
}

func listResponses(
	ctx context.Context, q *db.Queries, importID uuid.UUID, keys []responseKey,
) (map[responseKey]storedResponse, error) {
	raw := make([][]byte, len(keys))
	for i := range keys {
		raw[i] = keys[i][:]
	}
	rows, err := q.ListChunkResponses(ctx, db.ListChunkResponsesParams{ImportID: importID, Keys: raw})
	if err != nil {
		return nil, err
	}
	responses := map[responseKey]storedResponse{}
	for _, row := range rows {
		if responses[responseKey(row.Key)], err = decodeResponse(row.Response); err != nil {
			return nil, err
		}
	}
	return responses, nil
}

// finish ends the chunk and shows the evidence that its responses prove, in one transaction.
func (r *chunkReading) finish(ctx context.Context) error {
	keys, unread, err := r.state.columns()
	if err != nil {
		return err
	}
	err = r.imports.store.AsService(ctx, func(q *db.Queries) error {
		if _, err := q.LockImport(ctx, db.LockImportParams(r.ref)); err != nil {
			return err
		}
		err := q.FinishChunk(ctx, db.FinishChunkParams{
			ImportID: r.ref.ImportID, ClaimID: r.ref.ClaimID, Ordinal: r.ordinal, ResponseKeys: keys, Unread: unread,
		})
		if err != nil {
			return err
		}
		return r.show(ctx, q)
	})
	return failed(ctx, r.imports.log, "finish a chunk", err, "import_id", r.ref.ImportID)
}
