package quote

import (
	"slices"
	"strings"
	"unicode/utf8"

	"research/internal/words"
)

// MinSimilarity is the least token-edit similarity of a repaired quote. With the checks for changed meaning
// and for stitched quotes, it accepts most quotes with one changed word and none that is stitched from
// distant turns; TestErrorTable has the figures.
const MinSimilarity = 0.80

// The costs of the alignment, in thirds of a substituted word.
const (
	substitutionCost = 3
	indelCost        = 2
)

// optionalShare is how much an optional word counts towards the length of a quote.
const optionalShare = 0.5

// maxSimilarTokens is the size of the longest quote that may differ: the work grows with its square.
const maxSimilarTokens = 800

// findSimilar aligns the quote at the best candidates and returns the most similar span. Optional words are
// ignored on both sides.
func (a *Aligner) findSimilar(quote part, ids []int32, areas []area, cited int) (Span, RejectReason) {
	e := &editor{aligner: a}
	optional := markOptional(nil, quote.text, quote.tokens, func(at int) [][]string {
		return fillers[quote.tokens[at].Norm]
	})
	names := a.quotedNames(quote)
	for i, tok := range quote.tokens {
		if optional[i] {
			e.dropped++
			continue
		}
		e.quote, e.ids, e.names = append(e.quote, tok), append(e.ids, ids[i]), append(e.names, names[i])
	}
	switch {
	case weight(e.quote) < minWeight:
		return Span{}, RejectTooShort
	case len(e.quote) > maxSimilarTokens:
		return Span{}, RejectNotFound
	}
	near := make([]area, len(areas)-1)
	for i, r := range areas[:len(areas)-1] {
		near[i] = a.contentArea(r)
	}
	limit := a.contentArea(areas[len(areas)-1])
	citedAreas := near[:min(cited, len(near))]
	isCited := func(at int) bool {
		return slices.ContainsFunc(citedAreas, func(r area) bool { return r.contains(at) })
	}

	var best Span
	found, foundCited := false, false
	opposite, oppositeCited := 0.0, false // the most similar span with another meaning
	for _, c := range a.candidates(e.ids, limit, near, cited) {
		window := e.window(c, limit)
		if window.from >= window.to {
			continue
		}
		span, similarity, reason := e.align(window)
		switch {
		case reason == RejectMeaningDiffers:
			opposite = max(opposite, similarity)
			oppositeCited = oppositeCited || isCited(span.from)
		case reason == "" && (!found || similarity > best.Similarity):
			found, foundCited = true, isCited(span.from)
			best = Span{
				tokenStart: int(a.token[span.from]),
				tokenEnd:   int(a.token[span.to-1]) + 1,
				Similarity: similarity,
			}
		}
		if found && best.Similarity == 1 {
			break
		}
	}
	// Where the quote rather resembles text with the opposite meaning, it is rejected.
	if found && best.Similarity > opposite && (foundCited || !oppositeCited) {
		return a.wholeWords(best), ""
	}
	if opposite > 0 {
		return Span{}, RejectMeaningDiffers
	}
	return Span{}, RejectNotFound
}

// wholeWords extends a span that begins or ends within a contraction.
func (a *Aligner) wholeWords(s Span) Span {
	for a.splitsWord(s.tokenStart) {
		s.tokenStart--
	}
	for a.splitsWord(s.tokenEnd) {
		s.tokenEnd++
	}
	return s
}

// contentArea returns an area in tokens of content.
func (a *Aligner) contentArea(r area) area {
	from, _ := slices.BinarySearch(a.token, int32(r.from))
	to, _ := slices.BinarySearch(a.token, int32(r.to))
	return area{from, to}
}

// contentWord returns the word of a token of content.
func (a *Aligner) contentWord(i int) string { return a.tokens[a.token[i]].Norm }

// An editor aligns one quote, without its optional words, with parts of the source.
type editor struct {
	aligner *Aligner
	quote   []words.Token
	ids     []int32
	names   []bool  // of the words of the quote
	dropped int     // optional words of the quote
	costs   []int32 // reused between alignments
}

// window is the part of the source around a candidate, in tokens of content.
func (e *editor) window(c candidate, limit area) area {
	slack := max(8, len(e.quote)/3)
	turn := e.aligner.contentArea(e.aligner.turnOf(int(e.aligner.token[c.token])))
	return area{
		from: max(turn.from, c.start-slack, limit.from),
		to:   min(turn.to, c.start+len(e.quote)+slack, limit.to),
	}
}

