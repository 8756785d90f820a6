package extract

import (
	"context"
	"fmt"
	"time"

	"research/transcript"
)

// A Hypothesis is a statement to find evidence about.
type Hypothesis struct {
	ID        string
	Statement string
}

// A Question asks what a chunk of a transcript says about hypotheses.
type Question struct {
	Transcript *transcript.Transcript
	Chunk      Chunk
	Hypotheses []Hypothesis
}

// An Extractor answers questions. It is safe for concurrent use.
type Extractor interface {
	// Name is what the import and its evidence are labelled with: "keyword" or "openai".
	Name() string
	// Model names the model, "" where there is none.
	Model() string
	// PromptVersion changes whenever the same question could be answered otherwise.
	PromptVersion() string
	// Plan cuts a transcript into the chunks to ask about.
	Plan(t *transcript.Transcript, hypotheses []Hypothesis) []Chunk
	// Estimate is a low estimate of the tokens that asking takes; 0 where it is free.
	Estimate(q Question) int64
	// Ask answers. Its errors are *Error, or the context's.
	Ask(ctx context.Context, q Question) (Answer, error)
}

// An Answer is what an extractor said, before anything is proven. It is stored as JSON, so that it is paid for once.
type Answer struct {
	Findings  []Finding  `json:"findings"`
	Questions []FollowUp `json:"questions,omitempty"`
	Usage     Usage      `json:"usage"`
}

// A Finding is a claim: that the transcript says this about a hypothesis.
type Finding struct {
	HypothesisID string  `json:"hypothesis_id"`
	Stance       string  `json:"stance"`   // supports, contradicts or neutral
	Strength     string  `json:"strength"` // weak, medium or strong
	Quote        string  `json:"quote"`
	Utterances   []int   `json:"utterances"` // ordinals that the quote is said to stand in
	Rationale    string  `json:"rationale"`
	Summary      string  `json:"summary"`
	Score        float64 `json:"score,omitempty"` // of a keyword match, 0 to 1
}

// A FollowUp is an open question worth asking next.
type FollowUp struct {
	HypothesisID string `json:"hypothesis_id"`
	Text         string `json:"text"`
}

// Usage counts the tokens of the calls that an answer took.
type Usage struct {
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
}

// Add sums.
func (u Usage) Add(other Usage) Usage {
	return Usage{u.InputTokens + other.InputTokens, u.OutputTokens + other.OutputTokens}
}

// The stances and strengths of findings.
const (
	Supports    = "supports"
	Contradicts = "contradicts"
	Neutral     = "neutral"

	Weak   = "weak"
	Medium = "medium"
	Strong = "strong"
)

// A Kind says what went wrong with a model's server, and so what may help.
type Kind string

// The kinds of Error.
const (
	BadKey        Kind = "model_key_rejected" // 401, 403: nothing helps but another key
	NoCredit      Kind = "model_no_credit"    // the account is empty
	ModelNotFound Kind = "model_not_found"    // 404
	BadRequest    Kind = "model_bad_request"  // 400, 422 on every rung
	RateLimited   Kind = "model_rate_limited" // 429: wait
	Unavailable   Kind = "model_unavailable"  // 5xx, no connection, cut off, timed out: try again
	TooLong       Kind = "model_too_long"     // question or answer do not fit: ask about less
	BadAnswer     Kind = "model_bad_answer"   // no usable JSON, twice: ask about less
	Refused       Kind = "model_refused"      // the model or its filter will not answer: go on without
)

// An Error is a failed call to a model. Its text is ours alone.
type Error struct {
	Kind       Kind
	Status     int           // of HTTP, 0 where there was none
	RetryAfter time.Duration // what the server asked for, 0 where it did not
	Usage      Usage         // what the calls took all the same
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s (HTTP %d)", e.Kind, e.Status)
	}
	return string(e.Kind)
}
