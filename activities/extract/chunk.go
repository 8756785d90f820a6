package extract

import (
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"

	"research/internal/words"
	"research/transcript"
)

// A Chunk is a part of a transcript: bytes [ByteStart, ByteEnd) of its text, which lie in the utterances
// [From, To).
type Chunk struct {
	From, To           int
	ByteStart, ByteEnd int
}

// Size returns the length of the chunk's text in bytes.
func (c Chunk) Size() int { return c.ByteEnd - c.ByteStart }

// The size of a chunk. Of the gold spans of QMSum (median 525 words), 84 % lie within one chunk of 3,000
// words with 15 % overlap, and 75 % with 2,000 words.
const (
	chunkWords   = 3000
	overlapShare = 0.15
)

// BytesPerToken is a safe guess for an unknown tokenizer: English has 3.3 to 4.8 bytes per token; Hindi,
// Chinese and Arabic have as few as 2.6.
const BytesPerToken = 2.5

// minChunkBytes is about a hundred words. A server that cannot read that much is of no use.
const minChunkBytes = 512

// Whole returns the chunk that covers the whole transcript.
func Whole(t *transcript.Transcript) Chunk {
	return Chunk{From: 0, To: len(t.Utterances), ByteStart: 0, ByteEnd: len(t.Text)}
}

// PlanChunks divides a transcript by utterance into chunks of about 3,000 words, or of maxTokens if that is
// less; 0 means no limit. Each chunk begins with the last 15 % of the one before. Tokens are counted as the
// prompt writes the utterances, with ids and names. An utterance larger than a chunk is divided at white
// space.
func PlanChunks(t *transcript.Transcript, maxTokens int) []Chunk {
	maxBytes := math.MaxInt
	if maxTokens > 0 {
		maxBytes = max(int(float64(maxTokens)*BytesPerToken), minChunkBytes)
	}
	pieces := splitUtterances(t, maxBytes)
	var chunks []Chunk
	for first := 0; first < len(pieces); {
		count, end := fillChunk(pieces, first, maxBytes)
		chunks = append(chunks, newChunk(t, pieces[first], pieces[end-1]))
		if end == len(pieces) {
			break
		}
		first = overlapStart(pieces, first, end, count)
	}
	return chunks
}

// fillChunk returns the end of the chunk that begins with the piece first, and the number of its words.
func fillChunk(pieces []piece, first, maxBytes int) (count, end int) {
	bytes := 0
	end = first
	for end < len(pieces) {
		next := pieces[end]
		if end > first && (count+next.words > chunkWords || bytes+next.promptBytes > maxBytes) {
			break
		}
		count += next.words
		bytes += next.promptBytes
		end++
	}
	return count, end
}

// overlapStart returns the first piece of the chunk after pieces[first:end], which has count words.
func overlapStart(pieces []piece, first, end, count int) int {
	next, shared := end, 0
	for next-1 > first && float64(shared+pieces[next-1].words) <= overlapShare*float64(count) {
		next--
		shared += pieces[next].words
	}
	return next
}

// A piece is an utterance, or a part of one that is too large for a chunk.
type piece struct {
	utterance, start, end int
	words                 int
	promptBytes           int
}

func splitUtterances(t *transcript.Transcript, maxBytes int) []piece {
	var pieces []piece
	for i, u := range t.Utterances {
		prefix := prefixBytes(i, u)
		room := max(maxBytes-prefix, minChunkBytes/2)
		for start := u.ByteStart; start < u.ByteEnd; {
			end := words.Cut(t.Text, start, u.ByteEnd, chunkWords, room)
			pieces = append(pieces, piece{
				utterance: i, start: start, end: end,
				words:       words.Count(t.Text[start:end]),
				promptBytes: end - start + prefix,
			})
			start = end
		}
	}
	return pieces
}

// prefixBytes is the size of what the prompt writes around an utterance: "[u12] Name: " and a line break.
func prefixBytes(ordinal int, u transcript.Utterance) int {
	n := len("[u] \n") + len(strconv.Itoa(ordinal))
	if u.Speaker != "" {
		n += len(u.Speaker) + len(": ")
	}
	return n
}

func newChunk(t *transcript.Transcript, first, last piece) Chunk {
	start := first.start
	for start < last.end && unicode.IsSpace(rune(t.Text[start])) {
		start++
	}
	return Chunk{From: first.utterance, To: last.utterance + 1, ByteStart: start, ByteEnd: last.end}
}

// minSplitBytes is about forty words. If a server cannot read that much, a smaller chunk will not help.
const minSplitBytes = 256

// Split halves a chunk, between utterances or within a single one. It returns false if the chunk is too
// small.
func Split(t *transcript.Transcript, c Chunk) (Chunk, Chunk, bool) {
	if c.To-c.From > 1 {
		left, right := splitBetween(t, c)
		return left, right, true
	}
	if c.ByteEnd-c.ByteStart < 2*minSplitBytes {
		return Chunk{}, Chunk{}, false
	}
	middle := words.Cut(t.Text, c.ByteStart, c.ByteEnd, len(t.Text), (c.ByteEnd-c.ByteStart)/2)
	for middle > c.ByteStart && !utf8.RuneStart(t.Text[middle]) {
		middle--
	}
	if middle <= c.ByteStart || middle >= c.ByteEnd {
		return Chunk{}, Chunk{}, false
	}
	left := piece{utterance: c.From, start: c.ByteStart, end: middle}
	right := piece{utterance: c.From, start: middle, end: c.ByteEnd}
	return newChunk(t, left, left), newChunk(t, right, right), true
}

// splitBetween halves a chunk of several utterances at the utterance that begins before its middle.
func splitBetween(t *transcript.Transcript, c Chunk) (left, right Chunk) {
	middle, boundary := (c.ByteStart+c.ByteEnd)/2, c.From+1
	for i := c.From + 1; i < c.To; i++ {
		if t.Utterances[i].ByteStart <= middle {
			boundary = i
		}
	}
	left = Chunk{
		From: c.From, To: boundary,
		ByteStart: c.ByteStart, ByteEnd: min(t.Utterances[boundary-1].ByteEnd, c.ByteEnd),
	}
	right = Chunk{
		From: boundary, To: c.To,
		ByteStart: max(t.Utterances[boundary].ByteStart, c.ByteStart), ByteEnd: c.ByteEnd,
	}
	return left, right
}
