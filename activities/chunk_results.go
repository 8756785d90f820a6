package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"research/activities/extract"
	"research/db"
)

// chunkResults are the results of all chunks of a plan.
type chunkResults struct {
	responses []extract.ChunkResult
	unread    []unreadRange
	read      map[string]extract.Ranges // by hypothesis
}

// loadChunkResults loads the stored responses and the unread ranges of a plan. existing are the hypotheses of
// the request that were not deleted.
func loadChunkResults(
	ctx context.Context, q *db.Queries, plan db.ListChunksParams, existing []extract.Hypothesis,
) (chunkResults, error) {
	results := chunkResults{unread: []unreadRange{}, read: map[string]extract.Ranges{}}
	chunks, err := q.ListChunks(ctx, plan)
	if err != nil {
		return results, err
	}
	var keys [][]byte
	for _, chunk := range chunks {
		keys = append(keys, chunk.ResponseKeys...)
	}
	rows, err := q.ListChunkResponses(ctx, db.ListChunkResponsesParams{ImportID: plan.ImportID, Keys: keys})
	if err != nil {
		return results, err
	}
	responses := map[string]json.RawMessage{}
	for _, row := range rows {
		responses[string(row.Key)] = row.Response
	}
	for _, chunk := range chunks {
		if err := results.add(chunk, responses, existing); err != nil {
			return results, err
		}
	}
	return results, nil
}

// add adds the results of one chunk.
func (r *chunkResults) add(
	chunk db.PrivateImportChunk, responses map[string]json.RawMessage, existing []extract.Hypothesis,
) error {
	var unread []unreadRange
	if err := json.Unmarshal(chunk.Unread, &unread); err != nil {
		return fmt.Errorf("decode the unread ranges of a chunk: %w", err)
	}
	r.unread = append(r.unread, unread...)
	if chunk.DoneAt != nil {
		read := readOf(chunk, unread)
		for _, h := range hypothesesOf(chunk, existing) {
			r.read[h.ID] = r.read[h.ID].Union(read)
		}
	}
	for _, key := range chunk.ResponseKeys {
		stored, err := decodeResponse(responses[string(key)])
		if err != nil {
			return err
		}
		r.responses = append(r.responses, extract.ChunkResult{Chunk: chunkOf(chunk), Response: stored.Response})
	}
	return nil
}

// readOf returns what was read of a chunk.
func readOf(chunk db.PrivateImportChunk, unread []unreadRange) extract.Ranges {
	var missing []extract.Range
	for _, u := range unread {
		missing = append(missing, extract.Range{Start: u.ByteStart, End: u.ByteEnd})
	}
	all := extract.Range{Start: int(chunk.ByteStart), End: int(chunk.ByteEnd)}
	return extract.Ranges{all}.Minus(extract.NewRanges(missing...))
}

// existingHypotheses returns the hypotheses of a request that were not deleted.
func existingHypotheses(chosen []db.ListChosenHypothesesRow) []extract.Hypothesis {
	existing := make([]extract.Hypothesis, len(chosen))
	for i, row := range chosen {
		existing[i] = extract.Hypothesis{ID: row.ID.String(), Statement: row.Statement}
	}
	return existing
}

// hypothesesOf returns the hypotheses that a chunk asks about and that still exist.
func hypothesesOf(chunk db.PrivateImportChunk, existing []extract.Hypothesis) []extract.Hypothesis {
	var asked []extract.Hypothesis
	for _, id := range chunk.Hypotheses {
		i := slices.IndexFunc(existing, func(h extract.Hypothesis) bool { return h.ID == id.String() })
		if i >= 0 {
			asked = append(asked, existing[i])
		}
	}
	return asked
}
