package transcript

import (
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// timedLabel reads "Name: text", "Name: [0:03] text", "0:03 Name: text" and "Name (0:03): text". The turn has
// no text yet.
func timedLabel(line string) (t turn.Turn, rest string, ok bool) {
	if name, rest, ok := speaker.SplitLabel(line); ok {
		if h, timed := clock.ReadBracketed(strings.TrimLeft(rest, " \t")); timed {
			return turn.Turn{Speaker: name, Start: h.Start, End: h.End, Timed: true, Ended: h.Ended}, h.Rest, true
		}
		return turn.Turn{Speaker: name}, rest, true
	}
	if strings.IndexByte(line[:min(len(line), plain.MaxLabel)], ':') < 0 {
		return turn.Turn{}, line, false
	}
	if h, ok := clock.ReadStamp(line); ok {
		if name, rest, ok := speaker.SplitLabel(h.Rest); ok {
			return turn.Turn{Speaker: name, Start: h.Start, End: h.End, Timed: true, Ended: h.Ended}, rest, true
		}
	}
	h, ok := revHeader(line)
	return turn.Turn{Speaker: h.speaker, Start: h.Start, End: h.End, Timed: true, Ended: h.Ended}, h.Rest, ok
}
