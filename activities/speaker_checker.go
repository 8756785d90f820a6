package activities

import (
	"context"

	"research/activities/extract"
)

// A SpeakerChecker asks a model who speaks. *openai.Extractor is one. It is safe for concurrent use.
type SpeakerChecker interface {
	Name() string
	Model() string
	// SpeakersPromptVersion changes whenever the same question could have another answer.
	SpeakersPromptVersion() string
	// ExpectSpeakers returns the tokens that a question is expected to take.
	ExpectSpeakers(q extract.SpeakerQuestion) extract.Usage
	// AskSpeakers asks once. Its error is an *extract.Error or the context's error.
	AskSpeakers(ctx context.Context, q extract.SpeakerQuestion) (extract.SpeakerAnswers, error)
}
