package service

import (
	"strings"
	"time"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// A sentenceBuilder joins words to turns, for services that return nothing else. A turn ends at the end of a
// sentence, a change of speaker, a long pause, or after maxSentenceWords.
type sentenceBuilder struct {
	list    *turn.List
	unit    clock.Unit
	current turn.Turn
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
	pause := timed && b.current.Timed && from > b.lastEnd+longPause
	if len(b.words) > 0 && (speaker != b.current.Speaker || len(b.words) >= maxSentenceWords || pause) {
		b.finish()
	}
	if len(b.words) == 0 {
		b.current = turn.Turn{Speaker: speaker, Start: from, Timed: timed}
	}
	b.words = append(b.words, text)
	if timed && b.current.Timed {
		b.current.End, b.current.Ended, b.lastEnd = max(to, b.current.End), true, to
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
	if n := len(b.list.Turns); n > 0 {
		b.list.Turns[n-1].Text += mark
	}
}

// finish adds the words since the last turn.
func (b *sentenceBuilder) finish() {
	if len(b.words) > 0 {
		b.current.Text = strings.Join(b.words, " ")
		b.list.Add(b.current)
	}
	b.words = b.words[:0]
}

func isSentenceEnd(word string) bool { return plain.HasAnySuffix(word, ".", "?", "!", "。", "？") }
