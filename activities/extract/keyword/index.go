package keyword

import (
	"strings"

	"research/internal/words"
	"research/transcript"
)

// An utteranceIndex has the statistics of the utterances of transcripts in one language. Stems are numbered
// as they occur.
type utteranceIndex struct {
	language string
	stem     func(string) string
	folding  words.Forms
	talk     map[string]bool // stems of talkWords
	ids      map[string]int32
	spelled  []string           // a word of each stem, by id
	forms    map[string][]int32 // ids by what forms of a word share
	compound compoundIndex
	alike    map[string][]int32 // ids by how their stem begins, for cognates
	unigrams [][]posting        // by id
	bigrams  map[[2]int32][]posting
	lengths  []float64 // of utterances, in stems
	average  float64   // length
	speakers []string
	ends     []int // of the transcripts, as numbers of utterances
}

// A posting counts how often a term occurs in an utterance.
type posting struct{ utterance, count int }

// newUtteranceIndex indexes transcripts, which all have the language of the first.
func newUtteranceIndex(transcripts ...*transcript.Transcript) *utteranceIndex {
	language := transcripts[0].Language
	x := &utteranceIndex{
		language: language,
		stem:     words.Stemmer(language),
		talk:     map[string]bool{},
		ids:      map[string]int32{},
		forms:    map[string][]int32{},
		bigrams:  map[[2]int32][]posting{},
	}
	x.folding = words.NewForms(language, x.stem)
	for word := range talkWords {
		x.talk[x.stem(word)] = true
	}
	total := 0.0
	for _, t := range transcripts {
		for _, u := range t.Utterances {
			length := float64(x.add(u))
			x.lengths = append(x.lengths, length)
			x.speakers = append(x.speakers, strings.ToLower(u.Speaker))
			total += length
		}
		x.ends = append(x.ends, len(x.lengths))
	}
	for stem, id := range x.ids {
		key := x.folding.Key(stem)
		x.forms[key] = append(x.forms[key], id)
	}
	x.compound = newCompoundIndex(language, x.ids, x.spelled)
	x.average = max(total/float64(max(len(x.lengths), 1)), 1)
	return x
}

// add counts the stems of the next utterance, and returns their number.
func (x *utteranceIndex) add(u transcript.Utterance) int {
	utterance, count, last := len(x.lengths), 0, int32(-1)
	for _, word := range x.words(u.Text) {
		stem := x.stem(word)
		id, known := x.ids[stem]
		if !known {
			id = int32(len(x.unigrams))
			x.ids[stem] = id
			x.unigrams = append(x.unigrams, nil)
			x.spelled = append(x.spelled, word)
		}
		x.unigrams[id] = addPosting(x.unigrams[id], utterance)
		if last >= 0 {
			bigram := [2]int32{last, id}
			x.bigrams[bigram] = addPosting(x.bigrams[bigram], utterance)
		}
		last = id
		count++
	}
	return count
}

// addPosting counts an occurrence. Utterances are added in order.
func addPosting(postings []posting, utterance int) []posting {
	if n := len(postings); n > 0 && postings[n-1].utterance == utterance {
		postings[n-1].count++
		return postings
	}
	return append(postings, posting{utterance, 1})
}

// words returns the words of a text that may say something about a subject.
func (x *utteranceIndex) words(text string) []string {
	var list []string
	for _, tok := range words.Tokenize(text) {
		if !IsStop(x.language, tok.Norm) {
			list = append(list, tok.Norm)
		}
	}
	return list
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
