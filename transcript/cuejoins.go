package transcript

import (
	"time"

	"research/transcript/internal/format"
	"research/transcript/internal/plain"
)

const (
	// maxJoinGap is the longest pause within a sentence that captions divide.
	maxJoinGap = 4 * time.Second
	// maxJoinTime and maxJoinBytes bound what cues become together, since some captions have no full stops.
	maxJoinTime  = 30 * time.Second
	maxJoinBytes = 600
)

// joinCues joins the cues of a sentence that one speaker says, so that it can be quoted whole. Cues without a
// speaker stay as they are: they may be of two people. Offsets do not change, as each line break between two
// cues becomes a space.
func (t *Transcript) joinCues() {
	if !hasCues(t.Format) {
		return
	}
	text := []byte(t.Text)
	places := make([]int, len(t.Utterances)) // of each cue among what they become
	joined := t.Utterances[:0:0]
	for i, u := range t.Utterances {
		if n := len(joined); n > 0 && belongs(joined[n-1], u) {
			last := &joined[n-1]
			text[last.ByteEnd] = ' '
			last.End, last.ByteEnd = max(last.End, u.End), u.ByteEnd
			last.Text = string(text[last.ByteStart:last.ByteEnd])
			last.Confidence = min(last.Confidence, u.Confidence)
		} else {
			joined = append(joined, u)
		}
		places[i] = len(joined) - 1
	}
	if len(joined) == len(t.Utterances) {
		return
	}
	t.Text, t.Utterances = string(text), joined
	for i := range joined {
		joined[i].Text = t.Text[joined[i].ByteStart:joined[i].ByteEnd]
	}
	t.Doubts = doubtsAt(t.Doubts, places)
}

// hasCues reports whether a format divides speech by what fits on a screen.
func hasCues(f format.Format) bool {
	switch f {
	case format.WebVTT, format.SubRip, format.SubViewer, format.ASS, format.TTML, format.TeamsDocx:
		return true
	}
	return false
}

// belongs reports whether a cue goes on with the sentence of the one before it.
func belongs(before, cue Utterance) bool {
	return before.Speaker != "" && before.Speaker == cue.Speaker && before.Timed && cue.Timed &&
		(cue.Start-before.End).Abs() <= maxJoinGap && cue.End-before.Start <= maxJoinTime &&
		cue.ByteEnd-before.ByteStart <= maxJoinBytes && !plain.EndsSentence(before.Text)
}

// doubtsAt moves doubts to the places that their utterances have now. Of one place, the most doubtful stays.
func doubtsAt(doubts []Doubt, places []int) []Doubt {
	seen := map[int]bool{}
	kept := doubts[:0]
	for _, d := range doubts {
		if d.Ordinal = places[d.Ordinal]; !seen[d.Ordinal] {
			seen[d.Ordinal] = true
			kept = append(kept, d)
		}
	}
	return kept
}
