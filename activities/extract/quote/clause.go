package quote

import (
	"strings"
	"unicode/utf8"

	"research/internal/words"
)

// isClause reports whether a span is a sentence or a clause of its own: "Yes." can be a quote, "the" cannot.
func (a *Aligner) isClause(s Span) bool {
	text := a.transcript.Text
	start := a.transcript.Utterances[a.utterance[s.tokenStart]].ByteStart
	end := a.transcript.Utterances[a.utterance[s.tokenEnd-1]].ByteEnd
	before := strings.TrimRight(text[start:a.tokens[s.tokenStart].Start], " \"'“”‘’«»„([¿¡")
	after := strings.TrimLeft(text[a.tokens[s.tokenEnd-1].End:end], " \"'“”’»)]")
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return (before == "" || strings.ContainsRune(words.ClauseMarks, last)) &&
		(after == "" || strings.ContainsRune(words.ClauseMarks, next))
}

const sentenceMarks = ".!?…;:。！？；：؟"

// How far from a quote a negation may stand that belongs to it, in tokens of content: "I don't think that we
// would pay". German, Dutch, Turkish and Korean put it after what it negates.
const (
	reachBefore   = 8
	reachAfter    = 1
	reachTrailing = 8
	// reachUnspaced counts characters of a script without spaces.
	reachUnspaced       = 8
	reachUnspacedBefore = 3
)

// isNegation reports whether a word is a negation in the language of the transcript.
func (a *Aligner) isNegation(word string) bool { return words.Negates(a.transcript.Language, word) }

// includeNegations extends a span to a negation beside it in the same clause and turn: "track returns every
// day" is not what "we don't track returns every day" says.
func (a *Aligner) includeNegations(s *Span) {
	turn := a.contentArea(a.turnOf(s.tokenStart))
	for {
		span := a.contentArea(area{s.tokenStart, s.tokenEnd})
		if span.from >= span.to {
			return // only fillers
		}
		before := a.negationBefore(span.from, turn.from)
		after := a.negationAfter(span.to, turn.to)
		if before == span.from && after == span.to {
			return
		}
		if before < span.from {
			s.tokenStart = int(a.token[before])
		}
		if after > span.to {
			s.tokenEnd = int(a.token[after-1]) + 1
		}
		*s = a.wholeWords(*s)
	}
}

// negationBefore returns the first token of content from which a negation before from reaches it, or from.
func (a *Aligner) negationBefore(from, limit int) int {
	at, left := from, reachBefore*halfWords("a")
	for at > limit && left > 0 && a.sameClause(at-1) && !words.BeginsClause(a.contentWord(at)) {
		at--
		word := a.contentWord(at)
		if words.IsUnspacedWord(word) {
			left = min(left, reachUnspacedBefore)
		}
		if part := a.negationPart(at, at+1); a.isNegation(word) || part > 0 {
			return at
		}
		left -= halfWords(word)
	}
	return from
}

// negationAfter returns the end of a negation after to that belongs to what ends there, or to.
func (a *Aligner) negationAfter(to, limit int) int {
	unspaced := 0
	for at := to; at < limit && a.sameClause(at-1); at++ {
		word := a.contentWord(at)
		if words.IsUnspacedWord(word) {
			if unspaced++; unspaced > reachUnspaced {
				return to
			}
			if end := a.negationPart(at, limit); end > 0 {
				return end
			}
			continue
		}
		trailing := trailingNegations[word] || words.IsHangul(word) && a.isNegation(word)
		switch distance := at - to; {
		case distance >= reachTrailing, words.BeginsClause(word):
			return to
		case trailing, distance < reachAfter && a.isNegation(word):
			return at + 1
		}
	}
	return to
}

// negationPart returns the end of the negation of a script without spaces that begins at a token of content,
// or 0. It ends at limit or before.
func (a *Aligner) negationPart(at, limit int) int {
	text := ""
	for end := at; end < min(at+maxPartRunes, limit); end++ {
		if text += a.contentWord(end); !words.IsUnspacedWord(text) {
			return 0
		}
		for _, part := range words.NegationParts {
			if text == part {
				return end + 1
			}
		}
	}
	return 0
}

// maxPartRunes is the length of the longest negation of a script without spaces.
const maxPartRunes = 4

// sameClause reports whether no mark ends a clause between two adjacent tokens of content. A comma does not
// if it surrounds a filler, or if the clause after it completes the one before.
func (a *Aligner) sameClause(at int) bool {
	if at+1 >= len(a.token) {
		return false
	}
	first, second := a.token[at], a.token[at+1]
	start, end := a.tokens[first].End, a.tokens[second].Start
	if end <= start {
		return true // a contraction
	}
	between := a.transcript.Text[start:end]
	if second > first+1 || words.CompletesClause(a.contentWord(at+1)) {
		return !strings.ContainsAny(between, sentenceMarks)
	}
	if r, _ := utf8.DecodeRuneInString(between); r == '-' && len(between) == 1 {
		return true // a hyphen
	}
	return !strings.ContainsAny(between, words.ClauseMarks+"()[]")
}

// hidesNegation reports whether there is a negation between two parts of a quote, in the clause of either.
func (a *Aligner) hidesNegation(from, to int) bool {
	gap := a.contentArea(area{from, to})
	isHidden := func(i int) bool {
		return a.isNegation(a.contentWord(i)) || a.negationPart(i, gap.to) > 0
	}
	for i := gap.from; i < gap.to && i > 0 && a.sameClause(i-1); i++ {
		if isHidden(i) {
			return true
		}
	}
	for i := gap.to - 1; i >= gap.from && a.sameClause(i); i-- {
		if isHidden(i) {
			return true
		}
	}
	return false
}
