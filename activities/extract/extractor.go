package extract

import (
	"context"
	"fmt"
	"time"

	"research/outcome"
	"research/transcript"
)

// A Hypothesis is a statement to find evidence about.
type Hypothesis struct {
	ID        string
	Statement string
}

// A Request asks what one chunk of a transcript says about the hypotheses.
type Request struct {
	Transcript *transcript.Transcript
	Chunk      Chunk
	Hypotheses []Hypothesis
	// Interviewers are speakers whose words are no evidence, in the order of their names.
	Interviewers []string
	// Again is true for a second request, because the response to the first could not be read.
	Again bool
}

// An Extractor finds evidence. It is safe for concurrent use.
type Extractor interface {
	// Name labels the import and its evidence: "keyword" or "openai".
	Name() string
	// Model returns the name of the model, or "" if the extractor has none.
	Model() string
	// PromptVersion changes whenever the same request could have another response.
	PromptVersion() string
	// Plan divides a transcript into chunks, one for each request.
	Plan(t *transcript.Transcript, hypotheses []Hypothesis) []Chunk
	// Estimate returns a low estimate of the tokens that the request takes, or 0 if requests are free.
	Estimate(r Request) int64
	// Expect returns the tokens that the request is expected to take, or the zero value if requests are free.
	Expect(r Request) Usage
	// Extract executes the request. Its error is an *Error or the context's error.
	Extract(ctx context.Context, r Request) (Response, error)
}

// A Response holds the findings of an extractor in a chunk, before verification. It is stored as JSON, so
// that a retry does not pay for it again; the names of its fields must not change.
type Response struct {
	Findings  []Finding  `json:"findings"`
	FollowUps []FollowUp `json:"questions,omitempty"`
	Usage     Usage      `json:"usage"`
}

// A Finding claims that the transcript says something about a hypothesis.
type Finding struct {
	HypothesisID string           `json:"hypothesis_id"`
	Stance       outcome.Stance   `json:"stance"`
	Strength     outcome.Strength `json:"strength"`
	Quote        string           `json:"quote"`
	Utterances   []int            `json:"utterances"` // ordinals of the cited utterances
	Rationale    string           `json:"rationale"`
	Summary      string           `json:"summary"`
	Score        float64          `json:"score,omitempty"` // of a keyword match, 0 to 1
}

// A FollowUp is an open question worth asking in a later interview.
type FollowUp struct {
	HypothesisID string `json:"hypothesis_id"`
	Text         string `json:"text"`
}

// Usage counts the tokens that a response took, over all calls.
type Usage struct {
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
	// CachedTokens are those of InputTokens that the server had in its cache, at a lower price.
	CachedTokens int64 `json:"cached_tokens,omitempty"`
	// ReasoningTokens are those of OutputTokens that the model spent on thoughts.
	ReasoningTokens int64 `json:"reasoning_tokens,omitempty"`
}

// Add returns the sum of both usages.
func (u Usage) Add(other Usage) Usage {
	return Usage{
		InputTokens:  u.InputTokens + other.InputTokens,
		OutputTokens: u.OutputTokens + other.OutputTokens,

		CachedTokens:    u.CachedTokens + other.CachedTokens,
		ReasoningTokens: u.ReasoningTokens + other.ReasoningTokens,
	}
}

// An Error is a failed call to a model. Its text contains nothing that the server wrote.
type Error struct {
	Code       outcome.Code
	Status     int           // HTTP status, or 0 without a response
	RetryAfter time.Duration // requested by the server, else 0
	Usage      Usage         // of the failed calls
	// NoCompletion means that the server reported success, but did not answer with a completion. That is no
	// outage if it repeats.
	NoCompletion bool
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s (HTTP %d)", e.Code, e.Status)
	}
	return string(e.Code)
}
