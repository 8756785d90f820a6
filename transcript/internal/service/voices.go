package service

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/turn"
)

// A spokenWord is a word of a segment, which may have a speaker of its own.
type spokenWord struct {
	text, speaker string
	start, end    scalar
}

// splitByVoices divides a segment where its words have other speakers, as WhisperX and others have them
// beside the speaker of most words. A word without a speaker is said by whom the word before it is.
func splitByVoices(whole turn.Turn, raw json.RawMessage, unit clock.Unit) []turn.Turn {
	words := voicedWords(raw)
	voices := map[string]bool{}
	for _, w := range words {
		voices[w.speaker] = true
	}
	if len(voices) == 0 || len(voices) == 1 && (voices[""] || voices[whole.Speaker]) {
		return []turn.Turn{whole}
	}
	var parts []turn.Turn
	rest := whole.Text
	for i, w := range words {
		from := strings.Index(rest, w.text)
		if from < 0 {
			return []turn.Turn{whole} // the words are not those of the text
		}
		if i == 0 || w.speaker != words[i-1].speaker {
			said := newTurn(unit, scalar{}, "", w.start, w.end)
			if i == 0 || !said.Timed {
				said.Start, said.Timed = whole.Start, whole.Timed
			}
			said.Speaker = cmp.Or(w.speaker, whole.Speaker)
			if n := len(parts); n > 0 {
				parts[n-1].Text += rest[:from]
				rest, from = rest[from:], 0
			}
			parts = append(parts, said)
		}
		last := &parts[len(parts)-1]
		if end, ok := unit(w.end.text); ok && end > last.End {
			last.End, last.Ended = end, last.Timed
		}
		last.Text += rest[:from+len(w.text)]
		rest = rest[from+len(w.text):]
	}
	last := &parts[len(parts)-1]
	last.Text += rest
	last.End, last.Ended = max(last.End, whole.End), last.Ended || whole.Ended
	return parts
}

// voicedWords returns the words of a segment, each with a speaker if one of them has one.
func voicedWords(raw json.RawMessage) []spokenWord {
	if !isList(raw) {
		return nil
	}
	var words []spokenWord
	Each(raw, func(s speechSegment) bool {
		text := strings.TrimSpace(s.ownText())
		if text != "" {
			start, _ := s.start()
			words = append(words, spokenWord{text, s.who().speaker(), start, s.end()})
		}
		return len(words) <= turn.Max
	})
	known := ""
	for i := range words {
		known = cmp.Or(words[i].speaker, known)
		words[i].speaker = known
	}
	known = ""
	for i := range slices.Backward(words) {
		known = cmp.Or(words[i].speaker, known)
		words[i].speaker = known
	}
	return words
}
