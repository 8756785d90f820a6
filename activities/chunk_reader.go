package activities

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

// A chunkReader reads one chunk, in parts if it must be split.
type chunkReader struct {
	extraction
	ordinal int // of the chunk
}

// A chunkResult is what reading a chunk came to.
type chunkResult struct {
	keys     [][]byte // of the stored responses
	unread   []unreadRange
	findings int
	calls    int // to the extractor
}

func (r chunkResult) join(other chunkResult) chunkResult {
	return chunkResult{
		keys:     append(r.keys, other.keys...),
		unread:   append(r.unread, other.unread...),
		findings: r.findings + other.findings,
		calls:    r.calls + other.calls,
	}
}

// read reads a chunk. It splits a chunk that is too long or whose response is unusable. A part that cannot be
// split, or that the model refuses, becomes an unread range.
func (r *chunkReader) read(ctx context.Context, chunk extract.Chunk) (chunkResult, error) {
	response, called, err := r.ask(ctx, chunk)
	result := chunkResult{calls: called}
	var failed *extract.Error
	switch {
	case err == nil:
		result.keys, result.findings = [][]byte{r.key(chunk)}, len(response.Findings)
		return result, nil
	case !errors.As(err, &failed):
		return result, err
	}
	switch code := failed.Code; code {
	case outcome.CodeModelTooLong, outcome.CodeModelBadAnswer:
		left, right, ok := extract.Split(r.text, chunk)
		if !ok {
			result.unread = []unreadRange{unread(chunk, code)}
			return result, nil
		}
		for _, part := range []extract.Chunk{left, right} {
			read, err := r.read(ctx, part)
			if err != nil {
				return result, err
			}
			result = result.join(read)
		}
		return result, nil
	case outcome.CodeModelRefused:
		result.unread = []unreadRange{unread(chunk, code)}
		return result, nil
	}
	return result, modelError(failed, activity.GetInfo(ctx).Attempt)
}

// ask returns the stored response about a chunk, or that of a call to the extractor. It returns how many
// calls it made.
func (r *chunkReader) ask(
	ctx context.Context, chunk extract.Chunk,
) (_ extract.Response, calls int, err error) {
	key := r.key(chunk)
	stored, err := r.load(ctx, key)
	if err == nil {
		response, err := stored.response()
		return response, 0, err
	}
	if !errors.Is(err, db.ErrNotFound) {
		return extract.Response{}, 0, dbError("look for a stored response", err)
	}
	request := r.request(chunk)
	if err := r.reserveTokens(ctx, request); err != nil {
		return extract.Response{}, 0, err
	}
	if stopping(ctx) {
		return extract.Response{}, 0, errHandedOver()
	}
	response, err := r.call(ctx, key, request)
	return response, 1, err
}

// call calls the extractor and stores what was paid for: the response, a failure that would only repeat, or
// the tokens of an attempt that will be made again.
func (r *chunkReader) call(
	ctx context.Context, key []byte, request extract.Request,
) (extract.Response, error) {
	response, err := r.imports.extractor.Extract(ctx, request)
	keep, worthKeeping := storedResponse{Response: response}, err == nil
	var failed *extract.Error
	if errors.As(err, &failed) {
		keep.Failed, keep.Usage = failed.Code, failed.Usage
		switch keep.Failed {
		case outcome.CodeModelRefused, outcome.CodeModelTooLong, outcome.CodeModelBadAnswer:
			worthKeeping = true
		case outcome.CodeModelRateLimited, outcome.CodeModelUnavailable:
			worthKeeping = failed.Usage != extract.Usage{}
			key = attemptKey(ctx, key)
		}
	}
	if worthKeeping {
		if err := r.keep(ctx, key, keep); err != nil {
			return extract.Response{}, dbError("store a response", err)
		}
	}
	return response, err
}

// A storedResponse is a response of the extractor, or the code of a failure that would only repeat.
type storedResponse struct {
	extract.Response
	Failed outcome.Code `json:"failed,omitempty"`
}

func (s storedResponse) response() (extract.Response, error) {
	if s.Failed != "" {
		return extract.Response{}, &extract.Error{Code: s.Failed}
	}
	return s.Response, nil
}

func (r *chunkReader) load(ctx context.Context, key []byte) (storedResponse, error) {
	raw, err := db.AsService(ctx, r.imports.store, func(q *db.Queries) (json.RawMessage, error) {
		return q.GetChunkAnswer(ctx, db.GetChunkAnswerParams{Key: key, ImportID: r.ref.ImportID})
	})
	if err != nil {
		return storedResponse{}, err
	}
	var stored storedResponse
	if err := json.Unmarshal(raw, &stored); err != nil {
		return storedResponse{}, fmt.Errorf("decode a stored response: %w", err)
	}
	return stored, nil
}

// keep stores what was paid for, even if the run is being cancelled. While the database is unavailable it
// tries again for as long as the activity may run, because the response would have to be paid for again.
func (r *chunkReader) keep(ctx context.Context, key []byte, response storedResponse) error {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		detachedCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		err := r.store(detachedCtx, key, response)
		cancel()
		if !errors.Is(err, db.ErrUnavailable) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(wait):
		}
	}
}

// store stores a response and releases the tokens that were reserved for it.
func (r *chunkReader) store(ctx context.Context, key []byte, response storedResponse) error {
	raw, err := json.Marshal(response)
	if err != nil {
		return err
	}
	return r.imports.store.AsService(ctx, func(q *db.Queries) error {
		err := q.StoreChunkAnswer(ctx, db.StoreChunkAnswerParams{
			Key: key, ImportID: r.ref.ImportID, Answer: raw,
			InputTokens: response.Usage.InputTokens, OutputTokens: response.Usage.OutputTokens,
		})
		if err != nil {
			return err
		}
		return q.ReleaseTokens(ctx, db.ReleaseTokensParams{
			ImportID: r.ref.ImportID, ClaimID: r.ref.ClaimID, Ordinal: int32(r.ordinal),
		})
	})
}

// reserveTokens reserves what a call will use at least, before it is made. Concurrent calls, by any worker,
// can then only exceed the limit by the length of their responses.
func (r *chunkReader) reserveTokens(ctx context.Context, request extract.Request) error {
	limit := r.imports.limits.MaxTokens
	if limit == 0 {
		return nil
	}
	wanted := r.imports.extractor.Estimate(request)
	err := r.imports.store.AsService(ctx, func(q *db.Queries) error {
		_, err := q.LockImport(ctx, db.LockImportParams{ImportID: r.ref.ImportID, ClaimID: r.ref.ClaimID})
		if err != nil {
			return err
		}
		reserved, err := q.ReserveTokens(ctx, db.ReserveTokensParams{
			ImportID: r.ref.ImportID, ClaimID: r.ref.ClaimID, Ordinal: int32(r.ordinal),
			Wanted: wanted, MaxTokens: limit,
		})
		if err == nil && reserved == 0 {
			return errTokenLimit()
		}
		return err
	})
	return dbError("reserve tokens", err)
}

// attemptKey is the key of a failed attempt, whose tokens count although its request is made again.
func attemptKey(ctx context.Context, key []byte) []byte {
	info := activity.GetInfo(ctx)
	sum := sha256.New()
	fmt.Fprintf(sum, "%x %s %s %d", key, info.WorkflowExecution.RunID, info.ActivityID, info.Attempt)
	return sum.Sum(nil)
}
