package transcript

import (
	"strings"
	"time"

	"research/transcript/internal/turn"
)

// parseSRT reads SubRip, and WebVTT without its header: both are blocks with "00:00:01,000 --> 00:00:02,000".
func parseSRT(text string) turn.List {
	text, _ = closeUpCaptions(text)
	cues, ok := parseCues(text, arrowTiming, noComment)
	if !ok {
		return turn.List{Exceeded: true}
	}
	return captionTurns(cues)
}

// isSRT reports whether a text has a timing among its first lines. A title may be before it.
func isSRT(text string) bool { return hasTiming(text, srtTiming, 20) }

// srtTiming is an arrowTiming with nothing but settings behind it. Words there are those of a text with
// times.
func srtTiming(line string) (start, end time.Duration, ok bool) {
	_, after, _ := strings.Cut(line, "-->")
	fields := strings.Fields(after)
	if len(fields) > 1 && !strings.Contains(strings.TrimRight(fields[1], ":"), ":") {
		return 0, 0, false
	}
	return arrowTiming(line)
}

func noComment(string) bool { return false }
