package extract

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"research/transcript"
)

// How a quote was found.
const (
	Verbatim = "verbatim" // as the extractor gave it, but for white space
	Repaired = "repaired" // put right to the source
)

// A Span is where a quote stands: Text[ByteStart:ByteEnd] of the transcript is the quote.
type Span struct {
	ByteStart, ByteEnd         int
	UtteranceFrom, UtteranceTo int // both included
	Match                      string
	Similarity                 float64 // 0 to 1
	tokenStart, tokenEnd       int
}

// A Refusal says why a quote is no evidence.
type Refusal string

// The refusals of Align and Merge.
const (
	UnknownHypothesis Refusal = "unknown_hypothesis" // nobody asked about it
	TooShort          Refusal = "too_short"          // too few words to tell where it stands
	NotFound          Refusal = "not_found"          // the transcript does not say that
	MeaningDiffers    Refusal = "meaning_differs"    // a negation, number or quantifier differs
)

// An Aligner locates quotes in one transcript. It is safe for concurrent use.
type Aligner struct {
	t        *transcript.Transcript
	tokens   []token
	words    index   // all tokens
	content  index   // those that may not be left out
	place    []int32 // of each token of content: which token it is
	run      []int32 // of each token: adjacent utterances of one speaker are one run
	inUtter  []int32 // of each token: its utterance
	first    []int32 // of each utterance: its first token
	ids      map[string]int32
	speakers []string
}

// An index is a sequence of words, by id, and where each id stands in it.
type index struct {
	ids      []int32
	postings [][]int32
}

func (x *index) add(id int32) {
	for int(id) >= len(x.postings) {
		x.postings = append(x.postings, nil)
	}
	x.postings[id] = append(x.postings[id], int32(len(x.ids)))
	x.ids = append(x.ids, id)
}

// of is where a word stands; nil for one that does not occur.
func (x *index) of(id int32) []int32 {
	if id < 0 || int(id) >= len(x.postings) {
		return nil
	}
	return x.postings[id]
}

// NewAligner indexes a transcript. It takes about 50 bytes of memory a word beside the text.
func NewAligner(t *transcript.Transcript) *Aligner {
	a := &Aligner{t: t, ids: map[string]int32{}, first: make([]int32, len(t.Utterances)+1), speakers: t.Speakers()}
	run := int32(0)
	for i, u := range t.Utterances {
		if i > 0 && u.Speaker != t.Utterances[i-1].Speaker {
			run++
		}
		a.first[i] = int32(len(a.tokens))
		tokens := tokenize(u.Text)
		free := freeWords(u.Text, tokens)
		for j, tok := range tokens {
			id, known := a.ids[tok.norm]
			if !known {
				id = int32(len(a.ids))
				a.ids[tok.norm] = id
			}
			if !free[j] {
				a.content.add(id)
				a.place = append(a.place, int32(len(a.tokens)))
			}
			a.words.add(id)
			tok.start += u.ByteStart
			tok.end += u.ByteStart
			a.tokens = append(a.tokens, tok)
			a.run = append(a.run, run)
			a.inUtter = append(a.inUtter, int32(i))
		}
	}
	a.first[len(t.Utterances)] = int32(len(a.tokens))
	return a
}

// Align finds a quote: exactly, but for typography, in the cited utterances, else in the chunk, else anywhere; else by the edits that people and
// models make, within one utterance or adjacent ones of one speaker. It refuses what the transcript does not say.
func (a *Aligner) Align(quote string, cited []int, chunk Chunk) (Span, Refusal) {
	quote = a.unlabelled(quote)
	parts := quoteParts(quote)
	if len(parts) == 0 {
		return Span{}, TooShort
	}
	areas := a.areas(cited, chunk)
	span, refusal := a.alignPart(parts[0], areas, len(cited))
	if len(parts) > 1 {
		span, refusal = a.alignParts(parts, areas, len(cited))
	} else if refusal == "" && weight(parts[0].tokens) < minLooseWeight && !a.apart(span) {
		return Span{}, TooShort
	}
	if refusal == "" {
		a.finish(&span, quote)
	}
	return span, refusal
}

var idLabel = regexp.MustCompile(`\[u\d+\]`)

// unlabelled takes away what models copy along from the prompt: ids, and a speaker's name at the beginning.
func (a *Aligner) unlabelled(quote string) string {
	if strings.Contains(quote, "[u") {
		quote = idLabel.ReplaceAllString(quote, " ")
	}
	trimmed := strings.TrimLeft(quote, " \t\r\n\"'“”„«‘")
	for _, name := range a.speakers {
		if rest, is := strings.CutPrefix(trimmed, name); is && strings.HasPrefix(rest, ":") {
			return rest[1:]
		}
	}
	return quote
}

