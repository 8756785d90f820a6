package activities

import (
	"encoding/json"
	"fmt"
	"slices"

	"research/activities/extract"
	"research/outcome"
	"research/transcript"
)

// A chunkState is how far the reading of a chunk is. A chunk that is too long, or whose response is unusable,
// is read in parts, from left to right.
type chunkState struct {
	parts  []extract.Part // to be read
	keys   [][]byte       // of the responses
	unread []unreadRange
}

func newChunkState(chunk extract.Chunk) chunkState {
	return chunkState{parts: []extract.Part{{Chunk: chunk}}}
}

// done reports whether nothing is left to read.
func (s chunkState) done() bool { return len(s.parts) == 0 }

// after returns the state after the response about the first part. A part that cannot be split, of which
// smaller ones would fail in the same way, or that the model refuses, is an unread range.
func (s chunkState) after(t *transcript.Transcript, key responseKey, stored storedResponse) chunkState {
	part := s.parts[0]
	next := chunkState{parts: s.parts[1:], keys: s.keys, unread: s.unread}
	if stored.Failed == "" {
		next.keys = append(slices.Clone(s.keys), key[:])
		return next
	}
	instead := part.After(t, extract.PartFailure{
		Code: stored.Failed, Skipped: stored.Skipped, Final: stored.Final,
	})
	if len(instead) == 0 {
		next.unread = append(slices.Clone(s.unread), unread(part.Chunk, stored.Failed))
	}
	next.parts = append(instead, next.parts...)
	return next
}

// columns returns the state as the row of the chunk has it. Neither may be null.
func (s chunkState) columns() (keys [][]byte, unread json.RawMessage, err error) {
	keys = s.keys
	if keys == nil {
		keys = [][]byte{}
	}
	ranges := s.unread
	if ranges == nil {
		ranges = []unreadRange{}
	}
	unread, err = json.Marshal(ranges)
	if err != nil {
		return nil, nil, fmt.Errorf("encode the unread ranges: %w", err)
	}
	return keys, unread, nil
}

// An unreadRange is a part of a transcript that was not read. From and To are ordinals of utterances, both
// included.
type unreadRange struct {
	From      int          `json:"from"`
	To        int          `json:"to"`
	Reason    outcome.Code `json:"reason"`
	ByteStart int          `json:"byte_start"`
	ByteEnd   int          `json:"byte_end"`
}

func unread(chunk extract.Chunk, reason outcome.Code) unreadRange {
	return unreadRange{chunk.From, chunk.To - 1, reason, chunk.ByteStart, chunk.ByteEnd}
}
