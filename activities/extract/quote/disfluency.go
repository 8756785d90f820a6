package quote

import (
	"slices"
	"strings"

	"research/internal/words"
)

// markOptional marks the tokens that a quote may leave out or add: fillers, repeated words, and remarks in
// brackets such as [laughs]. It may overwrite a slice that is given for the result. fillersAt returns the
// fillers that begin with the word of a token.
func markOptional(reuse []bool, text string, tokens []words.Token, fillersAt func(at int) [][]string) []bool {
	optional := slices.Grow(reuse[:0], len(tokens))[:len(tokens)]
	clear(optional)
	for i := range tokens {
		if optional[i] {
			continue
		}
		markFiller(tokens, i, fillersAt(i), optional)
		if i+1 < len(tokens) && isRepeated(tokens[i], tokens[i+1]) && !endsContraction(tokens, i) {
			optional[i] = true
		}
	}
	for i := 0; i+3 < len(tokens); i++ { // two words said twice
		a, b := tokens[i].Norm, tokens[i+1].Norm
		if tokens[i+2].Norm == a && tokens[i+3].Norm == b && !words.HasDigit(a+b) && !words.IsUnspacedWord(a) {
			optional[i], optional[i+1] = true, true
		}
	}
	markRemarks(text, tokens, optional)
	return optional
}

// markFiller marks the longest of the fillers, which are ordered by length, that begins at tokens[at].
func markFiller(tokens []words.Token, at int, fillers [][]string, optional []bool) {
	for _, phrase := range fillers {
		if !hasPrefix(tokens[at:], phrase) {
			continue
		}
		for j := range phrase {
			optional[at+j] = true
		}
		return
	}
}

func hasPrefix(tokens []words.Token, phrase []string) bool {
	if len(tokens) < len(phrase) {
		return false
	}
	for i, word := range phrase {
		if tokens[i].Norm != word {
			return false
		}
	}
	return true
}

// endsContraction reports whether a token is the second of a contraction: "don't not" repeats no word.
func endsContraction(tokens []words.Token, at int) bool {
	return at > 0 && tokens[at-1].Start == tokens[at].Start
}

// isRepeated reports whether a speaker said a word twice in a row. Both tokens of a contraction have the same
// bytes.
func isRepeated(a, b words.Token) bool {
	return a.Norm == b.Norm && b.Start > a.Start && !words.HasDigit(a.Norm) && !words.IsUnspacedWord(a.Norm)
}

// maxRemark is the number of words in the longest remark in brackets; longer text may have been said.
const maxRemark = 3

// markRemarks marks short remarks in brackets without critical words.
func markRemarks(text string, tokens []words.Token, optional []bool) {
	if !hasBracket(text) {
		return
	}
	next := 0
	for from := 0; ; {
		open, end, ok := brackets(text, from)
		if !ok {
			return
		}
		from = end
		if strings.IndexByte("[({", text[end]) >= 0 { // another bracket opens first
			continue
		}
		for next < len(tokens) && tokens[next].Start < open {
			next++
		}
		first, meaningful := next, false
		for next < len(tokens) && tokens[next].End <= end {
			meaningful = meaningful || isCritical(tokens[next].Norm)
			next++
		}
		if next-first <= maxRemark && !meaningful {
			for i := first; i < next; i++ {
				optional[i] = true
			}
		}
	}
}

// hasBracket reports whether a text has an opening bracket. Few have, and IndexByte is faster than IndexAny.
func hasBracket(text string) bool {
	return strings.IndexByte(text, '[') >= 0 || strings.IndexByte(text, '(') >= 0 ||
		strings.IndexByte(text, '{') >= 0
}

// brackets finds the next opening bracket and the bracket after it.
func brackets(text string, from int) (open, end int, ok bool) {
	open = strings.IndexAny(text[from:], "[({")
	if open < 0 {
		return 0, 0, false
	}
	open += from
	length := strings.IndexAny(text[open+1:], "[({])}")
	if length < 0 {
		return 0, 0, false
	}
	return open, open + 1 + length, true
}
