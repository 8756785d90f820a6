package activities

import (
	"errors"
	"time"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/outcome"
)

// An AnswerRef names an answer and the request for it. A write for a request that is not the latest changes
// nothing.
type AnswerRef struct {
	AnswerID uuid.UUID
	ClaimID  uuid.UUID
}

// Answers are the activities that answer questions about interviews. They share the store, the transcripts
// and the breaker of Imports, because they call the same model. Temporal knows them by the names of the
// methods.
type Answers struct {
	imports  *Imports
	answerer extract.Answerer // nil without a model
	cfg      AnswersConfig
	indexes  *indexCache
	ender    *answerEnder
}

// AnswersConfig configures how questions are answered. Passages is required.
type AnswersConfig struct {
	Passages  int   // ASK_PASSAGES: that a quick answer reads
	MaxTokens int64 // of one answer; 0 means no limit
}

// NewAnswers returns the activities. answerer is nil without a model: then they only find passages.
func NewAnswers(imports *Imports, answerer extract.Answerer, cfg AnswersConfig) (*Answers, error) {
	if imports == nil || cfg.Passages < 1 {
		return nil, errors.New("activities: a dependency of Answers is missing")
	}
	return &Answers{
		imports: imports, answerer: answerer, cfg: cfg,
		indexes: newIndexCache(imports.ender.transcripts),
		ender:   &answerEnder{imports.store, imports.log},
	}, nil
}

// An AnswerPlan is what a run has to read.
type AnswerPlan struct {
	Chunks      []int // ordinals of the chunks that are not read yet; of a thorough answer only
	Total       int   // chunks of the plan
	Concurrency int   // PARSE_CONCURRENCY
	// Compose reports whether a model writes sentences. Otherwise the answer only has passages, or has ended.
	Compose bool
}

// ReadForAnswerInput names a chunk of the plan of a run.
type ReadForAnswerInput struct {
	AnswerRef
	Ordinal int
}

// A Composition is what the model has written, for readers of Temporal's UI.
type Composition struct {
	Result outcome.AnswerResult // that the model says; empty if it says none
	// Sentences were proven by their quotes, and Unsupported were not.
	Sentences, Unsupported int
	// Partial reports that the model was not sent, or did not read, all that was found.
	Partial bool
	Unsent  int // passages of a quick answer that did not fit, the last ones
}

// FinishAnswerInput says what the model has made of its sources.
type FinishAnswerInput struct {
	AnswerRef
	Result  outcome.AnswerResult // that the model says; empty if it says none, or was not asked
	Partial bool                 // as of the composition
	Unsent  int
}

// FailAnswerInput describes how a run ended.
type FailAnswerInput struct {
	AnswerRef
	Status    outcome.AnswerStatus // failed, canceled or timed_out
	ErrorCode outcome.Code
}

// AnswerEnd is the end of an answer, as the database records it.
type AnswerEnd struct {
	Status    outcome.AnswerStatus
	Result    outcome.AnswerResult // empty for passages and for an answer that failed
	ErrorCode outcome.Code         // empty for answered

	Mode                           outcome.AnswerMode
	Sentences, Unsupported, People int
	Coverage                       float64
	Took                           time.Duration // from the request to the end
}
