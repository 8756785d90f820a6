package extract

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// minSimilarity is the least token-edit similarity of a quote that is put right to the source. With the guards it accepts most quotes in which one word was
// changed and none of those stitched from far turns; the test of the error table holds the figures.
const minSimilarity = 0.80

// The costs of the alignment, in thirds of a changed word.
const (
	substitution = 3
	indel        = 2
)

// freeShare is how much a word that may be left out counts for the length of a quote.
const freeShare = 0.5

const (
	// maxCandidates bounds the places that are aligned in full.
	maxCandidates = 6
	// maxPostings bounds how many places of one anchor are looked at, half of them where the quote is cited: a transcript that repeats itself costs no more.
	maxPostings = 256
	// maxVotes bounds the places that are looked at for one quote.
	maxVotes = 1500
	// maxFuzzyTokens bounds the quotes that may differ: the work grows with the square.
	maxFuzzyTokens = 800
)

// fuzzy aligns the quote where its rare words stand together, and takes the best. What people and models leave out of quotes is left out on both sides.
func (a *Aligner) fuzzy(quote part, ids []int32, areas []area, cited int) (Span, Refusal) {
	free := freeWords(quote.text, quote.tokens)
	var kept []token
	var keptIDs []int32
	for i, tok := range quote.tokens {
		if !free[i] {
			kept, keptIDs = append(kept, tok), append(keptIDs, ids[i])
		}
	}
	switch {
	case weight(kept) < minLooseWeight:
		return Span{}, TooShort
	case len(kept) > maxFuzzyTokens:
		return Span{}, NotFound
	}
	limit := a.contentArea(areas[len(areas)-1])
	near := make([]area, len(areas)-1)
	for i, where := range areas[:len(areas)-1] {
		near[i] = a.contentArea(where)
	}
	best, found, differs := Span{}, false, 0.0
	citedFound, citedDiffers := false, false
	e := &edits{a: a, quote: kept, ids: keptIDs, left: len(quote.tokens) - len(kept)}
	for _, at := range a.candidates(keptIDs, limit, near, cited) {
		slack := max(8, len(kept)/3)
		lo, hi := a.contentRun(at.near)
		lo = max(lo, at.from-slack, limit.from)
		hi = min(hi, at.from+len(kept)+slack, limit.to)
		if lo >= hi {
			continue
		}
		start, end, similarity, verdict := e.align(lo, hi)
		switch {
		case verdict == MeaningDiffers:
			differs = max(differs, similarity)
			citedDiffers = citedDiffers || isIn(start, near[:min(cited, len(near))])
		case verdict == "" && (!found || similarity > best.Similarity):
			citedFound = isIn(start, near[:min(cited, len(near))])
			best = Span{tokenStart: int(a.place[start]), tokenEnd: int(a.place[end-1]) + 1, Similarity: similarity}
			found = true
		}
		if found && best.Similarity == 1 {
			break
		}
	}
	switch {
	case found && best.Similarity > differs && (citedFound || !citedDiffers): // else the quote is rather the opposite of what is said there
		// A contraction is one word of the text.
		for a.splitsWord(best.tokenStart) {
			best.tokenStart--
		}
		for a.splitsWord(best.tokenEnd) {
			best.tokenEnd++
		}
		return best, ""
	case differs > 0:
		return Span{}, MeaningDiffers
	}
	return Span{}, NotFound
}

func isIn(at int, areas []area) bool {
	return slices.ContainsFunc(areas, func(where area) bool { return at >= where.from && at < where.to })
}

// contentArea is an area in tokens of content.
func (a *Aligner) contentArea(where area) area {
	from, _ := slices.BinarySearch(a.place, int32(where.from))
	to, _ := slices.BinarySearch(a.place, int32(where.to))
	return area{from, to}
}

// contentRun is the run that a token of content stands in.
func (a *Aligner) contentRun(at int) (lo, hi int) {
	lo, hi = a.runBounds(int(a.place[at]))
	run := a.contentArea(area{lo, hi})
	return run.from, run.to
}

// A candidate is where a quote may begin, and a token of content of the run that it stands in.
type candidate struct{ from, near, votes int }

