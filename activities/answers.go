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

// An answerKey identifies the answer to a request.
type answerKey [sha256.Size]byte

// A storedAnswer is a response of the extractor, or the code of a failure that would only repeat.
type storedAnswer struct {
	extract.Response
	Failed outcome.Code `json:"failed,omitempty"`
	Final  bool         `json:"final,omitempty"` // smaller chunks would fail in the same way

	took time.Duration // of the call; 0 for an answer that was stored before
}

// repeats reports whether the same request would fail in the same way.
func (a storedAnswer) repeats() bool {
	switch a.Failed {
	case outcome.CodeModelRefused, outcome.CodeModelTooLong, outcome.CodeModelBadAnswer:
		return true
	}
	return false
}

// isPaid reports whether the answer must be stored: it was paid for, or the same request would fail again.
func (a storedAnswer) isPaid() bool {
	return a.Failed == "" || a.repeats() || a.Usage != extract.Usage{}
}

func encodeAnswer(answer storedAnswer) (json.RawMessage, error) {
	raw, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("encode an answer: %w", err)
	}
	return raw, nil
}

func decodeAnswer(raw json.RawMessage) (storedAnswer, error) {
	var answer storedAnswer
	if err := json.Unmarshal(raw, &answer); err != nil {
		return storedAnswer{}, fmt.Errorf("decode a stored answer: %w", err)
	}
	return answer, nil
}

// requestKey is the key of the response to a request. It is made from everything that the response depends
// on.
func requestKey(e extract.Extractor, sha256Text string, r extract.Request) answerKey {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%d-%d\n%s\n%s\n%s\n", sha256Text, r.Chunk.ByteStart, r.Chunk.ByteEnd,
		e.Name(), e.Model(), e.PromptVersion())
	for _, h := range r.Hypotheses {
		fmt.Fprintf(sum, "%s %q\n", h.ID, h.Statement)
	}
	for _, name := range r.Interviewers {
		fmt.Fprintf(sum, "interviewer %q\n", name)
	}
	return answerKey(sum.Sum(nil))
}

// failureKey is the key of a failure that would only repeat within one run. A later run asks again.
func failureKey(key answerKey, claim uuid.UUID) answerKey {
	return sha256.Sum256(fmt.Appendf(nil, "%x %s", key, claim))
}

// attemptKey is the key of a failed call whose tokens count, although its request is made again.
func attemptKey(ctx context.Context, key answerKey) answerKey {
	info := activity.GetInfo(ctx)
	return sha256.Sum256(fmt.Appendf(nil, "%x %s %s %d",
		key, info.WorkflowExecution.RunID, info.ActivityID, info.Attempt))
}
