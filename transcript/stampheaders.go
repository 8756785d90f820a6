package transcript

import (
	"strings"

	"research/transcript/internal/plain"
)

// stampHeader returns the function that reads times in a style as headers without names.
func stampHeader(style stampStyle) headerFunc {
	return func(line string) (turnHeader, bool) {
		at, ok := style.read(line)
		return turnHeader{stamp: at}, ok
	}
}

// timestampNameHeader reads "[00:01:23] Dana Weber" with the words below, as in Descript and Trint.
func timestampNameHeader(line string) (turnHeader, bool) {
	if len(line) > plain.MaxLabel {
		return turnHeader{}, false
	}
	at, ok := timestampHeader(line)
	name := strings.TrimSuffix(at.rest, ":")
	if !ok || nameShapeOf(name) == notName {
		return turnHeader{}, false
	}
	at.rest = ""
	return turnHeader{stamp: at, speaker: name, believed: true}, true
}

// stampedHeader reads the same, and a time that stands alone, as Word has it where it does not know who speaks.
func stampedHeader(line string) (turnHeader, bool) {
	if at, ok := timestampHeader(line); ok && at.rest == "" && len(line) <= plain.MaxLabel {
		return turnHeader{stamp: at, believed: true}, true
	}
	return timestampNameHeader(line)
}

// dashedNameHeader reads Happy Scribe's "[00:00:03.000] - Dana Weber", whose name need not recur.
func dashedNameHeader(line string) (turnHeader, bool) {
	at, ok := bracketedTimestamp(line[:min(len(line), plain.MaxLabel)])
	isFine := strings.Contains(strings.TrimSuffix(line, at.rest), ".")
	if !ok || !isFine || !plain.HasAnyPrefix(at.rest, " - ", " – ") {
		return turnHeader{}, false
	}
	h, ok := timestampNameHeader(line)
	return h, ok && !plain.EndsSentence(h.speaker)
}