// candidates votes: each three words of the quote that stand together in the source, each two, and each rare word, say where the quote would begin. Places
// with most votes come first, cited ones before others.
func (a *Aligner) candidates(ids []int32, limit area, near []area, cited int) []candidate {
	const bucket, rareEnough = 8, 12
	type place struct {
		bucket int
		run    int32
	}
	votes := map[place]*candidate{}
	vote := func(p, i, weight int) {
		from := p - i
		key := place{(from + len(ids)) / bucket, a.run[a.place[p]]} // shifted, so that it is never negative
		c := votes[key]
		if c == nil {
			c = &candidate{from: from, near: p}
			votes[key] = c
		}
		c.votes += weight
	}
	source := a.content.ids
	left := maxVotes
	for _, i := range a.byRarity(ids) {
		// The rarest of three words is looked up, the other two are compared; then two, then one.
		for n, weight := 3, 4; n >= 1 && left > 0; n, weight = n-1, weight/2 {
			if i+n > len(ids) {
				continue
			}
			rare := a.rarest(ids[i : i+n])
			list := a.content.of(ids[i+rare])
			if n == 1 && len(list) > rareEnough {
				continue
			}
			met := false
			for p := range around(list, limit, near) {
				left--
				at := int(p) - rare
				if at >= limit.from && at+n <= limit.to && slices.Equal(source[at:at+n], ids[i:i+n]) {
					vote(at, i, weight)
					met = true
				}
			}
			if met {
				break
			}
		}
	}
	all := make([]candidate, 0, len(votes))
	for key, c := range votes {
		sum := *c
		for _, side := range []int{-1, 1} {
			if other := votes[place{key.bucket + side, key.run}]; other != nil {
				sum.votes += other.votes
			}
		}
		for i, where := range near {
			if sum.near < where.from || sum.near >= where.to {
				continue
			}
			if i < cited { // of many that are alike, the one that is meant
				sum.votes += sum.votes / 2
			}
			sum.votes++
		}
		all = append(all, sum)
	}
	slices.SortFunc(all, func(x, y candidate) int {
		if x.votes != y.votes {
			return y.votes - x.votes
		}
		return x.from - y.from
	})
	return all[:min(len(all), maxCandidates)]
}

// rarest is which of some words has the fewest places.
func (a *Aligner) rarest(ids []int32) int {
	rare := 0
	for k := range ids {
		if len(a.content.of(ids[k])) < len(a.content.of(ids[rare])) {
			rare = k
		}
	}
	return rare
}

// byRarity orders the places of a quote: where three words begin of which one is rare comes first, since it says most.
func (a *Aligner) byRarity(ids []int32) []int {
	type start struct{ at, places int }
	starts := make([]start, len(ids))
	for i := range ids {
		three := ids[i:min(i+3, len(ids))]
		starts[i] = start{i, len(a.content.of(three[a.rarest(three)]))}
		if starts[i].places == 0 { // a word that does not occur: less than three will have to do
			starts[i].places = len(a.content.of(ids[i]))
		}
	}
	slices.SortStableFunc(starts, func(x, y start) int { return x.places - y.places })
	order := make([]int, len(ids))
	for i, s := range starts {
		order[i] = s.at
	}
	return order
}

// around yields the places of a word within the limit, at most maxPostings: those near first.
func around(list []int32, limit area, near []area) func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		from, _ := slices.BinarySearch(list, int32(limit.from))
		to, _ := slices.BinarySearch(list, int32(limit.to))
		if to-from > maxPostings {
			left := maxPostings / 2
			for _, where := range near {
				lo, _ := slices.BinarySearch(list, int32(max(where.from, limit.from)))
				for _, p := range list[lo:to] {
					if int(p) >= where.to || left == 0 {
						break
					}
					left--
					if !yield(p) {
						return
					}
				}
			}
			to = from + maxPostings/2
		}
		for _, p := range list[from:to] {
			if !yield(p) {
				return
			}
		}
	}
}

// edits aligns one quote with parts of the source, over and over.
type edits struct {
	a     *Aligner
	quote []token
	ids   []int32
	left  int // words of the quote that were left out
	cost  []int32
}

// sourceWord is a token of content of the source.
func (e *edits) sourceWord(i int) string { return e.a.tokens[e.a.place[i]].norm }

// align aligns the whole quote with a part of the content [lo, hi), at the least cost. It returns the part, and why it is refused: NotFound where it is not similar
// enough or a part of the quote stands elsewhere, MeaningDiffers where a negation, a number or a quantifier is among the edits.
func (e *edits) align(lo, hi int) (start, end int, similarity float64, verdict Refusal) {
	n, m := len(e.ids), hi-lo
	source := e.a.content.ids[lo:hi]
	width := m + 1
	if need := (n + 1) * width; cap(e.cost) < need {
		e.cost = make([]int32, need)
	}
	cost := e.cost[:(n+1)*width]
	clear(cost[:width])
	for i := 1; i <= n; i++ {
		row, above := cost[i*width:(i+1)*width], cost[(i-1)*width:i*width]
		id := e.ids[i-1]
		row[0] = above[0] + indel
		for j := 1; j <= m; j++ {
			change := above[j-1]
			if id != source[j-1] {
				change += substitution
			}
			row[j] = min(change, above[j]+indel, row[j-1]+indel)
		}
	}
	last := cost[n*width:]
	endAt := 0
	for j := range last {
		if last[j] <= last[endAt] { // of equals the longest: it shows what was left out before the end
			endAt = j
		}
	}

	// Trace back: where the span begins, and which words were edited.
	var t trace
	first, stop := -1, 0
	i, j := n, endAt
	for i > 0 {
		at := cost[i*width+j]
		same := j > 0 && e.ids[i-1] == source[j-1]
		switch {
		case j > 0 && (same && at == cost[(i-1)*width+j-1] || at == cost[(i-1)*width+j-1]+substitution):
			if first < 0 {
				stop = j
			}
			first = j - 1
			t.pair(e.quote[i-1].norm, e.sourceWord(lo+j-1), same)
			i, j = i-1, j-1
		case j > 0 && first >= 0 && at == cost[i*width+j-1]+indel:
			t.left(e.sourceWord(lo + j - 1))
			j--
		case at == cost[(i-1)*width+j]+indel:
			t.added(e.quote[i-1].norm)
			i--
		default: // only free steps remain: the end of the source is skipped
			j--
		}
	}
	if first < 0 {
		return 0, 0, 0, NotFound
	}
	similarity = 1 - float64(last[endAt])/(float64(substitution)*(float64(max(n, stop-first))+freeShare*float64(e.left)))
	if similarity < minSimilarity || t.equal < minLooseWeight*2 || t.stitched(e.quote) {
		return 0, 0, 0, NotFound
	}
	start, end = lo+first, lo+stop
	if t.critical || e.negatedBeside(start, end, lo, hi, &t) {
		return start, end, similarity, MeaningDiffers
	}
	return start, end, similarity, ""
}

