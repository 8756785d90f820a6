package extract

import (
	"math"
	"slices"
	"strings"

	"research/transcript"
)

// The parameters of the ranking, chosen on QMSum's validation split.
const (
	bm25K1       = 1.2
	bm25B        = 0.4
	idfExponent  = 1.3
	smoothSigma  = 12.0 // utterances
	ownWeight    = 0.1  // of an utterance's own score, beside the smoothed one
	bigramWeight = 0.5
	speakerBoost = 3
)

var (
	frameWords = loadWords("frame-words")
	talkWords  = loadWords("talk-words")
)

// An utteranceIndex has the statistics of one transcript's utterances. Stems are numbered as they occur.
type utteranceIndex struct {
	stem     func(string) string
	talk     map[string]bool // stems of talkWords
	ids      map[string]int32
	unigrams [][]posting // by id
	bigrams  map[[2]int32][]posting
	lengths  []float64 // of utterances, in stems
	average  float64   // length
	speakers []string
}

// A posting counts how often a term occurs in an utterance.
type posting struct{ utterance, count int }

func newUtteranceIndex(t *transcript.Transcript) *utteranceIndex {
	x := &utteranceIndex{
		stem:    stemmer(t.Language),
		talk:    map[string]bool{},
		ids:     map[string]int32{},
		bigrams: map[[2]int32][]posting{},
	}
	for word := range talkWords {
		x.talk[x.stem(word)] = true
	}
	total := 0.0
	for i, u := range t.Utterances {
		stems := x.stems(u.Text)
		last := int32(-1)
		for _, stem := range stems {
			id, known := x.ids[stem]
			if !known {
				id = int32(len(x.unigrams))
				x.ids[stem] = id
				x.unigrams = append(x.unigrams, nil)
			}
			x.unigrams[id] = addPosting(x.unigrams[id], i)
			if last >= 0 {
				bigram := [2]int32{last, id}
				x.bigrams[bigram] = addPosting(x.bigrams[bigram], i)
			}
			last = id
		}
		x.lengths = append(x.lengths, float64(len(stems)))
		x.speakers = append(x.speakers, strings.ToLower(u.Speaker))
		total += float64(len(stems))
	}
	x.average = max(total/float64(max(len(x.lengths), 1)), 1)
	return x
}

// addPosting counts an occurrence. Utterances are added in order.
func addPosting(postings []posting, utterance int) []posting {
	if n := len(postings); n > 0 && postings[n-1].utterance == utterance {
		postings[n-1].count++
		return postings
	}
	return append(postings, posting{utterance, 1})
}

func (x *utteranceIndex) stems(text string) []string {
	var stems []string
	for _, tok := range tokenize(text) {
		if !frameWords[tok.norm] {
			stems = append(stems, x.stem(tok.norm))
		}
	}
	return stems
}

// unigram returns the postings of a stem.
func (x *utteranceIndex) unigram(stem string) []posting {
	if id, known := x.ids[stem]; known {
		return x.unigrams[id]
	}
	return nil
}

// bigram returns the postings of two stems in sequence.
func (x *utteranceIndex) bigram(pair [2]string) []posting {
	first, known := x.ids[pair[0]]
	second, alsoKnown := x.ids[pair[1]]
	if !known || !alsoKnown {
		return nil
	}
	return x.bigrams[[2]int32{first, second}]
}

// A query is a statement to rank by: its distinct stems, its pairs of neighbours, and its text in lower case,
// which may name a speaker.
type query struct {
	terms []string
	pairs [][2]string
	text  string
}

func (x *utteranceIndex) query(statement string) query {
	q := query{text: strings.ToLower(statement)}
	stems := slices.DeleteFunc(x.stems(statement), func(stem string) bool { return x.talk[stem] })
	if len(stems) == 0 {
		stems = x.stems(statement)
	}
	for i, stem := range stems {
		if !slices.Contains(q.terms, stem) {
			q.terms = append(q.terms, stem)
		}
		if i > 0 {
			q.pairs = append(q.pairs, [2]string{stems[i-1], stem})
		}
	}
	return q
}

// A rankedUtterance has an utterance's score, and how many terms of the query it contains.
type rankedUtterance struct {
	utterance, matched int
	own, score         float64 // own is the score before smoothing
}

// rank scores every utterance by BM25 of terms and pairs, then smooths the scores, so that a passage about
// the subject ranks above a single word.
func (x *utteranceIndex) rank(q query) []rankedUtterance {
	n := len(x.lengths)
	own := make([]float64, n)
	matched := make([]int, n)
	for _, term := range q.terms {
		postings := x.unigram(term)
		x.addScores(own, postings, 1)
		for _, p := range postings {
			matched[p.utterance]++
		}
	}
	for _, pair := range q.pairs {
		x.addScores(own, x.bigram(pair), bigramWeight)
	}
	for i, name := range x.speakers {
		if name != "" && own[i] > 0 && strings.Contains(q.text, name) {
			own[i] *= speakerBoost
		}
	}
	smoothed := smooth(own, smoothSigma)
	ranked := make([]rankedUtterance, n)
	for i := range ranked {
		ranked[i] = rankedUtterance{
			utterance: i, matched: matched[i], own: own[i], score: smoothed[i] + ownWeight*own[i],
		}
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

// addScores adds the BM25 scores of one term.
func (x *utteranceIndex) addScores(scores []float64, postings []posting, weight float64) {
	n, found := float64(len(x.lengths)), float64(len(postings))
	idf := math.Pow(math.Log(1+(n-found+0.5)/(found+0.5)), idfExponent)
	for _, p := range postings {
		count := float64(p.count)
		length := x.lengths[p.utterance] / x.average
		scores[p.utterance] += weight * idf * count * (bm25K1 + 1) / (count + bm25K1*(1-bm25B+bm25B*length))
	}
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
