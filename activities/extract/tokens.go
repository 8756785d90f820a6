package extract

import "unicode"

// Servers cut prompts in silence to the context that they were started with: Ollama does, at 4,096 tokens on small machines. What they count then
// is a multiple of windowStep, which all common sizes are; by chance one prompt in a thousand is, and is asked in halves for nothing.
const (
	windowStep = 1024
	// Of the least number of tokens that a prompt can have, this part must have been counted: tokenizers differ.
	leastShare = 0.85
)

// truncated tells from the tokens that a server counted whether it read the whole prompt. Some count those in their cache apart.
func truncated(prompt string, counted, cached int64) bool {
	if counted <= 0 { // it does not count
		return false
	}
	least := float64(leastTokens(prompt))
	if float64(counted+cached) < leastShare*least {
		return true
	}
	return counted%windowStep == 0 && float64(counted) < 1.5*least
}

// leastTokens is a low estimate of the tokens of a text: the tokenizers in use never join words, put at most three digits together, and seldom make
// fewer than one token of three characters where words are not apart.
func leastTokens(s string) int {
	const (
		space = iota
		letters
		digits
		alone
		signs
	)
	tokens, apart, run := 0, 0, 0
	last := space
	for _, r := range s {
		kind := signs
		switch {
		case unicode.IsSpace(r):
			kind = space
		case standsAlone(r):
			kind = alone
			apart++
		case unicode.IsDigit(r):
			kind = digits
		case isWordRune(r):
			kind = letters
		}
		if kind == last {
			run++
		} else {
			run = 1
		}
		switch {
		case kind == letters && run == 1, kind == digits && run%3 == 1:
			tokens++
		case kind == space && last == signs: // before a word, a sign may belong to it
			tokens++
		}
		last = kind
	}
	return tokens + apart/3
}
