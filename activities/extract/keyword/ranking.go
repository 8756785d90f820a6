package keyword

import (
	"cmp"
	"embed"
	"math"
	"slices"
	"strings"

	"research/internal/words"
)

// The parameters of the ranking and those of its methods, chosen on QMSum's validation split.
const (
	bm25K1       = 1.2
	bm25B        = 0.4
	idfExponent  = 1.3
	ownWeight    = 0.1 // of an utterance's own score, beside the smoothed one
	bigramWeight = 0.5
	speakerBoost = 3
)

//go:embed data/*.txt
var data embed.FS

var talkWords = words.Set(data, "talk-words")

// A Retrieval is the preference of a keyword extractor. The zero value is Precise.
type Retrieval string

// The modes of retrieval.
const (
	Precise Retrieval = "precise" // more of the first matches are about the hypothesis
	Broad   Retrieval = "broad"   // the first matches come from more passages
)

// A method is how utterances are ranked.
type method struct {
	widths         []float64 // of the smoothing, in utterances; the results are averaged
	feedbackWeight float64   // of the words of the best utterances; 0 means no feedback
	feedbackTurns  int       // utterances that are taken for the best
	feedbackTerms  int       // words of theirs
}

func (r Retrieval) method() method {
	if r == Broad {
		return method{widths: []float64{16}}
	}
	return method{widths: []float64{3, 12}, feedbackWeight: 0.2, feedbackTurns: 5, feedbackTerms: 20}
}

// A rankedUtterance has an utterance's score, and how many terms of the query it contains.
type rankedUtterance struct {
	utterance       int
	shared, related int     // terms that it has itself, and those of which it has related words
	matched         float64 // terms, with parts of those that it does not have itself
	own, score      float64 // own is the score before smoothing
}

// rank scores every utterance by BM25 of terms and pairs, then smooths the scores, so that a passage about
// the subject ranks above a single word.
func (x *utteranceIndex) rank(q query, m method) []rankedUtterance {
	ranked := x.match(q)
	own := make([]float64, len(ranked))
	for i, r := range ranked {
		own[i] = r.own
	}
	for _, pair := range q.pairs {
		x.addScores(own, x.bigram(pair), bigramWeight)
	}
	for i, name := range x.speakers {
		if name != "" && own[i] > 0 && strings.Contains(q.text, name) {
			own[i] *= speakerBoost
		}
	}
	scores := x.spread(own, m)
	if m.feedbackWeight > 0 {
		expanded := slices.Clone(own)
		for _, f := range x.feedback(q, scores, m) {
			x.addScores(expanded, x.unigrams[f.stem], m.feedbackWeight*f.weight)
		}
		scores = x.spread(expanded, m)
	}
	for i := range ranked {
		ranked[i].own, ranked[i].score = own[i], scores[i]
	}
	slices.SortFunc(ranked, func(a, b rankedUtterance) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return a.utterance - b.utterance
	})
	return ranked
}

// match scores every utterance by the best variant of each term that it has.
func (x *utteranceIndex) match(q query) []rankedUtterance {
	ranked := make([]rankedUtterance, len(x.lengths))
	for i := range ranked {
		ranked[i].utterance = i
	}
	type best struct {
		score, credit float64
		isShared      bool
	}
	for _, t := range q.terms {
		found := map[int]best{}
		for id, v := range t.variants {
			postings := x.unigrams[id]
			idf := x.idf(len(postings))
			for _, p := range postings {
				b := found[p.utterance]
				b.score = max(b.score, v.weight*idf*x.saturate(p))
				b.credit = max(b.credit, v.credit)
				b.isShared = b.isShared || !v.isRelated
				found[p.utterance] = b
			}
		}
		for i, b := range found {
			ranked[i].own += b.score
			ranked[i].matched += b.credit
			if b.isShared {
				ranked[i].shared++
			} else {
				ranked[i].related++
			}
		}
	}
	return ranked
}

