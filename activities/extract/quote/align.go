package quote

import (
	"regexp"
	"slices"
	"strings"

	"research/internal/words"
	"research/transcript"
)

// A Match is the relation of a quote to the source.
type Match string

// The matches.
const (
	MatchVerbatim Match = "verbatim" // equal but for typography
	MatchRepaired Match = "repaired" // corrected to the words of the source
)

// A Span is the location of a quote: Text[ByteStart:ByteEnd] of the transcript is the quote.
type Span struct {
	ByteStart, ByteEnd         int
	UtteranceFrom, UtteranceTo int // both inclusive
	Match                      Match
	Similarity                 float64 // 0 to 1
	Words                      int     // of the source
	Negated                    bool    // the quote left out a negation beside it, which the span has
	tokenStart, tokenEnd       int
}

// A RejectReason says why a quote did not become evidence. The zero value means that it did.
type RejectReason string

// The reasons of Align.
const (
	RejectTooShort       RejectReason = "too_short"       // too few words to locate it
	RejectNotFound       RejectReason = "not_found"       // the transcript does not say that
	RejectMeaningDiffers RejectReason = "meaning_differs" // a negation, number, unit, day or name differs
)

// An Aligner locates quotes in one transcript. It is safe for concurrent use.
type Aligner struct {
	transcript *transcript.Transcript
	speakers   []string
	forms      *forms // of the words of its language

	speakerNames map[string]bool // the words of the speakers' names

	tokens     []words.Token
	utterance  []int32 // of each token
	turn       []int32 // of each token; a turn is a sequence of utterances of one speaker
	firstToken []int32 // of each utterance, and the end of the last

	ids     map[string]int32 // of each word
	names   []bool           // by the id of a word: it is never written in lower case
	words   wordIndex        // over all tokens
	content wordIndex        // over the tokens that a quote may not leave out
	token   []int32          // of each token of content: its index in tokens
}

// A wordIndex is a sequence of words, by id, and the positions of each id in it.
type wordIndex struct {
	ids       []int32
	positions []int32 // of the word 0, of the word 1 and so on
	first     []int32 // of each word, and of the one after the last: where its positions begin
}

// index builds the position lists of the words; vocabulary is the number of different words.
func (x *wordIndex) index(vocabulary int) {
	x.first = make([]int32, vocabulary+1)
	for _, id := range x.ids {
		x.first[id+1]++
	}
	for id := range vocabulary {
		x.first[id+1] += x.first[id]
	}
	next := slices.Clone(x.first)
	x.positions = make([]int32, len(x.ids))
	for i, id := range x.ids {
		x.positions[next[id]] = int32(i)
		next[id]++
	}
}

// of returns the positions of a word, or nil if it does not occur.
func (x *wordIndex) of(id int32) []int32 {
	if id < 0 {
		return nil
	}
	return x.positions[x.first[id]:x.first[id+1]]
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
		forms:      newForms(t.Language),
		firstToken: make([]int32, len(t.Utterances)+1),
		ids:        map[string]int32{},

		speakerNames: map[string]bool{},
	}
	for _, name := range a.speakers {
		for _, tok := range words.Tokenize(name) {
			a.speakerNames[tok.Norm] = true
		}
	}
	a.allocate(len(t.Text)/5 + 1) // about as many words
	known := vocabulary{ids: a.ids, spellings: map[string]spelling{}}
	turn := int32(0)
	var optional []bool
	for i, u := range t.Utterances {
		if i > 0 && u.Speaker != t.Utterances[i-1].Speaker {
			turn++
		}
		first := len(a.tokens)
		a.firstToken[i] = int32(first)
		a.addTokens(&known, u)
		optional = markOptional(optional, u.Text, a.tokens[first:], func(at int) [][]string {
			return known.fillers[a.words.ids[first+at]]
		})
		for at := first; at < len(a.tokens); at++ {
			if !optional[at-first] {
				a.content.ids = append(a.content.ids, a.words.ids[at])
				a.token = append(a.token, int32(at))
			}
			a.tokens[at].Start += u.ByteStart
			a.tokens[at].End += u.ByteStart
			a.turn = append(a.turn, turn)
			a.utterance = append(a.utterance, int32(i))
		}
	}
	a.firstToken[len(t.Utterances)] = int32(len(a.tokens))
	a.names = known.names
	a.words.index(len(a.ids))
	a.content.index(len(a.ids))
	return a
}

// allocate makes room for the tokens of a transcript.
func (a *Aligner) allocate(tokens int) {
	a.tokens = make([]words.Token, 0, tokens)
	a.utterance = make([]int32, 0, tokens)
	a.turn = make([]int32, 0, tokens)
	a.token = make([]int32, 0, tokens)
	a.words.ids = make([]int32, 0, tokens)
	a.content.ids = make([]int32, 0, tokens)
}

// addTokens adds the tokens of an utterance, as words.Tokenize returns them.
func (a *Aligner) addTokens(known *vocabulary, u transcript.Utterance) {
	for start, end := words.NextSpelling(u.Text, 0); start < end; start, end = words.NextSpelling(u.Text, end) {
		for _, word := range known.of(u.Text[start:end]) {
			if word.norm != "" {
				a.tokens = append(a.tokens, words.Token{Norm: word.norm, Start: start, End: end})
				a.words.ids = append(a.words.ids, word.id)
			}
		}
	}
}

