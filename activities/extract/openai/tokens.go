package openai

import "research/activities/extract/words"

// Some servers silently truncate prompts to the context that they were started with: Ollama does, at 4,096
// tokens on small machines.
const (
	// windowStep divides all common sizes of a context: a truncated prompt has a multiple of it. One complete
	// prompt in a thousand does by chance, and is needlessly split.
	windowStep = 1024
	// minCountedShare is the part of a prompt's estimated tokens that a server must have counted: tokenizers
	// differ.
	minCountedShare = 0.85
	// minWindow is below every context in use. Fewer tokens are not a count of the prompt: some proxies report a
	// constant.
	minWindow = 256
)

// isTruncated reports whether the server read only part of a prompt with at least the given number of tokens,
// by the tokens that it counted. Some servers count cached tokens separately.
func isTruncated(minTokens int, counted, cached int64) bool {
	if counted+cached < minWindow { // the server does not count
		return false
	}
	estimate := float64(minTokens)
	if float64(counted+cached) < minCountedShare*estimate {
		return true
	}
	return counted%windowStep == 0 && float64(counted) < 1.5*estimate
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
