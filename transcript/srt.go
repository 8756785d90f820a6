package transcript

// parseSRT reads SubRip, and WebVTT without its header: both are blocks with "00:00:01,000 --> 00:00:02,000".
func parseSRT(text string) turnList {
	cues, ok := parseCues(text, arrowTiming, noComment)
	if !ok {
		return turnList{exceeded: true}
	}
	return captionTurns(cues)
}

// isSRT reports whether a text has a timing among its first lines. A title may be before it.
func isSRT(text string) bool { return hasTiming(text, arrowTiming, 20) }

func noComment(string) bool { return false }
