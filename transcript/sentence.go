package transcript

import (
	"strings"
	"time"

	"research/transcript/internal/plain"
)

// A sentenceBuilder joins words to turns, for services that return nothing else. A turn ends at the end of a
// sentence, a change of speaker, a long pause, or after maxSentenceWords.
type sentenceBuilder struct {
	list    *turnList
	unit    timeUnit
	current turn
	words   []string
	lastEnd time.Duration // of the last word
}

const (
	maxSentenceWords = 80
	longPause        = 2 * time.Second
)

func (b *sentenceBuilder) add(text string, speakerID, start, end scalar) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	speaker := speakerID.speaker()
	from, timed := b.unit(start.text)
	to, _ := b.unit(end.text)
	pause := timed && b.current.timed && from > b.lastEnd+longPause
	if len(b.words) > 0 && (speaker != b.current.speaker || len(b.words) >= maxSentenceWords || pause) {
		b.finish()
	}
	if len(b.words) == 0 {
		b.current = turn{speaker: speaker, start: from, timed: timed}
	}
	b.words = append(b.words, text)
	if timed && b.current.timed {
		b.current.end, b.current.ended, b.lastEnd = max(to, b.current.end), true, to
	}
	if isSentenceEnd(text) {
		b.finish()
	}
}

// attach adds a punctuation mark to the last word.
func (b *sentenceBuilder) attach(mark string) {
	mark = strings.TrimSpace(mark)
	if mark == "" {
		return
	}
	if n := len(b.words); n > 0 {
		b.words[n-1] += mark
		if isSentenceEnd(mark) {
			b.finish()
		}
		return
	}
	if n := len(b.list.turns); n > 0 {
		b.list.turns[n-1].text += mark
	}
}

// finish adds the words since the last turn.
func (b *sentenceBuilder) finish() {
	if len(b.words) > 0 {
		b.current.text = strings.Join(b.words, " ")
		b.list.add(b.current)
	}
	b.words = b.words[:0]
}

func isSentenceEnd(word string) bool { return plain.HasAnySuffix(word, ".", "?", "!", "。", "？") }
