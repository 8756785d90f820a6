package extract

import "unicode"

// Some servers silently truncate prompts to the context that they were started with: Ollama does, at 4,096
// tokens on small machines.
const (
	// windowStep divides all common sizes of a context: a truncated prompt has a multiple of it. One complete
	// prompt in a thousand does by chance, and is needlessly split.
	windowStep = 1024
	// minCountedShare is the part of a prompt's estimated tokens that a server must have counted: tokenizers
	// differ.
	minCountedShare = 0.85
)

// isTruncated reports whether the server read only part of the prompt, by the tokens that it counted. Some
// servers count cached tokens separately.
func isTruncated(prompt string, counted, cached int64) bool {
	if counted <= 0 { // the server does not count
		return false
	}
	estimate := float64(minTokens(prompt))
	if float64(counted+cached) < minCountedShare*estimate {
		return true
	}
	return counted%windowStep == 0 && float64(counted) < 1.5*estimate
}

// minTokens returns a low estimate of the tokens in a text. The tokenizers in use never join words, join at
// most three digits, and rarely need less than one token for three characters of a script without spaces.
func minTokens(s string) int {
	const (
		space = iota
		letter
		digit
		unspaced
		symbol
	)
	tokens, characters, run := 0, 0, 0
	last := space
	for _, r := range s {
		class := symbol
		switch {
		case unicode.IsSpace(r):
			class = space
		case isUnspaced(r):
			class = unspaced
			characters++
		case unicode.IsDigit(r):
			class = digit
		case isWordRune(r):
			class = letter
		}
		if class == last {
			run++
		} else {
			run = 1
		}
		switch {
		case class == letter && run == 1, class == digit && run%3 == 1:
			tokens++
		case class == space && last == symbol: // a symbol before a word may be part of the word's token
			tokens++
		}
		last = class
	}
	return tokens + characters/3
}
