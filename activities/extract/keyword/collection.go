package keyword

import (
	"cmp"
	"slices"

	"research/transcript"
)

// A Collection ranks the utterances of several transcripts together. It is safe for concurrent use.
type Collection struct{ parts []collectionPart }

// A collectionPart is an index of the transcripts of one language: the rarity of a word is that of a language.
type collectionPart struct {
	index  *utteranceIndex
	places []Place // of its utterances
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
		var part collectionPart
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

// Rank orders the utterances by how well they and those around them match a text, the best first, without
// those that do not match at all. It ranks as the extractor does with Precise.
func (c *Collection) Rank(text string) []Place {
	type scored struct {
		place Place
		score float64
	}
	var all []scored
	for _, part := range c.parts {
		query := part.index.query(text)
		if len(query.terms) == 0 {
			continue
		}
		for _, r := range part.index.rank(query, Precise.method()) {
			if r.score <= 0 {
				break
			}
			all = append(all, scored{part.places[r.utterance], r.score})
		}
	}
	if len(c.parts) > 1 {
		slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	}
	places := make([]Place, len(all))
	for i, s := range all {
		places[i] = s.place
	}
	return places
}
