package transcript

import (
	"strings"
	"time"

	"research/transcript/internal/clock"
	"research/transcript/internal/turn"
)

// parseSBV reads SubViewer as YouTube writes it: "0:00:01.000,0:00:03.000", the words below.
func parseSBV(text string) turn.List {
	cues, ok := parseCues(text, commaTiming, noComment)
	if !ok {
		return turn.List{Exceeded: true}
	}
	return captionTurns(cues)
}

// isSBV reports whether a text begins with such a timing.
func isSBV(text string) bool { return hasTiming(text, commaTiming, 3) }

func commaTiming(line string) (start, end time.Duration, ok bool) {
	start, rest, ok := clock.ParseTimestamp(strings.TrimSpace(line))
	if !ok {
		return 0, 0, false
	}
	rest, ok = strings.CutPrefix(rest, ",")
	if !ok {
		return 0, 0, false
	}
	end, rest, ok = clock.ParseTimestamp(strings.TrimLeft(rest, " "))
	return start, end, ok && rest == ""
}
