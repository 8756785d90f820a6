package transcript

import (
	"strings"
	"time"
)

// parseSBV reads SubViewer as YouTube writes it: "0:00:01.000,0:00:03.000", and the words below.
func parseSBV(text string) turns {
	cues, ok := readCues(text, commaTimes, func(string) bool { return false })
	if !ok {
		return turns{full: true}
	}
	return speak(cues)
}

func commaTimes(line string) (start, end time.Duration, ok bool) {
	start, rest, ok := clock(strings.TrimSpace(line))
	if !ok {
		return 0, 0, false
	}
	rest, ok = strings.CutPrefix(rest, ",")
	if !ok {
		return 0, 0, false
	}
	end, rest, ok = clock(strings.TrimLeft(rest, " "))
	return start, end, ok && rest == ""
}

// isSBV holds for a text whose first line is such a pair of times.
func isSBV(text string) bool { return startsWithTiming(text, commaTimes, 3) }
