package extract

import (
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"

	"research/transcript"
)

// A Chunk is a part of a transcript: bytes [ByteStart, ByteEnd) of its text, which are in the utterances [From, To).
type Chunk struct {
	From, To           int
	ByteStart, ByteEnd int
}

// The size of a chunk: of gold spans with a median of 525 words, 84 % lie wholly within chunks of 3,000 words with 15 % overlap, 75 % with 2,000
// (measured on QMSum).
const (
	chunkWords   = 3000
	overlapShare = 0.15
)

// bytesPerToken is a safe guess where the tokenizer is unknown: English has 3.3 to 4.8 bytes a token, Hindi, Chinese and Arabic
// as few as 2.6.
const bytesPerToken = 2.5

// Whole is the chunk that covers everything.
func Whole(t *transcript.Transcript) Chunk {
	return Chunk{0, len(t.Utterances), 0, len(t.Text)}
}

// PlanChunks cuts a transcript by utterance into chunks of about 3,000 words, or fewer where maxTokens (0: no limit) is smaller; each begins with
// the last 15 % of the one before. The tokens are those of the utterances as the prompt writes them, with ids and names. An utterance that is larger than a
// chunk is cut at white space.
func PlanChunks(t *transcript.Transcript, maxTokens int) []Chunk {
	maxBytes := math.MaxInt
	if maxTokens > 0 {
		maxBytes = max(int(float64(maxTokens)*bytesPerToken), minChunkBytes)
	}
	pieces := cutPieces(t, maxBytes)
	var chunks []Chunk
	for first := 0; first < len(pieces); {
		words, bytes, end := 0, 0, first
		for end < len(pieces) && (end == first || words+pieces[end].words <= chunkWords && bytes+pieces[end].written <= maxBytes) {
			words += pieces[end].words
			bytes += pieces[end].written
			end++
		}
		chunks = append(chunks, chunkOf(t, pieces[first].start, pieces[end-1].end, pieces[first].utterance, pieces[end-1].utterance+1))
		if end == len(pieces) {
			break
		}
		next, shared := end, 0
		for next-1 > first && float64(shared+pieces[next-1].words) <= overlapShare*float64(words) {
			next--
			shared += pieces[next].words
		}
		first = next
	}
	return chunks
}

// minChunkBytes is about a hundred words: where a server cannot read that, it cannot be used.
const minChunkBytes = 512

// A piece is an utterance, or a part of one that is too large.
type piece struct {
	utterance, start, end int
	words                 int
	written               int // bytes in a prompt
}

func cutPieces(t *transcript.Transcript, maxBytes int) []piece {
	var pieces []piece
	for i, u := range t.Utterances {
		label := labelBytes(i, u)
		room := max(maxBytes-label, minChunkBytes/2)
		for start := u.ByteStart; start < u.ByteEnd; {
			end := clip(t.Text, start, u.ByteEnd, chunkWords, room)
			pieces = append(pieces, piece{i, start, end, countWords(t.Text[start:end]), end - start + label})
			start = end
		}
	}
	return pieces
}

// labelBytes is what the prompt writes around an utterance: "[u12] Name: " and the line's end.
func labelBytes(ordinal int, u transcript.Utterance) int {
	n := len("[u] \n") + len(strconv.Itoa(ordinal))
	if u.Speaker != "" {
		n += len(u.Speaker) + len(": ")
	}
	return n
}

// clip finds where a piece ends that begins at start: after at most so many words and bytes, at white space where there is any. It ends after start.
func clip(text string, start, end, words, bytes int) int {
	halves, lastSpace := 0, 0
	inWord := false
	for i, r := range text[start:end] {
		if i > 0 && (halves >= 2*words || i+utf8.RuneLen(r) > bytes) && !unicode.Is(unicode.M, r) {
			if lastSpace > 0 {
				return start + lastSpace
			}
			return start + i
		}
		space := unicode.IsSpace(r)
		switch {
		case standsAlone(r):
			halves++
		case space && inWord:
			lastSpace = i
		case !space && !inWord:
			halves += 2
		}
		inWord = !space && !standsAlone(r)
	}
	return end
}

// countWords counts words, and two characters of a script without spaces as one.
func countWords(s string) int {
	words, ideographs := 0, 0
	inWord := false
	for _, r := range s {
		switch {
		case standsAlone(r):
			ideographs++
			inWord = false
		case unicode.IsSpace(r):
			inWord = false
		case !inWord:
			words++
			inWord = true
		}
	}
	return words + ideographs/2
}

func chunkOf(t *transcript.Transcript, start, end, from, to int) Chunk {
	for start < end && unicode.IsSpace(rune(t.Text[start])) {
		start++
	}
	return Chunk{From: from, To: to, ByteStart: start, ByteEnd: end}
}

// minSplitBytes is about forty words: where a server cannot read that, less will not help.
const minSplitBytes = 256

// Split halves a chunk: between utterances, or within a single one. It returns false where the chunk is too small.
func Split(t *transcript.Transcript, c Chunk) (Chunk, Chunk, bool) {
	if c.To-c.From > 1 {
		middle, best := (c.ByteStart+c.ByteEnd)/2, c.From+1
		for i := c.From + 1; i < c.To; i++ {
			if t.Utterances[i].ByteStart <= middle {
				best = i
			}
		}
		left := Chunk{c.From, best, c.ByteStart, min(t.Utterances[best-1].ByteEnd, c.ByteEnd)}
		right := Chunk{best, c.To, max(t.Utterances[best].ByteStart, c.ByteStart), c.ByteEnd}
		return left, right, true
	}
	if c.ByteEnd-c.ByteStart < 2*minSplitBytes {
		return Chunk{}, Chunk{}, false
	}
	middle := clip(t.Text, c.ByteStart, c.ByteEnd, len(t.Text), (c.ByteEnd-c.ByteStart)/2)
	for middle > c.ByteStart && !utf8.RuneStart(t.Text[middle]) {
		middle--
	}
	if middle <= c.ByteStart || middle >= c.ByteEnd {
		return Chunk{}, Chunk{}, false
	}
	return chunkOf(t, c.ByteStart, middle, c.From, c.To), chunkOf(t, middle, c.ByteEnd, c.From, c.To), true
}
