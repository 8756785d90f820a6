package keyword

import (
	"cmp"
	"slices"
	"sync"

	"research/transcript"
)

// A Collection ranks the utterances of several transcripts together. It is safe for concurrent use.
type Collection struct{ parts []*collectionPart }

// A collectionPart is an index of the transcripts of one language: the rarity of a word is that of a
// language.
type collectionPart struct {
	index    *utteranceIndex
	places   []Place    // of its utterances
	querying sync.Mutex // the stemmer of the index is for one goroutine
}

// query reads a text as a query of the part.
func (p *collectionPart) query(text string) query {
	p.querying.Lock()
	defer p.querying.Unlock()
	return p.index.query(text)
}

// A Place is an utterance of a transcript of a collection.
type Place struct{ Transcript, Utterance int }

// NewCollection indexes transcripts. The index takes about twice the memory of their texts.
func NewCollection(transcripts []*transcript.Transcript) *Collection {
	c := &Collection{}
	byLanguage := map[string][]int{}
	var languages []string
	for i, t := range transcripts {
		if byLanguage[t.Language] == nil {
			languages = append(languages, t.Language)
		}
		byLanguage[t.Language] = append(byLanguage[t.Language], i)
	}
	for _, language := range languages {
		part := &collectionPart{}
		var texts []*transcript.Transcript
		for _, i := range byLanguage[language] {
			texts = append(texts, transcripts[i])
			for u := range transcripts[i].Utterances {
				part.places = append(part.places, Place{i, u})
			}
		}
		part.index = newUtteranceIndex(texts...)
		c.parts = append(c.parts, part)
	}
	return c
}

// A RankedPlace has the score of an utterance, which says nothing beside those of other texts.
type RankedPlace struct {
	Place
	Score float64
}

// Rank orders the utterances by how well they and those around them match a text, the best first, without
// those that do not match at all. It ranks as the extractor does with Precise.
func (c *Collection) Rank(text string) []RankedPlace {
	var ranked []RankedPlace
	for _, part := range c.parts {
		query := part.query(text)
		if len(query.terms) == 0 {
			continue
		}
		utterances := part.index.rank(query, Precise.method())
		if !slices.ContainsFunc(utterances, func(r rankedUtterance) bool { return r.own > 0 }) {
			continue // the words of the best utterances would be those of any
		}
		for _, r := range utterances {
			if r.score <= 0 {
				break
			}
			ranked = append(ranked, RankedPlace{part.places[r.utterance], r.score})
		}
	}
	if len(c.parts) > 1 {
		slices.SortStableFunc(ranked, func(a, b RankedPlace) int { return cmp.Compare(b.Score, a.Score) })
	}
	return ranked
}
