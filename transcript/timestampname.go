package transcript

import "strings"

// timestampNameHeader reads "[00:01:23] Dana Weber" with the words below, as in Descript and Trint.
func timestampNameHeader(line string) (turnHeader, bool) {
	if len(line) > maxLabel {
		return turnHeader{}, false
	}
	h, ok := timestampHeader(line)
	if !ok || nameShapeOf(strings.TrimSuffix(h.rest, ":")) == notName {
		return turnHeader{}, false
	}
	h.speaker, h.rest, h.believed = strings.TrimSuffix(h.rest, ":"), "", true
	return h, true
}

// stampedHeader reads the same, and a time that stands alone, as Word has it where it does not know who speaks.
func stampedHeader(line string) (turnHeader, bool) {
	if h, ok := timestampHeader(line); ok && h.rest == "" && len(line) <= maxLabel {
		h.believed = true
		return h, true
	}
	return timestampNameHeader(line)
}

// dashedNameHeader reads Happy Scribe's "[00:00:03.000] - Dana Weber", whose name need not recur.
func dashedNameHeader(line string) (turnHeader, bool) {
	stamp, ok := bracketedTimestamp(line[:min(len(line), maxLabel)])
	isFine := strings.Contains(strings.TrimSuffix(line, stamp.rest), ".")
	if !ok || !isFine || !hasAnyPrefix(stamp.rest, " - ", " – ") {
		return turnHeader{}, false
	}
	h, ok := timestampNameHeader(line)
	return h, ok && !endsSentence(h.speaker)
}