// align aligns the whole quote with a part of the window at the least cost, and returns that part. The reason
// is RejectNotFound if the part is not similar enough or much of the quote has no counterpart in it, and
// RejectMeaningDiffers if a negation, a number or a quantifier is among the edits.
func (e *editor) align(window area) (span area, similarity float64, reason RejectReason) {
	source := e.aligner.content.ids[window.from:window.to]
	end, cost := e.fillCosts(source)
	t, matched := e.traceBack(source, window.from, end)
	if !t.paired {
		return area{}, 0, RejectNotFound
	}
	length := float64(max(len(e.ids), matched.to-matched.from)) + optionalShare*float64(e.dropped)
	similarity = 1 - float64(cost)/(substitutionCost*length)
	if similarity < MinSimilarity || t.equalHalves < minWeight*2 || t.isStitched(e.quote) {
		return area{}, 0, RejectNotFound
	}
	span = area{window.from + matched.from, window.from + matched.to}
	if t.critical || e.differsAtEnds(span, window, t) {
		return span, similarity, RejectMeaningDiffers
	}
	span, same := e.includeChangedEnds(span, window, t)
	if !same {
		return span, similarity, RejectMeaningDiffers
	}
	return span, similarity, ""
}

// includeChangedEnds extends a span by the word of the source for which the first or the last word of the
// quote stands, if these differ: the costs do not pair them, since the source around a quote is free. It
// reports whether the words may stand for each other.
func (e *editor) includeChangedEnds(span, window area, t trace) (_ area, same bool) {
	same = true
	a := e.aligner
	last := len(e.quote) - 1
	if t.insertedAtEnd == thirds("a") && span.to < window.to && a.sameClause(span.to-1) {
		same = same && !e.changesWord(e.quoteWord(last), e.sourceWord(span.to))
		span.to++
	}
	if t.insertedAtStart == thirds("a") && span.from > window.from && a.sameClause(span.from-1) {
		same = same && !e.changesWord(e.quoteWord(0), e.sourceWord(span.from-1))
		span.from--
	}
	return span, same
}

// A word is a token of the quote or of the source.
type word struct {
	norm string
	name bool // of a person, a place or a product
}

func (e *editor) quoteWord(i int) word { return word{e.quote[i].Norm, e.names[i]} }

func (e *editor) sourceWord(content int) word {
	return word{e.aligner.contentWord(content), e.aligner.isName(content)}
}

// changesWord reports whether replacing a word of the source changes the meaning.
func (e *editor) changesWord(quote, source word) bool {
	return e.aligner.forms.changes(quote.norm, source.norm) ||
		(quote.name || source.name) && !isMisspelled(quote.norm, source.norm)
}

// isMisspelled reports whether two words differ by one letter or an ending, as inflected and misheard names
// do.
func isMisspelled(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	shared := 0
	for shared < len(a) && a[shared] == b[shared] {
		shared++
	}
	const ending = 3
	return shared >= 2*ending && len(b)-shared <= ending
}

// fillCosts computes the costs of aligning each prefix of the quote with a part of the source that ends at
// each position. It returns the end of the best part for the whole quote, and its cost. Of equal ends it
// takes the last, which shows the words that the quote omits before its end.
func (e *editor) fillCosts(source []int32) (end int, cost int32) {
	width := len(source) + 1
	if need := (len(e.ids) + 1) * width; cap(e.costs) < need {
		e.costs = make([]int32, need)
	}
	e.costs = e.costs[:(len(e.ids)+1)*width]
	clear(e.costs[:width]) // the part may begin anywhere
	for i, id := range e.ids {
		above, row := e.costs[i*width:(i+1)*width], e.costs[(i+1)*width:(i+2)*width]
		row[0] = above[0] + indelCost
		for j := 1; j < width; j++ {
			change := above[j-1]
			if id != source[j-1] {
				change += substitutionCost
			}
			row[j] = min(change, above[j]+indelCost, row[j-1]+indelCost)
		}
	}
	last := e.costs[len(e.ids)*width:]
	for j := range last {
		if last[j] <= last[end] {
			end = j
		}
	}
	return end, last[end]
}

// traceBack follows the least costs from the end of the quote to its beginning. It returns the edits, and the
// part of the source from the first to the last word that has a counterpart.
func (e *editor) traceBack(source []int32, offset, end int) (t trace, matched area) {
	width := len(source) + 1
	i, j := len(e.ids), end
	for i > 0 {
		cost := e.costs[i*width+j]
		equal := j > 0 && e.ids[i-1] == source[j-1]
		switch {
		case j > 0 && (equal && cost == e.costs[(i-1)*width+j-1] ||
			cost == e.costs[(i-1)*width+j-1]+substitutionCost):
			if !t.paired {
				matched.to = j
			}
			matched.from = j - 1
			if t.pair(e.quote[i-1].Norm, equal); !equal {
				t.critical = t.critical || e.changesWord(e.quoteWord(i-1), e.sourceWord(offset+j-1))
			}
			i, j = i-1, j-1
		case j > 0 && t.paired && cost == e.costs[i*width+j-1]+indelCost:
			t.critical = t.critical || e.aligner.forms.isCritical(e.aligner.contentWord(offset+j-1))
			j--
		case cost == e.costs[(i-1)*width+j]+indelCost:
			t.insert(e.quote[i-1].Norm)
			t.critical = t.critical || e.names[i-1] || e.aligner.forms.isCritical(e.quote[i-1].Norm)
			i--
		default: // the end of the source is free
			j--
		}
	}
	return t, matched
}

// lookAround is how far beyond a span a negation may stand that belongs to it, in tokens of content.
const lookAround = 3

