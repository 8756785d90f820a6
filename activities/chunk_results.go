package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"research/activities/extract"
	"research/db"
)

// chunkResults is what all chunks of a plan came to.
type chunkResults struct {
	responses []extract.ChunkResult
	unread    []unreadRange
	read      []byteRange // overlap, as chunks do
}

// A byteRange is a part of a transcript, from start up to but not including end.
type byteRange struct{ start, end int }

// loadChunkResults loads the stored responses and the unread ranges of a plan.
func loadChunkResults(ctx context.Context, q *db.Queries, ref ParseRef) (chunkResults, error) {
	results := chunkResults{unread: []unreadRange{}}
	chunks, err := q.ListChunks(ctx, db.ListChunksParams{ImportID: ref.ImportID, ClaimID: ref.ClaimID})
	if err != nil {
		return results, err
	}
	var keys [][]byte
	for _, chunk := range chunks {
		keys = append(keys, chunk.AnswerKeys...)
	}
	rows, err := q.ListChunkAnswers(ctx, db.ListChunkAnswersParams{ImportID: ref.ImportID, Keys: keys})
	if err != nil {
		return results, err
	}
	responses := map[string]json.RawMessage{}
	for _, row := range rows {
		responses[string(row.Key)] = row.Answer
	}
	for _, chunk := range chunks {
		if err := results.add(chunk, responses); err != nil {
			return results, err
		}
	}
	return results, nil
}

// add adds the results of one chunk.
func (r *chunkResults) add(chunk db.PrivateImportChunk, responses map[string]json.RawMessage) error {
	var unread []unreadRange
	if err := json.Unmarshal(chunk.Unread, &unread); err != nil {
		return fmt.Errorf("decode the unread ranges of a chunk: %w", err)
	}
	r.unread = append(r.unread, unread...)
	if chunk.DoneAt != nil {
		r.read = append(r.read, between(unread, int(chunk.ByteStart), int(chunk.ByteEnd))...)
	}
	for _, key := range chunk.AnswerKeys {
		var response extract.Response
		if err := json.Unmarshal(responses[string(key)], &response); err != nil {
			return fmt.Errorf("decode a stored response: %w", err)
		}
		r.responses = append(r.responses, extract.ChunkResult{Chunk: chunkOf(chunk), Response: response})
	}
	return nil
}

// between returns what was read from start to end. The unread ranges are in order, because a chunk is read
// from left to right. The line feed between two unread ranges was not read either.
func between(unread []unreadRange, start, end int) []byteRange {
	var read []byteRange
	for _, u := range append(unread, unreadRange{ByteStart: end}) {
		if u.ByteStart > start+1 {
			read = append(read, byteRange{start, u.ByteStart})
		}
		start = u.ByteEnd
	}
	return read
}

// nothingRead reports whether there was something to read and none of it was read.
func (r chunkResults) nothingRead() bool { return len(r.responses) == 0 && len(r.unread) > 0 }

// coverage is the part of a transcript of total bytes that was read, rounded to a thousandth.
func (r chunkResults) coverage(total int) float64 {
	if total == 0 {
		return 0
	}
	slices.SortFunc(r.read, func(a, b byteRange) int { return a.start - b.start })
	read, end := 0, 0
	for _, b := range r.read {
		if end > 0 && b.start == end+1 {
			read++ // the line feed between two chunks belongs to neither
		}
		read += max(0, b.end-max(b.start, end))
		end = max(end, b.end)
	}
	return math.Round(1000*min(float64(read)/float64(total), 1)) / 1000
}
