package ask

import (
	"cmp"
	"slices"

	"research/activities/extract/keyword"
	"research/activities/extract/words"
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

// Find returns the passages that match a question in any of its wordings, the best first. They do not overlap.
func (x *Index) Find(wordings []string, limits Limits) []Passage {
	s := x.newSelection(wordings, limits)
	for _, place := range s.places {
		if s.transcripts == limits.Transcripts {
			break
		}
		if s.count[place.Transcript] == 0 {
			s.take(place)
		}
	}
	for _, place := range s.places {
		if limits.OfOne == 0 || s.count[place.Transcript] < limits.OfOne {
			s.take(place)
		}
	}
	slices.SortFunc(s.found, func(a, b foundPassage) int { return cmp.Compare(a.rank, b.rank) })
	passages := make([]Passage, len(s.found))
	for i, f := range s.found {
		passages[i] = f.Passage
	}
	return passages
}

// A selection takes passages of a ranking.
type selection struct {
	index  *Index
	limit  int
	places []keyword.Place // the best first
	rank   [][]int         // of utterances, by transcript, from 1; 0 if they do not match
	taken  [][]bool        // utterances, by transcript

	found       []foundPassage
	count       []int // passages found, by transcript
	transcripts int   // of the passages found
}

// A foundPassage has the rank of its best utterance.
type foundPassage struct {
	Passage
	rank int
}

// newSelection ranks by each wording, and adds the reciprocal ranks.
func (x *Index) newSelection(wordings []string, limits Limits) *selection {
	s := &selection{
		index: x, limit: limits.Passages, rank: make([][]int, len(x.words)),
		taken: make([][]bool, len(x.words)), count: make([]int, len(x.words)),
	}
	scores := make([][]float64, len(x.words))
	for i, counts := range x.words {
		s.rank[i], s.taken[i] = make([]int, len(counts)), make([]bool, len(counts))
		scores[i] = make([]float64, len(counts))
	}
	for _, wording := range wordings {
		for rank, place := range x.collection.Rank(wording) {
			score := &scores[place.Transcript][place.Utterance]
			if *score == 0 {
				s.places = append(s.places, place)
			}
			*score += 1 / float64(rankConstant+rank+1)
		}
	}
	if len(wordings) > 1 {
		slices.SortStableFunc(s.places, func(a, b keyword.Place) int {
			return cmp.Compare(scores[b.Transcript][b.Utterance], scores[a.Transcript][a.Utterance])
		})
	}
	for rank, place := range s.places {
		s.rank[place.Transcript][place.Utterance] = rank + 1
	}
	return s
}

// take takes the passage around an utterance, unless another has the utterance.
func (s *selection) take(place keyword.Place) {
	if len(s.found) >= s.limit || s.taken[place.Transcript][place.Utterance] {
		return
	}
	p := s.around(place)
	best := s.rank[place.Transcript][place.Utterance]
	for u := p.From; u < p.To; u++ {
		s.taken[p.Transcript][u] = true
		if rank := s.rank[p.Transcript][u]; rank > 0 {
			best = min(best, rank)
		}
	}
	if s.count[p.Transcript] == 0 {
		s.transcripts++
	}
	s.count[p.Transcript]++
	s.found = append(s.found, foundPassage{p, best})
}

// around returns the passage around an utterance. It grows on both sides in turn.
func (s *selection) around(place keyword.Place) Passage {
	taken, counts := s.taken[place.Transcript], s.index.words[place.Transcript]
	p := Passage{Transcript: place.Transcript, From: place.Utterance, To: place.Utterance + 1}
	growsAfter := false
	for size := counts[p.From]; size < passageWords; growsAfter = !growsAfter {
		before := p.From > 0 && !taken[p.From-1]
		after := p.To < len(counts) && !taken[p.To]
		switch {
		case !before && !after:
			return p
		case after && (growsAfter || !before):
			size += counts[p.To]
			p.To++
		default:
			p.From--
			size += counts[p.From]
		}
	}
	return p
}
