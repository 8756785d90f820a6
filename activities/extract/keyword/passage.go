package keyword

import (
	"slices"
	"strings"
	"unicode"

	"research/internal/words"
)

// bestPassage returns the text, or the sentences of a long text from the one that matches best.
func (x *utteranceIndex) bestPassage(text string, q query) string {
	if words.Count(text) <= maxQuoteWords {
		return text
	}
	sentences := splitSentences(text)
	best, bestScore := 0, -1
	for i, sentence := range sentences {
		score := 0
		said := x.words(sentence)
		for _, t := range q.terms {
			if slices.ContainsFunc(said, func(word string) bool { return x.standsFor(word, t) }) {
				score++
			}
		}
		if score > bestScore {
			best, bestScore = i, score
		}
	}
	return passageFrom(sentences, best)
}

// standsFor reports whether a word of the transcript stands for a term.
func (x *utteranceIndex) standsFor(word string, t term) bool {
	id, known := x.ids[x.stem(word)]
	if !known {
		return false
	}
	_, found := t.variants[id]
	return found
}

// passageFrom returns a sentence, and as many of those after it as fit a quote.
func passageFrom(sentences []string, from int) string {
	to := from + 1
	count := words.Count(sentences[from])
	for to < len(sentences) && count+words.Count(sentences[to]) <= maxQuoteWords {
		count += words.Count(sentences[to])
		to++
	}
	passage := strings.TrimSpace(strings.Join(sentences[from:to], ""))
	if words.Count(passage) > maxQuoteWords {
		passage = strings.TrimSpace(passage[:words.Cut(passage, 0, len(passage), maxQuoteWords, len(passage))])
	}
	return passage
}

// splitSentences divides a text after the end of each sentence. The parts joined are the text.
func splitSentences(text string) []string {
	var sentences []string
	start, ended := 0, false
	for i, r := range text {
		switch {
		case strings.ContainsRune(".!?؟。！？", r):
			ended = true
		case ended && (unicode.IsSpace(r) || r > 0x2E80): // Chinese and Japanese put no space after a sentence
			sentences = append(sentences, text[start:i])
			start, ended = i, false
		case !strings.ContainsRune("\"'”’)]", r):
			ended = false
		}
	}
	return append(sentences, text[start:])
}

// isQuestion reports whether a passage ends with a question.
func isQuestion(passage string) bool {
	passage = strings.TrimRight(passage, " \"'”’»")
	return strings.HasSuffix(passage, "?") || strings.HasSuffix(passage, "？") || strings.HasSuffix(passage, "؟")
}
