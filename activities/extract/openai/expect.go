package openai

import "research/internal/words"

import "unicode/utf8"

// What current tokenizers need on average. With those of OpenAI's models, the utterances of an English prompt
// have 3.6 to 4.2 characters per token, other languages with spaces 3.2 to 4.0, Chinese and Japanese 1.2 to
// 1.6.
const (
	charactersPerToken         = 4.0
	unspacedCharactersPerToken = 1.5
)

// expectedPerHypothesis is the size of a finding and a question, in tokens. Models report several findings
// for some hypotheses, and none for others.
const expectedPerHypothesis = 120

// expectedTokens returns the tokens that a text is expected to have. minTokens is a low estimate instead.
func expectedTokens(s string) int64 {
	unspaced := 0
	for _, r := range s {
		if words.IsUnspaced(r) {
			unspaced++
		}
	}
	spaced := utf8.RuneCountInString(s) - unspaced
	return int64(float64(spaced)/charactersPerToken + float64(unspaced)/unspacedCharactersPerToken)
}

// expectedResponse returns the tokens that a response about a number of hypotheses is expected to have.
func expectedResponse(hypotheses int) int64 { return int64(expectedPerHypothesis * hypotheses) }
