package activities

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/db"
	"research/transcript"
)

// An extraction is everything that the requests of one parse have in common.
type extraction struct {
	imports    *Imports
	ref        ParseRef
	text       *transcript.Transcript
	sha256     string // of the text
	hypotheses []extract.Hypothesis
}

// request returns the request about a chunk.
func (e extraction) request(chunk extract.Chunk) extract.Request {
	return extract.Request{Transcript: e.text, Chunk: chunk, Hypotheses: e.hypotheses}
}

// key identifies the response about a chunk. It is made from everything that the response depends on.
func (e extraction) key(chunk extract.Chunk) []byte {
	extractor := e.imports.extractor
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%d-%d\n%s\n%s\n%s\n", e.sha256, chunk.ByteStart, chunk.ByteEnd,
		extractor.Name(), extractor.Model(), extractor.PromptVersion())
	for _, h := range e.hypotheses {
		fmt.Fprintf(sum, "%s %q\n", h.ID, h.Statement)
	}
	return sum.Sum(nil)
}

// chosenHypotheses lists the hypotheses of the latest request in a fixed order.
func chosenHypotheses(ctx context.Context, q *db.Queries, importID uuid.UUID) ([]extract.Hypothesis, error) {
	rows, err := q.ListChosenHypotheses(ctx, importID)
	if err != nil {
		return nil, err
	}
	hypotheses := make([]extract.Hypothesis, len(rows))
	for i, row := range rows {
		hypotheses[i] = extract.Hypothesis{ID: row.HypothesisID.String(), Statement: row.Statement}
	}
	return hypotheses, nil
}

// chunkOf is a row of the plan.
func chunkOf(row db.PrivateImportChunk) extract.Chunk {
	return extract.Chunk{
		From: int(row.UtteranceFrom), To: int(row.UtteranceTo),
		ByteStart: int(row.ByteStart), ByteEnd: int(row.ByteEnd),
	}
}
