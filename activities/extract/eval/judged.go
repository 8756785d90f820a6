package eval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"research/outcome"
	"research/transcript"
)

// A JudgedSet is evidence of a project that people accepted or rejected. It has no names and no transcripts,
// but the quotes; the transcripts are found by the ids of their imports.
type JudgedSet struct {
	Imports []JudgedImport `json:"imports"`
}

// A JudgedImport is what people judged of one transcript.
type JudgedImport struct {
	ID         string             `json:"import"`
	Hypotheses []JudgedHypothesis `json:"hypotheses"`
}

// A JudgedHypothesis has the evidence that people accepted for it, and what they rejected.
type JudgedHypothesis struct {
	Statement string        `json:"statement"`
	Gold      []JudgedQuote `json:"gold"`
	Rejected  []JudgedQuote `json:"rejected"`
}

// A JudgedQuote is a quote by its bytes in the transcript.
type JudgedQuote struct {
	Stance    outcome.Stance `json:"stance"`
	Quote     string         `json:"quote"`
	ByteStart int            `json:"byte_start"`
	ByteEnd   int            `json:"byte_end"`
}

// ReadJudgedSet decodes a set that was saved as JSON.
func ReadJudgedSet(raw []byte) (JudgedSet, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	var set JudgedSet
	err := decoder.Decode(&set)
	return set, err
}

// Cases returns the cases of the set. load returns the transcript of an import, and its interviewers: their
// words are no evidence, even if people accepted some before they said who the interviewers are.
func (set JudgedSet) Cases(
	load func(importID string) (t *transcript.Transcript, interviewers []string, err error),
) ([]Case, error) {
	var cases []Case
	for _, judged := range set.Imports {
		t, interviewers, err := load(judged.ID)
		if err != nil {
			return nil, fmt.Errorf("load import %s: %w", judged.ID, err)
		}
		c := Case{Name: judged.ID, Transcript: t, Interviewers: interviewers, Judged: true}
		for _, h := range judged.Hypotheses {
			hypothesis := Hypothesis{Statement: h.Statement}
			if hypothesis.Gold, err = locateQuotes(t, h.Gold); err != nil {
				return nil, fmt.Errorf("import %s: %w", judged.ID, err)
			}
			if hypothesis.Rejected, err = locateQuotes(t, h.Rejected); err != nil {
				return nil, fmt.Errorf("import %s: %w", judged.ID, err)
			}
			hypothesis.Gold = slices.DeleteFunc(hypothesis.Gold, c.isSaidByInterviewers)
			c.Hypotheses = append(c.Hypotheses, hypothesis)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// isSaidByInterviewers reports whether nobody but interviewers says the words of a span.
func (c Case) isSaidByInterviewers(g Gold) bool {
	return !slices.ContainsFunc(c.Transcript.Utterances, func(u transcript.Utterance) bool {
		return u.ByteStart < g.ByteEnd && g.ByteStart < u.ByteEnd && !slices.Contains(c.Interviewers, u.Speaker)
	})
}

// locateQuotes checks that quotes are where they were. Its error does not repeat them.
func locateQuotes(t *transcript.Transcript, quotes []JudgedQuote) ([]Gold, error) {
	var gold []Gold
	for i, q := range quotes {
		if q.ByteStart < 0 || q.ByteEnd > len(t.Text) || q.ByteStart >= q.ByteEnd {
			return nil, fmt.Errorf("quote %d is not within the transcript", i+1)
		}
		gold = append(gold, Gold{Stance: q.Stance, ByteStart: q.ByteStart, ByteEnd: q.ByteEnd})
	}
	return gold, nil
}
