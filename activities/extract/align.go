package extract

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"research/transcript"
)

// A Match says how a quote relates to the source.
type Match string

// The matches.
const (
	MatchVerbatim Match = "verbatim" // equal but for white space
	MatchRepaired Match = "repaired" // corrected to the words of the source
)

// A Span is the location of a quote: Text[ByteStart:ByteEnd] of the transcript is the quote.
type Span struct {
	ByteStart, ByteEnd         int
	UtteranceFrom, UtteranceTo int // both inclusive
	Match                      Match
	Similarity                 float64 // 0 to 1
	tokenStart, tokenEnd       int
}

// A RejectReason says why a quote did not become evidence. The zero value means that it did.
type RejectReason string

// The reasons of Align and Merge.
const (
	RejectUnknownHypothesis RejectReason = "unknown_hypothesis" // the request has no such hypothesis
	RejectTooShort          RejectReason = "too_short"          // too few words to locate it
	RejectNotFound          RejectReason = "not_found"          // the transcript does not say that
	RejectMeaningDiffers    RejectReason = "meaning_differs"    // a negation, number or quantifier differs
)

// An Aligner locates quotes in one transcript. It is safe for concurrent use.
type Aligner struct {
	transcript *transcript.Transcript
	speakers   []string

	tokens     []token
	utterance  []int32 // of each token
	turn       []int32 // of each token; a turn is a sequence of utterances of one speaker
	firstToken []int32 // of each utterance, and the end of the last

	ids     map[string]int32 // of each word
	words   wordIndex        // over all tokens
	content wordIndex        // over the tokens that a quote may not leave out
	token   []int32          // of each token of content: its index in tokens
}

// A wordIndex is a sequence of words, by id, and the positions of each id in it.
type wordIndex struct {
	ids       []int32
	positions [][]int32
}

func (x *wordIndex) add(id int32) {
	for int(id) >= len(x.positions) {
		x.positions = append(x.positions, nil)
	}
	x.positions[id] = append(x.positions[id], int32(len(x.ids)))
	x.ids = append(x.ids, id)
}

// of returns the positions of a word, or nil if it does not occur.
func (x *wordIndex) of(id int32) []int32 {
	if id < 0 || int(id) >= len(x.positions) {
		return nil
	}
	return x.positions[id]
}

// rarest returns the index of the word with the fewest positions.
func (x *wordIndex) rarest(ids []int32) int {
	rarest := 0
	for i := range ids {
		if len(x.of(ids[i])) < len(x.of(ids[rarest])) {
			rarest = i
		}
	}
	return rarest
}

// NewAligner indexes a transcript. The index takes about 50 bytes of memory per word.
func NewAligner(t *transcript.Transcript) *Aligner {
	a := &Aligner{
		transcript: t,
		speakers:   t.Speakers(),
		firstToken: make([]int32, len(t.Utterances)+1),
		ids:        map[string]int32{},
	}
	turn := int32(0)
	for i, u := range t.Utterances {
		if i > 0 && u.Speaker != t.Utterances[i-1].Speaker {
			turn++
		}
		a.firstToken[i] = int32(len(a.tokens))
		tokens := tokenize(u.Text)
		optional := markOptional(u.Text, tokens)
		for j, tok := range tokens {
			id, known := a.ids[tok.norm]
			if !known {
				id = int32(len(a.ids))
				a.ids[tok.norm] = id
			}
			if !optional[j] {
				a.content.add(id)
				a.token = append(a.token, int32(len(a.tokens)))
			}
			a.words.add(id)
			tok.start += u.ByteStart
			tok.end += u.ByteStart
			a.tokens = append(a.tokens, tok)
			a.turn = append(a.turn, turn)
			a.utterance = append(a.utterance, int32(i))
		}
	}
	a.firstToken[len(t.Utterances)] = int32(len(a.tokens))
	return a
}

// Align locates a quote. It looks for the same words, ignoring typography, in the cited utterances, then in
// the chunk, then everywhere; after that for similar words, within one utterance or adjacent utterances of
// one speaker. It rejects a quote that the transcript does not say.
func (a *Aligner) Align(quote string, cited []int, chunk Chunk) (Span, RejectReason) {
	quote = a.trimLabels(quote)
	parts := quoteParts(quote)
	if len(parts) == 0 {
		return Span{}, RejectTooShort
	}
	areas := a.areas(cited, chunk)
	span, reason := a.alignPart(parts[0], areas, len(cited))
	if len(parts) > 1 {
		span, reason = a.alignParts(parts, areas, len(cited))
	} else if reason == "" && weight(parts[0].tokens) < minWeight && !a.isClause(span) {
		return Span{}, RejectTooShort
	}
	if reason == "" {
		a.toBytes(&span, quote)
	}
	return span, reason
}

var idLabel = regexp.MustCompile(`\[u\d+\]`)