var ellipsis = regexp.MustCompile(`\[\s*(…|\.\.\.)\s*\]|\(\s*(…|\.\.\.)\s*\)|…+|\.\.\.+|\. \. \.|⋯+`)

// A part of a quote is what stands between ellipses.
type part struct {
	text   string
	tokens []token
}

// quoteParts cuts a quote at its ellipses and drops parts without words.
func quoteParts(quote string) []part {
	var parts []part
	for _, text := range ellipsis.Split(quote, -1) {
		if tokens := tokenize(text); len(tokens) > 0 {
			parts = append(parts, part{text, tokens})
		}
	}
	return parts
}

// An area is a range of tokens to look in.
type area struct{ from, to int }

// areas lists where to look, nearest first: the cited utterances, the chunk, the whole.
func (a *Aligner) areas(cited []int, chunk Chunk) []area {
	out := make([]area, 0, len(cited)+2)
	for _, i := range cited {
		if i >= 0 && i < len(a.t.Utterances) {
			out = append(out, area{int(a.first[i]), int(a.first[i+1])})
		}
	}
	if chunk.From >= 0 && chunk.To <= len(a.t.Utterances) && chunk.From < chunk.To {
		out = append(out, area{int(a.first[chunk.From]), int(a.first[chunk.To])})
	}
	return append(out, area{0, len(a.tokens)})
}

// What an ellipsis may leave out: about four sentences. Beyond it the parts are two quotes.
const maxLeftOut = 80

// anchorTries is how many places of the longest part are tried: interviewees repeat themselves.
const anchorTries = 4

// alignParts aligns what an ellipsis separates: in order, within one run of one speaker, not far from each other.
func (a *Aligner) alignParts(parts []part, areas []area, cited int) (Span, Refusal) {
	anchor := 0 // the longest part says where to look
	for i, p := range parts {
		if len(p.tokens) > len(parts[anchor].tokens) {
			anchor = i
		}
	}
	first := Refusal("")
	for range anchorTries {
		at, refusal := a.alignPart(parts[anchor], areas, cited)
		if refusal == "" {
			var span Span
			if span, refusal = a.alignAround(at, parts, anchor); refusal == "" {
				return span, ""
			}
		}
		if first == "" {
			first = refusal
		}
		if at.tokenEnd == 0 {
			break
		}
		for i, where := range areas { // go on behind it
			if at.tokenEnd > where.from && at.tokenStart < where.to {
				areas[i].from = min(at.tokenEnd, where.to)
			}
		}
	}
	return Span{}, first
}

// alignAround aligns the other parts before and after the one that was found.
func (a *Aligner) alignAround(whole Span, parts []part, anchor int) (Span, Refusal) {
	lo, hi := a.runBounds(whole.tokenStart)
	for i := anchor - 1; i >= 0; i-- {
		from := max(lo, whole.tokenStart-maxLeftOut-2*len(parts[i].tokens))
		span, refusal := a.alignPart(parts[i], []area{{from, whole.tokenStart}}, 1)
		if refusal != "" {
			return Span{}, refusal
		}
		whole.tokenStart, whole.Similarity = span.tokenStart, min(whole.Similarity, span.Similarity)
	}
	for _, p := range parts[anchor+1:] {
		to := min(hi, whole.tokenEnd+maxLeftOut+2*len(p.tokens))
		span, refusal := a.alignPart(p, []area{{whole.tokenEnd, to}}, 1)
		if refusal != "" {
			return Span{}, refusal
		}
		whole.tokenEnd, whole.Similarity = span.tokenEnd, min(whole.Similarity, span.Similarity)
	}
	return whole, ""
}

// minLooseWeight is the least weight of a quote that may stand anywhere: shorter ones are believed only where they are cited.
const minLooseWeight = 3

// weight counts words; two characters of a script without spaces are one.
func weight(tokens []token) int {
	total := 0
	for _, tok := range tokens {
		total += halves(tok.norm)
	}
	return total / 2
}

// halves is 2 for a word and 1 for a character of a script without spaces.
func halves(word string) int {
	if r, _ := utf8.DecodeRuneInString(word); standsAlone(r) {
		return 1
	}
	return 2
}

