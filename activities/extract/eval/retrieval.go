package eval

import (
	"slices"

	"research/activities/extract/ask"
	"research/transcript"
)

// A Retrieval is what was found for questions in all transcripts of a set together. The shares are of 1.
type Retrieval struct {
	Limits     ask.Limits `json:"limits"`
	Questions  int        `json:"questions"`
	Hit        float64    `json:"hit"`        // questions of which a marked passage was touched
	Transcript float64    `json:"transcript"` // questions whose transcript was among those found
	Utterances float64    `json:"utterances"` // marked utterances that were found, on average
	Words      float64    `json:"words"`      // found for a question, on average
}

// serviceLimits are those of the service, with the default of ASK_PASSAGES.
var serviceLimits = ask.Limits{
	Passages: 40, OfOne: ask.PassagesOfOne, Transcripts: ask.BestTranscripts,
}

// RetrievalLimits are the numbers of passages that are measured. The last are those of the service. They must
// not be changed.
var RetrievalLimits = []ask.Limits{
	{Passages: 1}, {Passages: 5}, {Passages: 10}, {Passages: 20}, {Passages: 40}, {Passages: 80}, serviceLimits,
}

// MeasureRetrieval takes the hypotheses of cases for questions to all of their transcripts, as a project puts
// them, once with each of the limits.
func MeasureRetrieval(cases []Case, limits ...ask.Limits) []Retrieval {
	transcripts := make([]*transcript.Transcript, len(cases))
	for i, c := range cases {
		transcripts[i] = c.Transcript
	}
	index := ask.NewIndex(transcripts)
	measures := make([]Retrieval, len(limits))
	for l := range limits {
		measures[l].Limits = limits[l]
		for i, c := range cases {
			for _, h := range c.Hypotheses {
				if len(h.Gold) > 0 {
					measures[l].add(cases, i, h, index.Find([]string{h.Statement}, limits[l]))
				}
			}
		}
		measures[l].average()
	}
	return measures
}

// add adds what was found for a question about one of the transcripts.
func (r *Retrieval) add(cases []Case, own int, h Hypothesis, found []ask.Passage) {
	r.Questions++
	isRead := map[int]bool{}
	for _, p := range found {
		for u := p.From; u < p.To; u++ {
			r.Words += float64(len(wordsOf(cases[p.Transcript].Transcript.Utterances[u].Text)))
			if p.Transcript == own {
				isRead[u] = true
			}
		}
	}
	marked, read := 0, 0
	for i, u := range cases[own].Transcript.Utterances {
		if !isMarked(u, h.Gold) {
			continue
		}
		marked++
		if isRead[i] {
			read++
		}
	}
	if len(isRead) > 0 {
		r.Transcript++
	}
	if read > 0 {
		r.Hit++
	}
	r.Utterances += float64(read) / float64(max(marked, 1))
}

// isMarked reports whether people marked any of an utterance.
func isMarked(u transcript.Utterance, gold []Gold) bool {
	return slices.ContainsFunc(gold, func(g Gold) bool {
		return u.ByteStart < g.ByteEnd && g.ByteStart < u.ByteEnd
	})
}

// average divides the sums by the number of questions.
func (r *Retrieval) average() {
	n := float64(max(r.Questions, 1))
	r.Hit, r.Transcript, r.Utterances, r.Words = r.Hit/n, r.Transcript/n, r.Utterances/n, r.Words/n
}
