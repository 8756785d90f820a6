package transcript

import (
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

func parseFireflies(text string) turn.List { return parseHeaders(text, firefliesHeader) }

// firefliesHeader reads the line above a turn in Fireflies' text: "Dana Weber - 00:03" or "00:03 - Dana
// Weber".
func firefliesHeader(line string) (turnHeader, bool) {
	if len(line) > plain.MaxLabel {
		return turnHeader{}, false
	}
	line = strings.TrimPrefix(line, "@")
	if before, _, at, ok := clock.CutTrailing(line); ok {
		for _, dash := range []string{" -", " –", " —", " |"} {
			if name, ok := strings.CutSuffix(before, dash); ok &&
				speaker.ShapeOf(strings.TrimSpace(name)) != speaker.NotName {
				return turnHeader{Stamp: clock.Stamp{Start: at}, speaker: strings.TrimSpace(name), believed: true}, true
			}
		}
		return turnHeader{}, false
	}
	at, rest, ok := clock.ParseTimestamp(line)
	if !ok {
		return turnHeader{}, false
	}
	for _, dash := range []string{" - ", " – ", " — ", " | "} {
		if after, ok := strings.CutPrefix(rest, dash); ok {
			if name := strings.Trim(after, " *"); speaker.ShapeOf(name) != speaker.NotName {
				return turnHeader{Stamp: clock.Stamp{Start: at}, speaker: name, believed: true}, true
			}
		}
	}
	return turnHeader{}, false
}
