package extract

import (
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
// the last 15 % of the one before. An utterance that is larger than a chunk is cut at white space.
func PlanChunks(t *transcript.Transcript, maxTokens int) []Chunk {
	maxBytes := len(t.Text) + 1
	if maxTokens > 0 {
		maxBytes = max(int(float64(maxTokens)*bytesPerToken), 256)
	}
	pieces := cutPieces(t, maxBytes)
	var chunks []Chunk
	for first := 0; first < len(pieces); {
		words, end := 0, first
		for end < len(pieces) && (end == first || words+pieces[end].words <= chunkWords && pieces[end].end-pieces[first].start <= maxBytes) {
			words += pieces[end].words
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

// A piece is an utterance, or a part of one that is too large.
type piece struct {
	utterance, start, end, words int
}

func cutPieces(t *transcript.Transcript, maxBytes int) []piece {
	var pieces []piece
	for i, u := range t.Utterances {
		for start := u.ByteStart; start < u.ByteEnd; {
			end := clip(t.Text, start, u.ByteEnd, chunkWords, maxBytes)
			pieces = append(pieces, piece{i, start, end, countWords(t.Text[start:end])})
			start = end
		}
	}
	return pieces
}

// clip finds where a piece ends that begins at start: after at most so many words and bytes, at white space where there is any.
func clip(text string, start, end, words, bytes int) int {
	if end-start <= bytes && countWords(text[start:end]) <= words {
		return end
	}
	n, last := 0, 0
	inWord := false
	for i, r := range text[start:end] {
		space := unicode.IsSpace(r)
		if space && inWord {
			n++
			last = i
		}
		inWord = !space
		if i > 0 && (n >= words || i >= bytes) {
			if last > 0 {
				return start + last
			}
			return start + i
		}
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
