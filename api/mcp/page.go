package mcp

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"unicode/utf8"

	"research/api/problem"
)

// maxLength is how much of a result the model reads, in characters of its JSON: what clients show whole.
const maxLength = 25_000

// envelope is how much of a result is beside its list: notices, the cursor, counts.
const envelope = 1500

// fit returns how many of the items a result has room for. The first one always has.
func fit[T any](items []T) int {
	length := envelope
	for i, item := range items {
		length += lengthOf(item)
		if length > maxLength && i > 0 {
			return i
		}
	}
	return len(items)
}

// lengthOf is the number of characters that an item takes in a list.
func lengthOf(item any) int {
	text, err := problem.Encode(item)
	if err != nil {
		return maxLength // it ends the result, whose encoding then fails
	}
	return utf8.RuneCount(text) + 1
}

// A place is where the next result begins: an element of a list, and how much of it was read. What the two
// numbers count depends on the tool. The zero place is the beginning.
type place struct{ part, offset int }

// maxPart and maxOffset bound the places that a cursor may name. No transcript has as many turns, no turn as
// many characters, and nobody as many projects.
const (
	maxPart   = 1 << 24
	maxOffset = 1 << 20
)

// hashBytes is how many bytes of the hash of the arguments a cursor has.
const hashBytes = 8

// cursor returns the cursor for a place in the result of a tool for some arguments. Its form means nothing to
// clients.
func (p place) cursor(of ...string) string {
	raw := hashOf(of)
	for _, n := range []int{p.part, p.offset} {
		raw = binary.AppendUvarint(raw, uint64(n)) //nolint:gosec // not negative
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// readCursor returns the place of a cursor, and the beginning for an empty one. Its error is errCursor.
func readCursor(cursor string, of ...string) (place, error) {
	if cursor == "" {
		return place{}, nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cut(cursor, 64))
	if err != nil || len(raw) <= hashBytes || string(raw[:hashBytes]) != string(hashOf(of)) {
		return place{}, errCursor
	}
	raw = raw[hashBytes:]
	part, n := binary.Uvarint(raw)
	if n <= 0 || part > maxPart {
		return place{}, errCursor
	}
	offset, m := binary.Uvarint(raw[n:])
	if m != len(raw)-n || offset > maxOffset {
		return place{}, errCursor
	}
	return place{int(part), int(offset)}, nil
}

// hashOf tells the arguments of calls apart. Cursors are no secrets: whoever forges one reads from another
// place what they may read anyway.
func hashOf(of []string) []byte {
	hash := sha256.New()
	for _, text := range of {
		_ = binary.Write(hash, binary.BigEndian, uint64(len(text))) // a hash has no errors
		hash.Write([]byte(text))
	}
	return hash.Sum(nil)[:hashBytes]
}

var errCursor = problem.Invalid("cursor",
	"cursor is not one that this tool returned for these arguments. Leave it out to start from the beginning.")
