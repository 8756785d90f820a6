package openai

import (
	"slices"

	"research/internal/words"
)

// Ollama truncates prompts without notice to the context that it was started with, by default 4,096 tokens on
// small machines, or to half of it and two tokens (https://github.com/ollama/ollama/issues/17889). A low
// count of tokens alone proves nothing: proxies report constants, or only what was not in their cache. What
// tells a truncated prompt is that its count is a size which contexts have.
const (
	// minWindow is below every context in use.
	minWindow = 1024
	// minCountedShare is the part of a prompt's estimated tokens that a server must have counted: tokenizers
	// differ.
	minCountedShare = 0.85
	// windowStep divides all common sizes of a context. A complete prompt whose count is near the estimate has a
	// multiple of it once in a thousand times, and is needlessly split.
	windowStep = 1024
	// windowSlack is what a server adds to the size.
	windowSlack = 2
)

// windowSteps divide the sizes that people set.
var windowSteps = []int64{256, 1000}

// isTruncated reports whether the server read only part of a prompt with at least the given number of tokens,
// by the tokens that it counted. Some servers count cached tokens separately.
func isTruncated(minTokens int, counted, cached int64) bool {
	if counted < minWindow {
		return false
	}
	estimate := float64(minTokens)
	if float64(counted+cached) >= minCountedShare*estimate {
		return counted%windowStep == 0 && float64(counted) < 1.5*estimate
	}
	return slices.ContainsFunc(windowSteps, func(step int64) bool { return counted%step <= windowSlack })
}

// minTokens returns a low estimate of the tokens in a text that is given in parts.
func minTokens(parts ...string) int {
	var c tokenCounter
	for _, part := range parts {
		_, _ = c.WriteString(part)
	}
	return c.minTokens()
}

// A tokenCounter makes a low estimate of the tokens in what is written to it. The tokenizers in use never
// join words, join at most three digits, and rarely need less than one token for three characters of a script
// without spaces.
type tokenCounter struct {
	tokens, unspaced int
	last             words.Class
	digits           int // at the end of the text
}

func (c *tokenCounter) minTokens() int { return c.tokens + c.unspaced/3 }

// WriteString never fails.
func (c *tokenCounter) WriteString(s string) (int, error) {
	last := c.last
	for i := 0; i < len(s); {
		class, size := words.ClassAt(s, i)
		i += size
		switch class {
		case words.Letter:
			if last != words.Letter {
				c.tokens++
			}
		case words.Digit:
			if last != words.Digit {
				c.digits = 0
			}
			if c.digits%3 == 0 {
				c.tokens++
			}
			c.digits++
		case words.Space:
			if last == words.Symbol { // a symbol before a word may be part of the word's token
				c.tokens++
			}
		case words.Unspaced:
			c.unspaced++
		}
		last = class
	}
	c.last = last
	return len(s), nil
}