// trimLabels removes what models copy from the prompt: utterance ids, and the speaker's name at the
// beginning.
func (a *Aligner) trimLabels(quote string) string {
	if strings.Contains(quote, "[u") {
		quote = idLabel.ReplaceAllString(quote, " ")
	}
	trimmed := strings.TrimLeft(quote, " \t\r\n\"'“”„«‘")
	for _, name := range a.speakers {
		if rest, ok := strings.CutPrefix(trimmed, name); ok && strings.HasPrefix(rest, ":") {
			return rest[1:]
		}
	}
	return quote
}

var ellipsis = regexp.MustCompile(`\[\s*(…|\.\.\.)\s*\]|\(\s*(…|\.\.\.)\s*\)|…+|\.\.\.+|\. \. \.|⋯+`)

// A part is the text of a quote between ellipses.
type part struct {
	text   string
	tokens []token
}

// quoteParts divides a quote at its ellipses, and drops parts without words.
func quoteParts(quote string) []part {
	var parts []part
	for _, text := range ellipsis.Split(quote, -1) {
		if tokens := tokenize(text); len(tokens) > 0 {
			parts = append(parts, part{text, tokens})
		}
	}
	return parts
}

// An area is a range of tokens to search.
type area struct{ from, to int }

func (r area) contains(i int) bool { return i >= r.from && i < r.to }

// areas lists where to search, in this order: each cited utterance, the chunk, the whole transcript.
func (a *Aligner) areas(cited []int, chunk Chunk) []area {
	utterances := len(a.transcript.Utterances)
	areas := make([]area, 0, len(cited)+2)
	for _, i := range cited {
		if i >= 0 && i < utterances {
			areas = append(areas, area{int(a.firstToken[i]), int(a.firstToken[i+1])})
		}
	}
	if chunk.From >= 0 && chunk.To <= utterances && chunk.From < chunk.To {
		areas = append(areas, area{int(a.firstToken[chunk.From]), int(a.firstToken[chunk.To])})
	}
	return append(areas, area{0, len(a.tokens)})
}

// maxOmitted is how many tokens an ellipsis may omit, about four sentences. Further apart, the parts are two
// quotes.
const maxOmitted = 80

// maxAnchors is how many locations of the longest part are tried: speakers repeat themselves.
const maxAnchors = 4

// alignParts locates the parts of a quote with ellipses: in order, within one turn, and close to each other.
func (a *Aligner) alignParts(parts []part, areas []area, cited int) (Span, RejectReason) {
	anchor := 0 // the longest part, which is located first
	for i, p := range parts {
		if len(p.tokens) > len(parts[anchor].tokens) {
			anchor = i
		}
	}
	var first RejectReason
	for range maxAnchors {
		at, reason := a.alignPart(parts[anchor], areas, cited)
		if reason == "" {
			var span Span
			if span, reason = a.alignAround(at, parts, anchor); reason == "" {
				return span, ""
			}
		}
		if first == "" {
			first = reason
		}
		if at.tokenEnd == 0 {
			break
		}
		for i, r := range areas { // continue after this location
			if at.tokenEnd > r.from && at.tokenStart < r.to {
				areas[i].from = min(at.tokenEnd, r.to)
			}
		}
	}
	return Span{}, first
}

// alignAround locates the parts before and after the anchor, whose location is given.
func (a *Aligner) alignAround(whole Span, parts []part, anchor int) (Span, RejectReason) {
	turn := a.turnOf(whole.tokenStart)
	for i := anchor - 1; i >= 0; i-- {
		from := max(turn.from, whole.tokenStart-maxOmitted-2*len(parts[i].tokens))
		span, reason := a.alignPart(parts[i], []area{{from, whole.tokenStart}}, 1)
		if reason != "" {
			return Span{}, reason
		}
		whole.tokenStart, whole.Similarity = span.tokenStart, min(whole.Similarity, span.Similarity)
	}
	for _, p := range parts[anchor+1:] {
		to := min(turn.to, whole.tokenEnd+maxOmitted+2*len(p.tokens))
		span, reason := a.alignPart(p, []area{{whole.tokenEnd, to}}, 1)
		if reason != "" {
			return Span{}, reason
		}
		whole.tokenEnd, whole.Similarity = span.tokenEnd, min(whole.Similarity, span.Similarity)
	}
	return whole, ""
}

// minWeight is the least weight of a quote that is searched for everywhere. A shorter one is accepted only in
// the utterances that it cites.
const minWeight = 3

// weight counts words. Two characters of a script without spaces count as one word.
func weight(tokens []token) int {
	total := 0
	for _, tok := range tokens {
		total += halfWords(tok.norm)
	}
	return total / 2
}

// halfWords is 2 for a word and 1 for a character of a script without spaces.
func halfWords(word string) int {
	if isUnspacedWord(word) {
		return 1
	}
	return 2
}

