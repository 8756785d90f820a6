package ask

import (
	"cmp"
	"slices"

	"research/activities/extract/keyword"
	"research/internal/words"
	"research/transcript"
)

// Limits that callers use.
const (
	// PassagesOfOne is how many passages of one transcript are read for an answer.
	PassagesOfOne = 6
	// BestTranscripts is of how many of the best transcripts at least one passage is read for an answer.
	BestTranscripts = 20
	// BarePassages is how many passages are shown where no model reads them.
	BarePassages = 10
)

// passageWords is how long a passage is at least, as far as its transcript goes.
const passageWords = 250

// rankConstant is k of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009).
const rankConstant = 60

// A Passage is a part of a transcript.
type Passage struct {
	Transcript int // its index
	From, To   int // utterances; To is exclusive
	Best       int // the utterance that matches best; -1 if that is not known
}

// An Index finds passages of transcripts. It is safe for concurrent use.
type Index struct {
	collection *keyword.Collection
	words      [][]int // of utterances, by transcript
}

// NewIndex indexes transcripts. The index takes about twice the memory of their texts.
func NewIndex(transcripts []*transcript.Transcript) *Index {
	x := &Index{collection: keyword.NewCollection(transcripts), words: make([][]int, len(transcripts))}
	for i, t := range transcripts {
		x.words[i] = make([]int, len(t.Utterances))
		for j, u := range t.Utterances {
			x.words[i][j] = words.Count(u.Text)
		}
	}
	return x
}

// Passages returns how many passages the transcripts would make.
func (x *Index) Passages() int {
	n := 0
	for _, counts := range x.words {
		sum := 0
		for _, count := range counts {
			sum += count
		}
		n += (sum + passageWords - 1) / passageWords
	}
	return n
}

// Limits bound what Find returns.
type Limits struct {
	Passages int // in all
	OfOne    int // passages of one transcript; 0 means no limit
	// Transcripts is for how many of the best transcripts the best passage is taken first.
	Transcripts int
}

// Find returns the passages that match a question in any of its wordings, the best first. They do not
// overlap.
func (x *Index) Find(wordings []string, limits Limits) []Passage {
	matches := x.match(wordings)
	candidates := x.divide(matches)
	var found []foundPassage
	count, isFound := map[int]int{}, make([]bool, len(candidates))
	for i, c := range candidates {
		if len(count) >= limits.Transcripts || len(found) >= limits.Passages {
			break
		}
		if count[c.Transcript] == 0 {
			count[c.Transcript]++
			isFound[i] = true
			found = append(found, c)
		}
	}
	for i, c := range candidates {
		if len(found) >= limits.Passages {
			break
		}
		if !isFound[i] && (limits.OfOne == 0 || count[c.Transcript] < limits.OfOne) {
			count[c.Transcript]++
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, byScore)
	passages := make([]Passage, len(found))
	for i, f := range found {
		passages[i] = f.Passage
	}
	return passages
}

// A match is how well an utterance matches a question.
type match struct {
	score float64 // the sum of the wordings, whose best utterances have 1
	ranks float64 // the sum of the reciprocal ranks
}

// match ranks the utterances of each transcript by each wording.
func (x *Index) match(wordings []string) [][]match {
	matches := make([][]match, len(x.words))
	for i, counts := range x.words {
		matches[i] = make([]match, len(counts))
	}
	for _, wording := range wordings {
		ranked := x.collection.Rank(wording)
		for rank, r := range ranked {
			m := &matches[r.Transcript][r.Utterance]
			m.score += r.Score / ranked[0].Score
			m.ranks += reciprocal(rank)
		}
	}
	return matches
}

// reciprocal is what a rank, counted from 0, adds to a fused ranking.
func reciprocal(rank int) float64 { return 1 / float64(rankConstant+rank+1) }

// A foundPassage is a passage with its score.
type foundPassage struct {
	Passage
	score float64
}

// byScore orders the best first.
func byScore(a, b foundPassage) int { return cmp.Compare(b.score, a.score) }

// divide chooses passages that do not overlap, those whose utterances together match best before others. It
// orders them by that and by their best utterances.
func (x *Index) divide(matches [][]match) []foundPassage {
	candidates := x.windows(matches)
	slices.SortStableFunc(candidates, byScore)
	taken := make([][]bool, len(x.words))
	for i, counts := range x.words {
		taken[i] = make([]bool, len(counts))
	}
	chosen := candidates[:0]
	for _, c := range candidates {
		places := taken[c.Transcript][c.From:c.To]
		if !slices.Contains(places, true) {
			for i := range places {
				places[i] = true
			}
			chosen = append(chosen, c)
		}
	}
	fuse(chosen, matches)
	return chosen
}

// fuse adds the reciprocal ranks of passages in two orders: the one they are in, and that of their best
// utterances, which it notes. It orders them by the sums.
func fuse(passages []foundPassage, matches [][]match) {
	var ranks []float64
	for _, utterances := range matches {
		for _, m := range utterances {
			ranks = append(ranks, m.ranks)
		}
	}
	slices.Sort(ranks)
	for i, p := range passages {
		best := 0.0
		for u, m := range matches[p.Transcript][p.From:p.To] {
			if m.ranks > best {
				best, passages[i].Best = m.ranks, p.From+u
			}
		}
		at, _ := slices.BinarySearch(ranks, best)
		for at < len(ranks) && ranks[at] == best {
			at++
		}
		passages[i].score = reciprocal(i) + reciprocal(len(ranks)-at)
	}
	slices.SortStableFunc(passages, byScore)
}

// windows returns the parts of transcripts of the size of a passage, from each utterance on, that match at
// all. Their scores are the sums of those of their utterances.
func (x *Index) windows(matches [][]match) []foundPassage {
	var windows []foundPassage
	for t, counts := range x.words {
		to, size, score := 0, 0, 0.0
		for from := range counts {
			for to < len(counts) && size < passageWords {
				size += counts[to]
				score += matches[t][to].score
				to++
			}
			if hasMatch(matches[t][from:to]) {
				windows = append(windows, foundPassage{Passage{t, from, to, -1}, score})
			}
			size -= counts[from]
			score -= matches[t][from].score
		}
	}
	return windows
}

func hasMatch(matches []match) bool {
	return slices.ContainsFunc(matches, func(m match) bool { return m.ranks > 0 })
}