// besideSpan is how far past the end of a span a negation may stand that belongs to it.
const besideSpan = 3

// negatedBeside compares negations in scripts without spaces, where they are parts of the text and no tokens, and looks past the ends of the span where words of
// the quote have no counterpart or another: the source may say "not" there.
func (e *edits) negatedBeside(start, end, lo, hi int, t *trace) bool {
	from, to := start, end
	if !t.equalAtStart() {
		from = max(start-besideSpan, lo)
	}
	if !t.equalAtEnd {
		to = min(end+besideSpan, hi)
	}
	if !sameParts(e.quote, e.text(from, to)) {
		return true
	}
	if t.adding > 0 {
		for i := from; i < start; i++ {
			if critical[e.sourceWord(i)] {
				return true
			}
		}
	}
	if t.addedAtEnd > 0 {
		for i := end; i < to; i++ {
			if critical[e.sourceWord(i)] {
				return true
			}
		}
	}
	return false
}

func (e *edits) text(start, end int) []token {
	out := make([]token, 0, end-start)
	for i := start; i < end; i++ {
		out = append(out, e.a.tokens[e.a.place[i]])
	}
	return out
}

// A trace gathers the edits of an alignment, from the end to the beginning.
type trace struct {
	critical     bool
	paired       bool
	equalAtEnd   bool
	equal        int // half words that are the same
	addedAtEnd   int // thirds of words of the quote after the last that has a counterpart
	open         int // since the last that has an equal
	strange      int // the most in a row that have no equal
	strangersAll int // all that have no equal
	adding       int // since the last that has a counterpart
}

func (t *trace) pair(quote, source string, same bool) {
	if !t.paired {
		t.equalAtEnd = same && t.addedAtEnd == 0
	}
	t.paired = true
	t.adding = 0
	if same {
		t.open = 0
		t.equal += halves(source)
		return
	}
	t.strangers(quote)
	if isCritical(quote) || isCritical(source) || isOpposite(quote, source) {
		t.critical = true
	}
}

func (t *trace) left(source string) { t.critical = t.critical || isCritical(source) }

func (t *trace) added(quote string) {
	t.critical = t.critical || isCritical(quote)
	t.strangers(quote)
	t.adding += thirds(quote)
	if !t.paired {
		t.addedAtEnd += thirds(quote)
	}
}

func (t *trace) strangers(word string) {
	t.open += thirds(word)
	t.strangersAll += thirds(word)
	t.strange = max(t.strange, t.open)
}

func (t *trace) equalAtStart() bool { return t.open == 0 }

// thirds is 3 for a word and 1 for a character of a script without spaces.
func thirds(word string) int {
	if r, _ := utf8.DecodeRuneInString(word); standsAlone(r) {
		return 1
	}
	return 3
}

// What a quote may have of its own: more than these in a row, in thirds of a word, stand elsewhere, or nowhere.
const (
	maxStrange    = 6
	maxAddedAtEnd = 3
)

// stitched tells quotes of which a part stands elsewhere: too many words in a row, or in all (two, or one in six of a long quote).
func (t *trace) stitched(quote []token) bool {
	all := 0
	for _, tok := range quote {
		all += thirds(tok.norm)
	}
	return t.strange > maxStrange || t.addedAtEnd > maxAddedAtEnd || t.adding > maxAddedAtEnd || t.strangersAll > max(maxStrange, all/6)
}

// sameParts compares negations in scripts without spaces, where they are parts of the text and no tokens.
func sameParts(quote, source []token) bool {
	q, s := joined(quote), joined(source)
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

// joined is the text of tokens where any is of a script without spaces, else "".
func joined(tokens []token) string {
	var b strings.Builder
	any := false
	for _, tok := range tokens {
		r, _ := utf8.DecodeRuneInString(tok.norm)
		any = any || standsAlone(r)
		b.WriteString(tok.norm)
	}
	if !any {
		return ""
	}
	return b.String()
}
