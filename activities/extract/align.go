package extract

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"research/transcript"
)

// minSimilarity is the least token-edit similarity of a quote that is put right to the source. With the guards it accepts 94 % of quotes in which one
// word was changed and none of those stitched from far turns (measured on 35 meetings).
const minSimilarity = 0.80

// The costs of the alignment, in thirds of a changed word.
const (
	substitution = 3
	indel        = 2
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
	ids      []int32 // of each token
	run      []int32 // of each token: adjacent utterances of one speaker are one run
	inUtter  []int32 // of each token: its utterance
	first    []int32 // of each utterance: its first token
	word     map[string]int32
	postings [][]int32 // of each id: where it stands
}

// NewAligner indexes a transcript.
func NewAligner(t *transcript.Transcript) *Aligner {
	a := &Aligner{t: t, word: map[string]int32{}, first: make([]int32, len(t.Utterances)+1)}
	run := int32(0)
	for i, u := range t.Utterances {
		if i > 0 && u.Speaker != t.Utterances[i-1].Speaker {
			run++
		}
		a.first[i] = int32(len(a.tokens))
		for _, tok := range tokenize(u.Text) {
			id, known := a.word[tok.norm]
			if !known {
				id = int32(len(a.word))
				a.word[tok.norm] = id
				a.postings = append(a.postings, nil)
			}
			a.postings[id] = append(a.postings[id], int32(len(a.tokens)))
			tok.start += u.ByteStart
			tok.end += u.ByteStart
			a.tokens = append(a.tokens, tok)
			a.ids = append(a.ids, id)
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
	parts := a.quoteParts(quote)
	if len(parts) == 0 {
		return Span{}, TooShort
	}
	areas := a.areas(cited, chunk)
	if len(parts) == 1 {
		span, refusal := a.alignPart(parts[0], areas)
		if refusal == "" {
			a.finish(&span, quote)
		}
		return span, refusal
	}
	return a.alignParts(parts, areas, quote)
}

// alignParts aligns what an ellipsis separates: in order, within one run of one speaker.
func (a *Aligner) alignParts(parts [][]token, areas []area, quote string) (Span, Refusal) {
	anchor := 0 // the longest part says where to look
	for i, p := range parts {
		if len(p) > len(parts[anchor]) {
			anchor = i
		}
	}
	whole, refusal := a.alignPart(parts[anchor], areas)
	if refusal != "" {
		return Span{}, refusal
	}
	lo, hi := a.runBounds(whole.tokenStart)
	similarity := whole.Similarity
	before, after := area{lo, whole.tokenStart}, area{whole.tokenEnd, hi}
	for i := anchor - 1; i >= 0; i-- {
		span, refusal := a.alignPart(parts[i], []area{before})
		if refusal != "" {
			return Span{}, refusal
		}
		before.to, whole.tokenStart = span.tokenStart, span.tokenStart
		similarity = min(similarity, span.Similarity)
	}
	for _, p := range parts[anchor+1:] {
		span, refusal := a.alignPart(p, []area{after})
		if refusal != "" {
			return Span{}, refusal
		}
		after.from, whole.tokenEnd = span.tokenEnd, span.tokenEnd
		similarity = min(similarity, span.Similarity)
	}
	whole.Similarity = similarity
	a.finish(&whole, quote)
	return whole, ""
}

// quoteParts cuts a quote at its ellipses and drops parts without words.
func (a *Aligner) quoteParts(quote string) [][]token {
	for _, mark := range []string{"[...]", "[…]", "(...)", "(…)", "...", ". . ."} {
		quote = strings.ReplaceAll(quote, mark, "…")
	}
	var parts [][]token
	for _, part := range strings.Split(quote, "…") {
		if tokens := tokenize(part); len(tokens) > 0 {
			parts = append(parts, tokens)
		}
	}
	return parts
}

// An area is a range of tokens to look in.
type area struct{ from, to int }

// areas lists where to look, nearest first: the cited utterances, the chunk, the whole.
func (a *Aligner) areas(cited []int, chunk Chunk) []area {
	var out []area
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

// minLooseTokens is the least length of a quote that may stand anywhere: shorter ones are believed only where they are cited.
const minLooseTokens = 3

func (a *Aligner) alignPart(quote []token, areas []area) (Span, Refusal) {
	ids := make([]int32, len(quote))
	for i, tok := range quote {
		id, known := a.word[tok.norm]
		if !known {
			id = -1
		}
		ids[i] = id
	}
	if !slices.Contains(ids, -1) {
		for i, where := range areas {
			if len(ids) < minLooseTokens && i == len(areas)-1 && len(areas) > 1 {
				break
			}
			if at := a.exact(ids, where); at >= 0 {
				return a.span(at, at+len(ids), 1), ""
			}
		}
	}
	if len(ids) < minLooseTokens {
		return Span{}, TooShort
	}
	return a.fuzzy(quote, ids, areas)
}

// exact finds the tokens one after the other, within one run, at or after where they should be.
func (a *Aligner) exact(ids []int32, where area) int {
	rare := 0
	for i, id := range ids {
		if len(a.postings[id]) < len(a.postings[ids[rare]]) {
			rare = i
		}
	}
	list := a.postings[ids[rare]]
	from, _ := slices.BinarySearch(list, int32(where.from))
	for _, p := range list[from:] {
		at := int(p) - rare
		if int(p) >= where.to {
			return -1
		}
		if at < 0 || at+len(ids) > len(a.ids) || a.run[at] != a.run[at+len(ids)-1] {
			continue
		}
		if slices.Equal(a.ids[at:at+len(ids)], ids) {
			return at
		}
	}
	return -1
}

// maxCandidates bounds the places that are aligned in full.
const maxCandidates = 6

// fuzzy aligns the quote where its rare words stand, and takes the best.
func (a *Aligner) fuzzy(quote []token, ids []int32, areas []area) (Span, Refusal) {
	limit := areas[len(areas)-1]
	best, found, guarded := Span{}, false, false
	for _, at := range a.candidates(ids, limit, areas) {
		lo, hi := a.runBounds(at.near)
		lo = max(lo, at.from-len(ids)/2-8, limit.from)
		hi = min(hi, at.from+len(ids)+len(ids)/2+8, limit.to)
		if lo >= hi {
			continue
		}
		start, end, similarity, meaning := a.editAlign(quote, ids, lo, hi)
		if similarity < minSimilarity {
			continue
		}
		if !meaning {
			guarded = true
			continue
		}
		if !found || similarity > best.Similarity {
			best, found = a.span(start, end, similarity), true
		}
	}
	switch {
	case found:
		return best, ""
	case guarded:
		return Span{}, MeaningDiffers
	}
	return Span{}, NotFound
}

// A candidate is where a quote may begin, and a token of the run that it stands in.
type candidate struct{ from, near int }

// candidates votes: each rare word and each pair of words of the quote says where the quote would begin; places with most votes come
// first, cited ones before others.
func (a *Aligner) candidates(ids []int32, limit area, areas []area) []candidate {
	const rareEnough, bucket = 200, 8
	type place struct{ bucket, run int }
	votes := map[place]int{}
	near := map[place]int{}
	vote := func(p, i, weight int) {
		if p < limit.from || p >= limit.to {
			return
		}
		key := place{(p - i + len(ids)) / bucket, int(a.run[p])} // shifted, so that it is never negative
		votes[key] += weight
		if _, seen := near[key]; !seen {
			near[key] = p
		}
	}
	for i, id := range ids {
		if id < 0 {
			continue
		}
		list := a.postings[id]
		for _, p := range list {
			follows := i+1 < len(ids) && ids[i+1] >= 0 && int(p)+1 < len(a.ids) && a.ids[p+1] == ids[i+1]
			third := follows && i+2 < len(ids) && int(p)+2 < len(a.ids) && a.ids[p+2] == ids[i+2]
			switch {
			case third:
				vote(int(p), i, 4)
			case follows:
				vote(int(p), i, 2)
			case len(list) <= rareEnough:
				vote(int(p), i, 1)
			}
		}
	}
	keys := make([]place, 0, len(votes))
	for key := range votes {
		keys = append(keys, key)
	}
	score := func(key place) int {
		s := votes[key] + votes[place{key.bucket - 1, key.run}] + votes[place{key.bucket + 1, key.run}]
		for _, where := range areas[:len(areas)-1] {
			if p := near[key]; p >= where.from && p < where.to {
				return s + 2
			}
		}
		return s
	}
	slices.SortFunc(keys, func(x, y place) int {
		return cmp.Or(cmp.Compare(score(y), score(x)), cmp.Compare(x.bucket, y.bucket), cmp.Compare(x.run, y.run))
	})
	var out []candidate
	for _, key := range keys {
		if len(out) == maxCandidates {
			break
		}
		out = append(out, candidate{key.bucket*bucket - len(ids), near[key]})
	}
	return out
}

func (a *Aligner) runBounds(at int) (lo, hi int) {
	run := a.run[at]
	lo, _ = slices.BinarySearch(a.run, run)
	hi, _ = slices.BinarySearch(a.run, run+1)
	return lo, hi
}

// editAlign aligns the whole quote with a part of tokens [lo, hi), at the least cost: a changed word costs 3, a word left out or put in 2, fillers and
// repeated words nothing. meaning is false where a negation, a number or a quantifier is among the edits.
func (a *Aligner) editAlign(quote []token, ids []int32, lo, hi int) (start, end int, similarity float64, meaning bool) {
	n, m := len(ids), hi-lo
	free := fillerMask(func(i int) string { return quote[i].norm }, n)
	freeSource := fillerMask(func(j int) string { return a.tokens[lo+j].norm }, m)
	width := m + 1
	cost := make([]int32, (n+1)*width)
	for i := 1; i <= n; i++ {
		skip := int32(indel)
		if free[i-1] {
			skip = 0
		}
		row, above := cost[i*width:(i+1)*width], cost[(i-1)*width:i*width]
		row[0] = above[0] + skip
		for j := 1; j <= m; j++ {
			change := int32(substitution)
			if ids[i-1] == a.ids[lo+j-1] {
				change = 0
			}
			drop := int32(indel)
			if freeSource[j-1] {
				drop = 0
			}
			row[j] = min(above[j-1]+change, above[j]+skip, row[j-1]+drop)
		}
	}
	last := cost[n*width:]
	endAt := 0
	for j := range last {
		if last[j] < last[endAt] {
			endAt = j
		}
	}
	weight := 0
	for _, f := range free {
		if !f {
			weight++
		}
	}
	if weight == 0 || endAt == 0 {
		return 0, 0, 0, false
	}
	// Trace back: where the span begins, and which words were edited.
	meaning = true
	i, j, first, stop := n, endAt, -1, endAt
	matchedEnd := false
	for i > 0 {
		at := cost[i*width+j]
		if j > 0 {
			same := ids[i-1] == a.ids[lo+j-1]
			change := int32(substitution)
			if same {
				change = 0
			}
			if at == cost[(i-1)*width+j-1]+change {
				q, s := quote[i-1].norm, a.tokens[lo+j-1].norm
				if !same && (isCritical(q) || isCritical(s) || isOpposite(q, s)) {
					meaning = false
				}
				if !matchedEnd {
					stop, matchedEnd = j, true
				}
				first = j - 1
				i, j = i-1, j-1
				continue
			}
			drop := int32(indel)
			if freeSource[j-1] {
				drop = 0
			}
			if at == cost[i*width+j-1]+drop {
				if matchedEnd && isCritical(a.tokens[lo+j-1].norm) && !repeats(a.tokens, lo+j-1, lo, hi) {
					meaning = false
				}
				j--
				continue
			}
		}
		if isCritical(quote[i-1].norm) && !repeats(quote, i-1, 0, n) {
			meaning = false
		}
		i--
	}
	if first < 0 || first >= stop {
		return 0, 0, 0, false
	}
	start, end = lo+first, lo+stop
	total := max(weight, countFalse(freeSource[first:stop]))
	similarity = 1 - float64(last[endAt])/float64(substitution*total)
	if similarity >= minSimilarity && meaning && !sameParts(quote, a.tokens[start:end]) {
		meaning = false
	}
	return start, end, similarity, meaning
}

// fillerMask marks the words that may be left out: fillers, pairs of them, and a word said twice.
func fillerMask(word func(int) string, n int) []bool {
	mask := make([]bool, n)
	for i := range n {
		w := word(i)
		if fillers[w] {
			mask[i] = true
		}
		if i+1 < n {
			next := word(i + 1)
			if fillerPairs[[2]string{w, next}] {
				mask[i], mask[i+1] = true, true
			}
			if w == next && !standsAlone(firstRune(w)) {
				mask[i] = true
			}
		}
	}
	return mask
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// repeats tells whether the word stands twice in a row: leaving out one of them changes nothing.
func repeats(tokens []token, i, lo, hi int) bool {
	return i > lo && tokens[i-1].norm == tokens[i].norm || i+1 < hi && tokens[i+1].norm == tokens[i].norm
}

func countFalse(mask []bool) int {
	n := 0
	for _, m := range mask {
		if !m {
			n++
		}
	}
	return n
}

// sameParts compares negations and numbers in scripts without spaces, where they are parts of the text and no tokens.
func sameParts(quote, source []token) bool {
	join := func(tokens []token) string {
		var b strings.Builder
		any := false
		for _, tok := range tokens {
			any = any || standsAlone(firstRune(tok.norm))
			b.WriteString(tok.norm)
		}
		if !any {
			return ""
		}
		return b.String()
	}
	q, s := join(quote), join(source)
	if q == "" && s == "" {
		return true
	}
	for _, part := range criticalParts {
		if strings.Count(q, part) != strings.Count(s, part) {
			return false
		}
	}
	return true
}

func (a *Aligner) span(from, to int, similarity float64) Span {
	return Span{tokenStart: from, tokenEnd: to, Similarity: similarity}
}

// finish turns tokens into bytes: the punctuation that ends the sentence comes along where the quote has it.
func (a *Aligner) finish(s *Span, quote string) {
	s.ByteStart, s.ByteEnd = a.tokens[s.tokenStart].start, a.tokens[s.tokenEnd-1].end
	s.UtteranceFrom, s.UtteranceTo = int(a.inUtter[s.tokenStart]), int(a.inUtter[s.tokenEnd-1])
	limit := a.t.Utterances[s.UtteranceTo].ByteEnd
	const closing = ".!?…。！？؟%€$£"
	quote = strings.Trim(strings.TrimSpace(quote), "\"“”„«»‘’'")
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
