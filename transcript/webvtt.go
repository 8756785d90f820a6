package transcript

import "strings"

// parseWebVTT reads WebVTT (https://www.w3.org/TR/webvtt1/) as Zoom, Teams, Meet, YouTube and editors write it.
func parseWebVTT(text string) turns {
	cues, ok := readCues(text, arrow, vttComment)
	if !ok {
		return turns{full: true}
	}
	return speak(cues)
}

// isWebVTT holds for the signature: "WEBVTT", alone or followed by white space.
func isWebVTT(text string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \t\n"), "WEBVTT")
	return ok && (rest == "" || strings.ContainsRune(" \t\n", rune(rest[0])))
}

// vttComment holds for the first line of a block that is no cue.
func vttComment(line string) bool {
	for _, word := range []string{"NOTE", "STYLE", "REGION"} {
		if rest, ok := strings.CutPrefix(line, word); ok && (blank(rest) || word == "NOTE" && (rest[0] == ' ' || rest[0] == '\t')) {
			return true
		}
	}
	return false
}

// vttLanguage is the language that the header names (YouTube writes "Language: en").
func vttLanguage(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if blank(line) || strings.Contains(line, "-->") {
			return ""
		}
		if tag, ok := strings.CutPrefix(line, "Language:"); ok {
			return languageCode(tag)
		}
	}
	return ""
}
