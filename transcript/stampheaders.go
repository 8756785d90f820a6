package transcript

import (
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// stampHeader returns the function that reads times in a style as headers without names.
func stampHeader(style clock.Style) headerFunc {
	return func(line string) (turnHeader, bool) {
		at, ok := style.Read(line)
		return turnHeader{Stamp: at}, ok
	}
}

// timestampNameHeader reads "[00:01:23] Dana Weber" with the words below, as in Descript and Trint.
func timestampNameHeader(line string) (turnHeader, bool) {
	if len(line) > plain.MaxLabel {
		return turnHeader{}, false
	}
	at, ok := clock.ReadStamp(line)
	name := strings.TrimSuffix(at.Rest, ":")
	if !ok || speaker.ShapeOf(name) == speaker.NotName {
		return turnHeader{}, false
	}
	at.Rest = ""
	return turnHeader{Stamp: at, speaker: name, believed: true}, true
}

// stampedHeader reads the same, and a time that stands alone, as Word has it where it does not know who
// speaks.
func stampedHeader(line string) (turnHeader, bool) {
	if at, ok := clock.ReadStamp(line); ok && at.Rest == "" && len(line) <= plain.MaxLabel {
		return turnHeader{Stamp: at, believed: true}, true
	}
	return timestampNameHeader(line)
}

// dashedNameHeader reads Happy Scribe's "[00:00:03.000] - Dana Weber", whose name need not recur.
func dashedNameHeader(line string) (turnHeader, bool) {
	at, ok := clock.ReadBracketed(line[:min(len(line), plain.MaxLabel)])
	isFine := strings.Contains(strings.TrimSuffix(line, at.Rest), ".")
	if !ok || !isFine || !plain.HasAnyPrefix(at.Rest, " - ", " – ") {
		return turnHeader{}, false
	}
	h, ok := timestampNameHeader(line)
	return h, ok && !plain.EndsSentence(h.speaker)
}
