package transcript

import (
	"strings"

	"research/transcript/internal/language"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// parseWebVTT reads WebVTT (https://www.w3.org/TR/webvtt1/) as Zoom, Teams, Meet, YouTube and editors write
// it.
func parseWebVTT(text string) turn.List {
	text, _ = closeUpCaptions(text)
	cues, ok := parseCues(text, arrowTiming, isVTTComment)
	if !ok {
		return turn.List{Exceeded: true}
	}
	return captionTurns(cues)
}

// isWebVTT reports whether a text has the signature "WEBVTT", alone or before white space.
func isWebVTT(text string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \t\n"), "WEBVTT")
	return ok && (rest == "" || strings.ContainsRune(" \t\n", rune(rest[0])))
}

// isVTTComment reports whether a line opens a block that is not a cue.
func isVTTComment(line string) bool {
	for _, keyword := range []string{"NOTE", "STYLE", "REGION"} {
		rest, ok := strings.CutPrefix(line, keyword)
		if ok && (plain.IsBlank(rest) || keyword == "NOTE" && (rest[0] == ' ' || rest[0] == '\t')) {
			return true
		}
	}
	return false
}

// vttLanguage returns the language in the header: YouTube writes "Language: en".
func vttLanguage(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if plain.IsBlank(line) || strings.Contains(line, "-->") {
			return ""
		}
		if tag, ok := strings.CutPrefix(line, "Language:"); ok {
			return language.Code(tag)
		}
	}
	return ""
}