// alignPart locates a part of a quote. The first areas, as many as were cited, are searched for short parts
// too.
func (a *Aligner) alignPart(quote part, areas []area, cited int) (Span, RejectReason) {
	ids := make([]int32, len(quote.tokens))
	for i, tok := range quote.tokens {
		id, known := a.ids[tok.norm]
		if !known {
			id = -1
		}
		ids[i] = id
	}
	short := weight(quote.tokens) < minWeight
	if !slices.Contains(ids, -1) {
		for i, r := range areas {
			if short && i >= cited {
				break
			}
			if at := a.findExact(ids, r); at >= 0 {
				return Span{tokenStart: at, tokenEnd: at + len(ids), Similarity: 1}, ""
			}
		}
	}
	if short {
		return Span{}, RejectTooShort
	}
	return a.findSimilar(quote, ids, areas, cited)
}

// findExact returns the first position of the tokens, in sequence and within one turn, in the area, or -1.
func (a *Aligner) findExact(ids []int32, r area) int {
	rare := a.words.rarest(ids)
	positions := a.words.of(ids[rare])
	from, _ := slices.BinarySearch(positions, int32(r.from))
	for _, p := range positions[from:] {
		if int(p) >= r.to {
			return -1
		}
		start := int(p) - rare
		end := start + len(ids)
		if start < 0 || end > len(a.tokens) || a.turn[start] != a.turn[end-1] {
			continue
		}
		if a.splitsWord(start) || a.splitsWord(end) {
			continue
		}
		if slices.Equal(a.words.ids[start:end], ids) {
			return start
		}
	}
	return -1
}

// isClause reports whether a span is a sentence or a clause of its own: "Yes." can be a quote, "the" cannot.
func (a *Aligner) isClause(s Span) bool {
	text := a.transcript.Text
	start := a.transcript.Utterances[a.utterance[s.tokenStart]].ByteStart
	end := a.transcript.Utterances[a.utterance[s.tokenEnd-1]].ByteEnd
	before := strings.TrimRight(text[start:a.tokens[s.tokenStart].start], " \"'“”‘’«»„([¿¡")
	after := strings.TrimLeft(text[a.tokens[s.tokenEnd-1].end:end], " \"'“”’»)]")
	const marks = ".!?…,;:–—-。！？、，；؟،"
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return (before == "" || strings.ContainsRune(marks, last)) &&
		(after == "" || strings.ContainsRune(marks, next))
}

// splitsWord reports whether a span that begins or ends before this token would divide a contraction: "do" is
// not what "don't" says.
func (a *Aligner) splitsWord(at int) bool {
	return at > 0 && at < len(a.tokens) && a.tokens[at].start == a.tokens[at-1].start
}

// turnOf returns the turn of a token.
func (a *Aligner) turnOf(at int) area {
	turn := a.turn[at]
	from, _ := slices.BinarySearch(a.turn, turn)
	to, _ := slices.BinarySearch(a.turn, turn+1)
	return area{from, to}
}

const (
	quoteMarks   = "\"“”„«»‘’'「」『』"
	closingMarks = ".!?…。！？؟%€$£"
	openingMarks = "$€£¿¡"
)

// toBytes turns the tokens of a span into bytes. It includes the adjacent punctuation that the quote has.
func (a *Aligner) toBytes(s *Span, quote string) {
	text := a.transcript.Text
	s.ByteStart, s.ByteEnd = a.tokens[s.tokenStart].start, a.tokens[s.tokenEnd-1].end
	s.UtteranceFrom, s.UtteranceTo = int(a.utterance[s.tokenStart]), int(a.utterance[s.tokenEnd-1])
	quote = strings.Trim(strings.TrimSpace(quote), quoteMarks)
	if last, _ := utf8.DecodeLastRuneInString(quote); strings.ContainsRune(closingMarks, last) {
		for s.ByteEnd < a.transcript.Utterances[s.UtteranceTo].ByteEnd {
			r, size := utf8.DecodeRuneInString(text[s.ByteEnd:])
			if !strings.ContainsRune(closingMarks, r) {
				break
			}
			s.ByteEnd += size
		}
	}
	for s.ByteStart > a.transcript.Utterances[s.UtteranceFrom].ByteStart { // $5
		r, size := utf8.DecodeLastRuneInString(text[:s.ByteStart])
		if !strings.ContainsRune(openingMarks, r) || !strings.HasPrefix(quote, string(r)) {
			break
		}
		s.ByteStart -= size
	}
	s.Match = MatchRepaired
	if singleSpaced(text[s.ByteStart:s.ByteEnd]) == singleSpaced(quote) {
		s.Match = MatchVerbatim
	}
}

func singleSpaced(s string) string { return strings.Join(strings.Fields(s), " ") }
