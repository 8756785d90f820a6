package transcript

import (
	"strings"

	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// timedLabel reads "Name: text", "Name: [0:03] text", "0:03 Name: text" and "Name (0:03): text". The turn has no text
// yet.
func timedLabel(line string) (t turn.Turn, rest string, ok bool) {
	if name, rest, ok := splitLabel(line); ok {
		if h, timed := bracketedTimestamp(strings.TrimLeft(rest, " \t")); timed {
			return turn.Turn{Speaker: name, Start: h.start, End: h.end, Timed: true, Ended: h.ended}, h.rest, true
		}
		return turn.Turn{Speaker: name}, rest, true
	}
	if strings.IndexByte(line[:min(len(line), plain.MaxLabel)], ':') < 0 {
		return turn.Turn{}, line, false
	}
	if h, ok := timestampHeader(line); ok {
		if name, rest, ok := splitLabel(h.rest); ok {
			return turn.Turn{Speaker: name, Start: h.start, End: h.end, Timed: true, Ended: h.ended}, rest, true
		}
	}
	h, ok := revHeader(line)
	return turn.Turn{Speaker: h.speaker, Start: h.start, End: h.end, Timed: true, Ended: h.ended}, h.rest, ok
}