// differsAtEnds looks beyond the ends of the span where words of the quote have no counterpart, since the
// source may say "not" there. It also compares the critical parts of scripts without spaces.
func (e *editor) differsAtEnds(span, window area, t trace) bool {
	wide := span
	if !t.equalAtStart() {
		wide.from = max(span.from-lookAround, window.from)
	}
	if !t.equalAtEnd {
		wide.to = min(span.to+lookAround, window.to)
	}
	if !equalParts(e.quote, e.sourceTokens(wide)) {
		return true
	}
	if t.insertedAtStart > 0 && e.hasCritical(wide.from, span.from) {
		return true
	}
	return t.insertedAtEnd > 0 && e.hasCritical(span.to, wide.to)
}

func (e *editor) hasCritical(from, to int) bool {
	for i := from; i < to; i++ {
		if word := e.aligner.contentWord(i); e.aligner.isNegation(word) || words.IsQuantifier(word) {
			return true
		}
	}
	return false
}

func (e *editor) sourceTokens(r area) []words.Token {
	tokens := make([]words.Token, 0, r.to-r.from)
	for i := r.from; i < r.to; i++ {
		tokens = append(tokens, e.aligner.tokens[e.aligner.token[i]])
	}
	return tokens
}

// equalParts compares the critical words of scripts without spaces, which are parts of the text and not
// tokens.
func equalParts(quote, source []words.Token) bool {
	q, s := unspacedText(quote), unspacedText(source)
	if q == "" && s == "" {
		return true
	}
	for _, part := range criticalParts {
		if strings.Count(q, part) != strings.Count(s, part) {
			return false
		}
	}
	return equalAddressed(q, s)
}

// addressedRunes is the length of a name before a form of address: a family name.
const addressedRunes = 2

// equalAddressed reports whether everybody whom the quote addresses is addressed in the source too: "田中さん".
func equalAddressed(quote, source string) bool {
	for _, form := range addressForms {
		for at := 0; ; {
			i := strings.Index(quote[at:], form)
			if i < 0 {
				break
			}
			name := at + i
			for range addressedRunes {
				_, size := utf8.DecodeLastRuneInString(quote[:name])
				name -= size
			}
			at += i + len(form)
			if !strings.Contains(source, quote[name:at]) {
				return false
			}
		}
	}
	return true
}

// unspacedText joins the tokens if any belongs to a script without spaces; otherwise it returns "".
func unspacedText(tokens []words.Token) string {
	var b strings.Builder
	unspaced := false
	for _, tok := range tokens {
		unspaced = unspaced || words.IsUnspacedWord(tok.Norm)
		b.WriteString(tok.Norm)
	}
	if !unspaced {
		return ""
	}
	return b.String()
}

// A trace collects the edits of an alignment, from the end of the quote to its beginning. Lengths of words of
// the quote are in thirds of a word, see thirds.
type trace struct {
	critical    bool // a critical word was edited
	paired      bool // a word has a counterpart, equal or not
	equalAtEnd  bool
	equalHalves int // equal words, in half words

	unequal         int // words without an equal, in all
	unequalRun      int // the longest sequence of these
	open            int // the current sequence of these
	insertedAtStart int // words before the first that has a counterpart
	insertedAtEnd   int // words after the last that has a counterpart
}

// pair records that a word of the quote stands for a word of the source.
func (t *trace) pair(quote string, equal bool) {
	if !t.paired {
		t.equalAtEnd = equal && t.insertedAtEnd == 0
	}
	t.paired = true
	t.insertedAtStart = 0
	if !equal {
		t.addUnequal(quote)
		return
	}
	t.open = 0
	t.equalHalves += halfWords(quote)
}

// insert records that the quote has a word without a counterpart.
func (t *trace) insert(quote string) {
	t.addUnequal(quote)
	t.insertedAtStart += thirds(quote)
	if !t.paired {
		t.insertedAtEnd += thirds(quote)
	}
}

func (t *trace) addUnequal(word string) {
	t.open += thirds(word)
	t.unequal += thirds(word)
	t.unequalRun = max(t.unequalRun, t.open)
}

func (t *trace) equalAtStart() bool { return t.open == 0 }

// thirds is 3 for a word and 1 for a character of a script without spaces.
func thirds(word string) int {
	if words.IsUnspacedWord(word) {
		return 1
	}
	return 3
}

// Limits on the words of a quote that have no counterpart, in thirds of a word.
const (
	maxUnequal       = 6 // in a row, or in all of a short quote
	maxInsertedAtEnd = 3 // at either end
)

// isStitched reports whether a part of the quote stands elsewhere: too many words in a row, at an end, or in
// all (two, or one in six of a long quote) have no counterpart.
func (t *trace) isStitched(quote []words.Token) bool {
	length := 0
	for _, tok := range quote {
		length += thirds(tok.Norm)
	}
	return t.unequalRun > maxUnequal || t.unequal > max(maxUnequal, length/6) ||
		t.insertedAtStart > maxInsertedAtEnd || t.insertedAtEnd > maxInsertedAtEnd
}
