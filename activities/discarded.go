package activities

import (
	"encoding/json"
	"slices"
	"strings"

	"research/activities/extract"
)

// The bounds of what a run keeps of the quotes that it discarded: their number, and the bytes of each.
const (
	maxDiscarded      = 200
	maxDiscardedQuote = 500
)

// A discardedQuote is a quote of an extractor that did not become evidence, as private.import_runs has it.
type discardedQuote struct {
	Reason       string `json:"reason"`
	HypothesisID string `json:"hypothesisId,omitempty"` // of the request
	Quote        string `json:"quote"`                  // as it was given
	Utterance    int    `json:"utterance"`              // near which it was said to be
}

// discardedJSON returns the first quotes that a run discarded, shortened.
func discardedJSON(discarded []extract.Discarded, hypotheses []extract.Hypothesis) ([]byte, error) {
	kept := make([]discardedQuote, 0, min(len(discarded), maxDiscarded))
	for _, d := range discarded[:min(len(discarded), maxDiscarded)] {
		row := discardedQuote{
			Reason: string(d.Reason), Quote: extract.CleanSentence(d.Quote), Utterance: d.Chunk.From,
		}
		if len(row.Quote) > maxDiscardedQuote {
			row.Quote = strings.ToValidUTF8(row.Quote[:maxDiscardedQuote], "")
		}
		if slices.ContainsFunc(hypotheses, func(h extract.Hypothesis) bool { return h.ID == d.HypothesisID }) {
			row.HypothesisID = d.HypothesisID
		}
		if len(d.Utterances) > 0 && d.Utterances[0] >= d.Chunk.From && d.Utterances[0] < d.Chunk.To {
			row.Utterance = d.Utterances[0]
		}
		kept = append(kept, row)
	}
	return json.Marshal(kept)
}