// alignPart aligns a quote without ellipsis. The first areas, as many as were cited, are believed with short quotes too.
func (a *Aligner) alignPart(quote part, areas []area, cited int) (Span, Refusal) {
	ids := make([]int32, len(quote.tokens))
	for i, tok := range quote.tokens {
		id, known := a.ids[tok.norm]
		if !known {
			id = -1
		}
		ids[i] = id
	}
	short := weight(quote.tokens) < minLooseWeight
	if !slices.Contains(ids, -1) {
		for i, where := range areas {
			if short && i >= cited {
				break
			}
			if at := a.exact(ids, where); at >= 0 {
				return Span{tokenStart: at, tokenEnd: at + len(ids), Similarity: 1}, ""
			}
		}
	}
	if short {
		return Span{}, TooShort
	}
	return a.fuzzy(quote, ids, areas, cited)
}

// exact finds the tokens one after the other, within one run and the area.
func (a *Aligner) exact(ids []int32, where area) int {
	rare := 0
	for i, id := range ids {
		if len(a.words.of(id)) < len(a.words.of(ids[rare])) {
			rare = i
		}
	}
	list := a.words.of(ids[rare])
	from, _ := slices.BinarySearch(list, int32(where.from))
	for _, p := range list[from:] {
		if int(p) >= where.to {
			return -1
		}
		at := int(p) - rare
		if at < 0 || at+len(ids) > len(a.tokens) || a.run[at] != a.run[at+len(ids)-1] || a.splitsWord(at) || a.splitsWord(at+len(ids)) {
			continue
		}
		if slices.Equal(a.words.ids[at:at+len(ids)], ids) {
			return at
		}
	}
	return -1
}

// apart tells whether a span is a sentence or clause of its own, so that "Yes." is a quote and "the" is none.
func (a *Aligner) apart(s Span) bool {
	u := a.t.Utterances[a.inUtter[s.tokenStart]]
	before := strings.TrimRight(a.t.Text[u.ByteStart:a.tokens[s.tokenStart].start], " \"'“”‘’«»„([¿¡")
	after := strings.TrimLeft(a.t.Text[a.tokens[s.tokenEnd-1].end:a.t.Utterances[a.inUtter[s.tokenEnd-1]].ByteEnd], " \"'“”’»)]")
	const marks = ".!?…,;:–—-。！？、，；؟،"
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return (before == "" || strings.ContainsRune(marks, last)) && (after == "" || strings.ContainsRune(marks, next))
}

// splitsWord tells whether a span that begins or ends before this token would cut a contraction in two: "do" is not what "don't" says.
func (a *Aligner) splitsWord(at int) bool {
	return at > 0 && at < len(a.tokens) && a.tokens[at].start == a.tokens[at-1].start
}

func (a *Aligner) runBounds(at int) (lo, hi int) {
	run := a.run[at]
	lo, _ = slices.BinarySearch(a.run, run)
	hi, _ = slices.BinarySearch(a.run, run+1)
	return lo, hi
}

// finish turns tokens into bytes: the punctuation that ends the sentence comes along where the quote has it.
func (a *Aligner) finish(s *Span, quote string) {
	s.ByteStart, s.ByteEnd = a.tokens[s.tokenStart].start, a.tokens[s.tokenEnd-1].end
	s.UtteranceFrom, s.UtteranceTo = int(a.inUtter[s.tokenStart]), int(a.inUtter[s.tokenEnd-1])
	limit := a.t.Utterances[s.UtteranceTo].ByteEnd
	const closing = ".!?…。！？؟%€$£"
	quote = strings.Trim(strings.TrimSpace(quote), "\"“”„«»‘’'「」『』")
	if last, _ := utf8.DecodeLastRuneInString(quote); strings.ContainsRune(closing, last) {
		for s.ByteEnd < limit {
			r, size := utf8.DecodeRuneInString(a.t.Text[s.ByteEnd:])
			if !strings.ContainsRune(closing, r) {
				break
			}
			s.ByteEnd += size
		}
	}
	for s.ByteStart > a.t.Utterances[s.UtteranceFrom].ByteStart { // $5, €5
		r, size := utf8.DecodeLastRuneInString(a.t.Text[:s.ByteStart])
		if !strings.ContainsRune("$€£¿¡", r) || !strings.HasPrefix(quote, string(r)) {
			break
		}
		s.ByteStart -= size
	}
	s.Match = Repaired
	if strings.Join(strings.Fields(a.t.Text[s.ByteStart:s.ByteEnd]), " ") == strings.Join(strings.Fields(quote), " ") {
		s.Match = Verbatim
	}
}
