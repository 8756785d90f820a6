package activities

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"

	"research/activities/extract"
	"research/db"
	"research/outcome"
)

// A responseKey identifies the response to a request.
type responseKey [sha256.Size]byte

// A storedResponse is a response of the extractor, or the code of a failure that would only repeat.
type storedResponse struct {
	extract.Response
	Failed  outcome.Code `json:"failed,omitempty"`
	Skipped bool         `json:"skipped,omitempty"` // no call was made, because it would fail like an earlier one
	Final   bool         `json:"final,omitempty"`   // neither a second request nor smaller parts will be read

	took time.Duration // of the call; 0 for a response that was stored before
}

// repeats reports whether the same request would fail in the same way.
func (r storedResponse) repeats() bool {
	switch r.Failed {
	case outcome.CodeModelRefused, outcome.CodeModelTooLong, outcome.CodeModelBadAnswer:
		return true
	}
	return false
}

// isPaid reports whether the response must be stored: it was paid for, or the same request would fail again.
func (r storedResponse) isPaid() bool {
	return r.Failed == "" || r.repeats() || r.Usage != extract.Usage{}
}

func encodeResponse(stored storedResponse) (json.RawMessage, error) {
	raw, err := json.Marshal(stored)
	if err != nil {
		return nil, fmt.Errorf("encode a response: %w", err)
	}
	return raw, nil
}

func decodeResponse(raw json.RawMessage) (storedResponse, error) {
	var stored storedResponse
	if err := json.Unmarshal(raw, &stored); err != nil {
		return storedResponse{}, fmt.Errorf("decode a stored response: %w", err)
	}
	return stored, nil
}

// requestKey is the key of the response to a request. It is made from everything that the response depends
// on.
func requestKey(e extract.Extractor, sha256Text string, r extract.Request) responseKey {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%d-%d\n%s\n%s\n%s\n", sha256Text, r.Chunk.ByteStart, r.Chunk.ByteEnd,
		e.Name(), e.Model(), e.PromptVersion())
	for _, h := range r.Hypotheses {
		fmt.Fprintf(sum, "%s %q\n", h.ID, h.Statement)
	}
	for _, name := range r.Interviewers {
		fmt.Fprintf(sum, "interviewer %q\n", name)
	}
	return responseKey(sum.Sum(nil))
}

// failureKey is the key of a failure that would only repeat within one run. A later run asks again.
func failureKey(key responseKey, claim uuid.UUID, again bool) responseKey {
	return sha256.Sum256(fmt.Appendf(nil, "%x %s %t", key, claim, again))
}

// attemptKey is the key of a failed call whose tokens count, although its request is made again.
func attemptKey(ctx context.Context, key responseKey) responseKey {
	info := activity.GetInfo(ctx)
	return sha256.Sum256(fmt.Appendf(nil, "%x %s %s %d",
		key, info.WorkflowExecution.RunID, info.ActivityID, info.Attempt))
}

// saveTimeout bounds one attempt to store a response.
const saveTimeout = 10 * time.Second

// store stores a response, however long the database is unavailable: it would have to be paid for again. It
// gives up when the worker has stopped waiting.
func (r *chunkReading) store(
	ctx context.Context, key responseKey, q partRequest, stored storedResponse,
) error {
	params, err := r.storeParams(ctx, key, q, stored)
	if err != nil {
		return err
	}
	storeCtx, cancel := detached(ctx, func() bool { return stopping(ctx) })
	defer cancel()
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		limited, stop := context.WithTimeout(storeCtx, saveTimeout)
		isNew, err := db.AsService(limited, r.imports.store, func(q *db.Queries) (bool, error) {
			return q.StoreResponse(limited, params)
		})
		stop()
		switch {
		case err == nil && !isNew:
			r.imports.callRepeated(ctx)
			fallthrough
		case err == nil:
			return nil
		case !errors.Is(err, db.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded):
			return failed(ctx, r.imports.log, "store a response", err, "import_id", r.ref.ImportID)
		}
		select {
		case <-storeCtx.Done():
			r.imports.log.ErrorContext(ctx, "a response of the model is lost: the database is unavailable",
				"import_id", r.ref.ImportID)
			return errHandedOver()
		case <-time.After(wait):
		}
	}
}

func (r *chunkReading) storeParams(
	ctx context.Context, key responseKey, q partRequest, stored storedResponse,
) (db.StoreResponseParams, error) {
	switch {
	case stored.Failed == "":
	case stored.repeats():
		key = failureKey(key, r.ref.ClaimID, q.Again)
	default:
		key = attemptKey(ctx, key)
	}
	raw, err := encodeResponse(stored)
	return db.StoreResponseParams{
		ImportID: r.ref.ImportID, ClaimID: r.ref.ClaimID, Ordinal: r.ordinal, Key: key[:], Response: raw,
		InputTokens: stored.Usage.InputTokens, OutputTokens: stored.Usage.OutputTokens,
		CallSeconds: stored.took.Seconds(), Called: !stored.Skipped,
	}, err
}