// spread smooths scores over neighbouring utterances of a transcript, and adds a part of each utterance's own
// score.
func (x *utteranceIndex) spread(own []float64, m method) []float64 {
	scores := make([]float64, len(own))
	begin := 0
	for _, end := range x.ends {
		for _, width := range m.widths {
			for i, s := range smooth(own[begin:end], width) {
				scores[begin+i] += s / float64(len(m.widths))
			}
		}
		begin = end
	}
	for i := range scores {
		scores[i] += ownWeight * own[i]
	}
	return scores
}

// A feedbackTerm is a stem that stands out in the best utterances.
type feedbackTerm struct {
	stem   int32
	weight float64 // 1 for the first
}

// feedback returns the stems that stand out in the utterances with the best scores, without those of the
// query (Rocchio's pseudo relevance feedback).
func (x *utteranceIndex) feedback(q query, scores []float64, m method) []feedbackTerm {
	isBest := topUtterances(scores, m.feedbackTurns)
	ignored := map[int32]bool{}
	for _, t := range q.terms {
		for id := range t.variants {
			ignored[id] = true
		}
	}
	for talk := range x.talk {
		if stem, known := x.ids[talk]; known {
			ignored[stem] = true
		}
	}
	var terms []feedbackTerm
	for i, postings := range x.unigrams {
		stem, weight := int32(i), 0.0
		for _, p := range postings {
			if isBest[p.utterance] {
				weight += float64(p.count) / (float64(p.count) + bm25K1)
			}
		}
		if weight > 0 && !ignored[stem] {
			terms = append(terms, feedbackTerm{stem, weight * x.idf(len(postings))})
		}
	}
	slices.SortFunc(terms, func(a, b feedbackTerm) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.stem, b.stem))
	})
	terms = terms[:min(m.feedbackTerms, len(terms))]
	for i := len(terms) - 1; i >= 0; i-- {
		terms[i].weight /= terms[0].weight
	}
	return terms
}

// topUtterances reports which n utterances have the best scores. Of equal ones the first are better.
func topUtterances(scores []float64, n int) []bool {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), a-b) })
	top := make([]bool, len(scores))
	for _, i := range order[:min(n, len(order))] {
		top[i] = true
	}
	return top
}

// idf is the weight of a term by the number of utterances that have it.
func (x *utteranceIndex) idf(utterances int) float64 {
	n, found := float64(len(x.lengths)), float64(utterances)
	return math.Pow(math.Log(1+(n-found+0.5)/(found+0.5)), idfExponent)
}

// addScores adds the BM25 scores of one term.
func (x *utteranceIndex) addScores(scores []float64, postings []posting, weight float64) {
	idf := x.idf(len(postings))
	for _, p := range postings {
		scores[p.utterance] += weight * idf * x.saturate(p)
	}
}

// saturate returns what BM25 makes of the count of a term.
func (x *utteranceIndex) saturate(p posting) float64 {
	count := float64(p.count)
	length := x.lengths[p.utterance] / x.average
	return count * (bm25K1 + 1) / (count + bm25K1*(1-bm25B+bm25B*length))
}

// smooth applies a Gaussian kernel of four sigma.
func smooth(values []float64, sigma float64) []float64 {
	reach := int(4 * sigma)
	kernel := make([]float64, reach+1)
	for d := range kernel {
		kernel[d] = math.Exp(-float64(d*d) / (2 * sigma * sigma))
	}
	out := make([]float64, len(values))
	for i, v := range values {
		if v == 0 {
			continue
		}
		for j := max(0, i-reach); j <= min(len(values)-1, i+reach); j++ {
			d := i - j
			if d < 0 {
				d = -d
			}
			out[j] += v * kernel[d]
		}
	}
	total := kernel[0]
	for _, k := range kernel[1:] {
		total += 2 * k
	}
	for i := range out {
		out[i] /= total
	}
	return out
}
