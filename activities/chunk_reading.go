package activities

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

// A chunkReading is an attempt to read one chunk, for an import or an answer.
type chunkReading struct {
	imports *Imports
	of      chunkOwner
	claim   uuid.UUID
	ordinal int32

	importID     uuid.UUID // of the transcript
	text         cachedTranscript
	chunk        extract.Chunk
	hypotheses   []extract.Hypothesis
	interviewers []string
	state        chunkState
	inParts      bool // a part of the chunk was asked about after the whole had failed
	responses    []extract.ChunkResult

	progress atomic.Pointer[ChunkProgress]
}

// A chunkOwner is what a chunk is read for: an import, or an answer. It is that of one attempt.
type chunkOwner interface {
	// attributes name the owner in logs.
	attributes() []any
	// load locks the owner, records that the chunk is being read, and fills in what requests about it need. It
	// reports true if nothing is to be read: the chunk is done, or its owner has ended.
	load(ctx context.Context, r *chunkReading) (done bool, err error)

	// key returns the key of the response to a request, and estimate the tokens that the request takes.
	key(r *chunkReading, request extract.Request) responseKey
	estimate(request extract.Request) int64
	ask(ctx context.Context, request extract.Request) (extract.Response, error)
	// reserveTokens reserves the minimum that a call will use, of the owner and of the day, before it is made.
	// Concurrent calls of any worker can then exceed the limit only by the length of their responses.
	reserveTokens(ctx context.Context, wanted int64) error

	// decide decides about the part that is next, and endRequest records how the request about a part ended.
	// Both report whether neither a second request nor smaller parts will be read.
	decide(ctx context.Context, r *chunkReading, p extract.Part) (_ extract.Decision, exhausted bool, _ error)
	endRequest(ctx context.Context, p extract.Part, failed outcome.Code) (exhausted bool, err error)

	// store stores a response, and reports false if it was stored before.
	store(ctx context.Context, q *db.Queries, response keyedResponse) (isNew bool, err error)
	// finish ends the chunk with what its responses say.
	finish(ctx context.Context, r *chunkReading) error

	// see records that the chunk is still being read, wait that it is not and why, and suspect that the run may
	// be gone.
	see(ctx context.Context, q *db.Queries) error
	wait(ctx context.Context, q *db.Queries, reason string) error
	suspect(ctx context.Context, q *db.Queries) error
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
	if done, err := r.of.load(ctx, r); done || err != nil {
		return done, err
	}
	called := false
	for !r.state.done() {
		request := r.request(r.state.parts[0])
		r.inParts = r.inParts || request.part.Failed != ""
		key := r.of.key(r, request.Request)
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
	if err := r.of.finish(ctx, r); err != nil {
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

// find returns the stored response to a request, or its failure in this run. A second request has the key of
// the first: its response replaces the one that could not be read.
func (r *chunkReading) find(ctx context.Context, key responseKey, again bool) (storedResponse, bool, error) {
	failure := failureKey(key, r.claim, again)
	type byKey = map[responseKey]storedResponse
	stored, err := db.AsService(ctx, r.imports.store, func(q *db.Queries) (byKey, error) {
		return listResponses(ctx, q, r.importID, []responseKey{key, failure})
	})
	if err != nil {
		return storedResponse{}, false, failed(ctx, r.imports.log, "look for a stored response", err,
			r.of.attributes()...)
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
