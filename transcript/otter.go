package transcript

import (
	"strings"
	"unicode/utf8"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

func parseOtter(text string) turn.List { return parseHeaders(text, otterHeader) }

// otterHeader reads the line that Otter writes above each turn: "Dana Weber  0:03", the name, two spaces and
// the time. A single space suffices if a full name is before it. It also reads "[Dana Weber] 10:02:13", as in
// Zoom's saved captions, and "Dana Weber 0:03 - 0:07".
func otterHeader(line string) (turnHeader, bool) {
	if len(line) > plain.MaxLabel {
		return turnHeader{}, false
	}
	name, gap, at, ok := clock.CutTrailing(line)
	if !ok {
		return turnHeader{}, false
	}
	h := turnHeader{Stamp: clock.Stamp{Start: at}}
	if before, dashed := cutSuffixes(name, " -", " –", " -->"); dashed {
		if first, wide, start, ok := clock.CutTrailing(before); ok && start <= at {
			name, gap = first, wide
			h.Stamp = clock.Stamp{Start: start, End: at, Ended: true}
		}
	}
	bare := speaker.TrimBrackets(strings.TrimRight(name, " |•·"))
	shape := speaker.ShapeOf(bare)
	wideGap := utf8.RuneCountInString(gap) >= 2 || gap == "\t"
	switch {
	case (wideGap || strings.HasPrefix(name, "[") && strings.Count(line[len(name):], ":") == 2) &&
		speaker.IsPlausible(bare):
		h.speaker, h.believed = bare, true
		return h, true
	case wideGap && plain.HasAnySuffix(bare, "?", "!") && speaker.IsPlausible(strings.TrimRight(bare, "?!")):
		// Otter marks speakers that it is not sure of. A sentence hardly recurs.
		h.speaker, h.recurring = bare, true
		return h, true
	case shape == speaker.NotName, shape == speaker.PossibleName && bare == name &&
		strings.Count(line[len(name):], ":") < 2:
		return turnHeader{}, false
	}
	h.speaker = bare
	return h, true
}

// cutSuffixes removes the first suffix that a text has.
func cutSuffixes(s string, suffixes ...string) (before string, found bool) {
	for _, suffix := range suffixes {
		if before, found = strings.CutSuffix(s, suffix); found {
			return before, true
		}
	}
	return s, false
}
