package activities

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"

	"research/activities/extract"
	"research/outcome"
)

// A responseKey identifies the response to a request.
type responseKey [sha256.Size]byte

// A storedResponse is a response of the extractor, or the code of a failure that would only repeat.
type storedResponse struct {
	extract.Response
	Failed  outcome.Code `json:"failed,omitempty"`
	Skipped bool         `json:"skipped,omitempty"` // no call was made: it would fail like an earlier one
	Final   bool         `json:"final,omitempty"`   // neither a second request nor smaller parts will be read

	took time.Duration // of the call; 0 for a response that was stored before
}

// repeats reports whether the same request would fail in the same way.
func (r storedResponse) repeats() bool { return repeats(r.Failed) }

// repeats reports whether a request that failed with a code would fail in the same way again.
func repeats(failed outcome.Code) bool {
	switch failed {
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
