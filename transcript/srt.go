package transcript

import "strings"

// parseSRT reads SubRip, and WebVTT whose header was lost: both are blocks under "00:00:01,000 --> 00:00:02,000".
func parseSRT(text string) turns {
	cues, ok := readCues(text, arrow, func(string) bool { return false })
	if !ok {
		return turns{full: true}
	}
	return speak(cues)
}

// isSRT holds for a text with a timing among its first lines; a title may come before.
func isSRT(text string) bool { return startsWithTiming(text, arrow, 20) }

// startsWithTiming says whether one of the first lines is a timing.
func startsWithTiming(text string, timed timing, limit int) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if _, _, ok := timed(line); ok {
			return true
		}
		if blank(line) {
			continue
		}
		if limit--; limit == 0 {
			break
		}
	}
	return false
}
