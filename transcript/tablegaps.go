package transcript

import (
	"strings"

	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// Bounds on a table that names speakers only where they change.
const (
	minGaps     = 2 // the least number of rows, or of consecutive rows, without a speaker
	certainGaps = 4 // fewer may be chance
)

// fillSpeakers carries each speaker forward to the rows below that name none, if the table names speakers
// only where they change: neighbouring rows name different people, and so do the rows around each gap. Where
// somebody unknown speaks, the row below a gap often names the person above it.
func fillSpeakers(l *turn.List) {
	pairs, same, gaps := 0, 0, 0
	above, gap := "", false
	for _, t := range l.Turns {
		switch {
		case isRowNote(t):
			continue
		case t.Speaker == "":
			gap = true
			continue
		case above == "":
		case gap && t.Speaker == above:
			return
		case gap:
			gaps++
		default:
			pairs++
			if t.Speaker == above {
				same++
			}
		}
		above, gap = t.Speaker, false
	}
	if gaps < minGaps || pairs < gaps || same*20 > pairs {
		return
	}
	above = ""
	for i := range l.Turns {
		switch t := &l.Turns[i]; {
		case t.Speaker != "":
			above = t.Speaker
		case above != "" && !isRowNote(*t):
			t.Speaker, t.Doubtful = above, gaps < certainGaps
		}
	}
}

// isRowNote reports whether a row without a speaker is a note in brackets.
func isRowNote(t turn.Turn) bool {
	text := strings.TrimSpace(t.Text)
	return t.Speaker == "" && text != "" && strings.ContainsAny(text[:1], "([") &&
		speaker.TrimBrackets(text) != text
}