// Align locates a quote. It looks for the same words, ignoring typography, in the cited utterances, then in
// the utterances [from, to), then everywhere; after that for similar words, within one utterance or adjacent
// utterances of one speaker. It rejects a quote that the transcript does not say.
func (a *Aligner) Align(quote string, cited []int, from, to int) (Span, RejectReason) {
	quote = a.trimLabels(quote)
	parts := quoteParts(quote)
	if len(parts) == 0 {
		return Span{}, RejectTooShort
	}
	areas := a.areas(cited, from, to)
	span, reason := a.alignPart(parts[0], areas, len(cited))
	if len(parts) > 1 {
		span, reason = a.alignParts(parts, areas, len(cited))
	} else if reason == "" && weight(parts[0].tokens) < minWeight && !a.isClause(span) {
		return Span{}, RejectTooShort
	}
	if reason != "" {
		return Span{}, reason
	}
	first, end := span.tokenStart, span.tokenEnd
	a.includeNegations(&span)
	span.Negated = span.tokenStart != first || span.tokenEnd != end
	a.toBytes(&span, quote)
	return span, ""
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
	tokens []words.Token
}

// quoteParts divides a quote at its ellipses, and drops parts without words.
func quoteParts(quote string) []part {
	var parts []part
	for _, text := range ellipsis.Split(quote, -1) {
		if tokens := words.Tokenize(text); len(tokens) > 0 {
			parts = append(parts, part{text, tokens})
		}
	}
	return parts
}

// An area is a range of tokens to search.
type area struct{ from, to int }

func (r area) contains(i int) bool { return i >= r.from && i < r.to }

// areas lists where to search, in this order: each cited utterance, the utterances [from, to), the whole
// transcript.
func (a *Aligner) areas(cited []int, from, to int) []area {
	utterances := len(a.transcript.Utterances)
	areas := make([]area, 0, len(cited)+2)
	for _, i := range cited {
		if i >= 0 && i < utterances {
			areas = append(areas, area{int(a.firstToken[i]), int(a.firstToken[i+1])})
		}
	}
	if from >= 0 && to <= utterances && from < to {
		areas = append(areas, area{int(a.firstToken[from]), int(a.firstToken[to])})
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

// alignAround locates the parts before and after the anchor, whose location is given. What lies between two
// parts must not negate either.
func (a *Aligner) alignAround(whole Span, parts []part, anchor int) (Span, RejectReason) {
	turn := a.turnOf(whole.tokenStart)
	for i := anchor - 1; i >= 0; i-- {
		span, reason := a.alignBefore(parts[i], turn, whole.tokenStart)
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
		if a.hidesNegation(whole.tokenEnd, span.tokenStart) {
			return Span{}, RejectMeaningDiffers
		}
		whole.tokenEnd, whole.Similarity = span.tokenEnd, min(whole.Similarity, span.Similarity)
	}
	return whole, ""
}

// alignBefore locates a part that ends before a token of its turn. Speakers repeat themselves, so it takes a
// later location if a negation follows the first.
func (a *Aligner) alignBefore(p part, turn area, end int) (Span, RejectReason) {
	within := area{max(turn.from, end-maxOmitted-2*len(p.tokens)), end}
	hidden := false
	for {
		span, reason := a.alignPart(p, []area{within}, 1)
		switch {
		case reason != "" && hidden:
			return Span{}, RejectMeaningDiffers
		case reason != "" || !a.hidesNegation(span.tokenEnd, end):
			return span, reason
		}
		hidden, within.from = true, span.tokenEnd
	}
}

// minWeight is the least weight of a quote that is searched for everywhere. A shorter one is accepted only in
// the utterances that it cites.
const minWeight = 3

// weight counts words. Two characters of a script without spaces count as one word.
func weight(tokens []words.Token) int {
	total := 0
	for _, tok := range tokens {
		total += halfWords(tok.Norm)
	}
	return total / 2
}

// halfWords is 2 for a word and 1 for a character of a script without spaces.
func halfWords(word string) int {
	if words.IsUnspacedWord(word) {
		return 1
	}
	return 2
}

// alignPart locates a part of a quote. The first areas, as many as were cited, are searched for short parts
// too.
func (a *Aligner) alignPart(quote part, areas []area, cited int) (Span, RejectReason) {
	ids := make([]int32, len(quote.tokens))
	for i, tok := range quote.tokens {
		id, known := a.ids[tok.Norm]
		if !known {
			id = -1
		}
		ids[i] = id
	}
	short := weight(quote.tokens) < minWeight
	if !slices.Contains(ids, -1) {
		otherAmount := false
		for i, r := range areas {
			if short && i >= cited {
				break
			}
			at := a.findExact(ids, r)
			switch {
			case at >= 0 && !a.changesAmounts(quote.text, at, at+len(ids)):
				return Span{tokenStart: at, tokenEnd: at + len(ids), Similarity: 1}, ""
			case at >= 0:
				otherAmount = true
			}
		}
		if otherAmount {
			return Span{}, RejectMeaningDiffers
		}
	}
	switch {
	case short:
		return Span{}, RejectTooShort
	case !words.Covers(a.transcript.Language):
		return Span{}, RejectNotFound // what must not differ is not known
	}
	span, reason := a.findSimilar(quote, ids, areas, cited)
	if reason == "" && a.changesAmounts(quote.text, span.tokenStart, span.tokenEnd) {
		return Span{}, RejectMeaningDiffers
	}
	return span, reason
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

// splitsWord reports whether a span that begins or ends before this token would divide a contraction: "do" is
// not what "don't" says.
func (a *Aligner) splitsWord(at int) bool {
	return at > 0 && at < len(a.tokens) && a.tokens[at].Start == a.tokens[at-1].Start
}

// turnOf returns the turn of a token.
func (a *Aligner) turnOf(at int) area {
	turn := a.turn[at]
	from, _ := slices.BinarySearch(a.turn, turn)
	to, _ := slices.BinarySearch(a.turn, turn+1)
	return area{from, to}
}
