package transcript

import (
	"strings"

	"research/transcript/internal/plain"
)

// timedLabel reads "Name: text", "Name: [0:03] text", "0:03 Name: text" and "Name (0:03): text". The turn has no text
// yet.
func timedLabel(line string) (t turn, rest string, ok bool) {
	if name, rest, ok := splitLabel(line); ok {
		if h, timed := bracketedTimestamp(strings.TrimLeft(rest, " \t")); timed {
			return turn{speaker: name, start: h.start, end: h.end, timed: true, ended: h.ended}, h.rest, true
		}
		return turn{speaker: name}, rest, true
	}
	if strings.IndexByte(line[:min(len(line), plain.MaxLabel)], ':') < 0 {
		return turn{}, line, false
	}
	if h, ok := timestampHeader(line); ok {
		if name, rest, ok := splitLabel(h.rest); ok {
			return turn{speaker: name, start: h.start, end: h.end, timed: true, ended: h.ended}, rest, true
		}
	}
	h, ok := revHeader(line)
	return turn{speaker: h.speaker, start: h.start, end: h.end, timed: true, ended: h.ended}, h.rest, ok
}
