package transcript

import (
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// ParseAs runs the parser of one format on any text, whatever its format is. It is for fuzzing.
func ParseAs(parser, text string) (*Transcript, error) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	lines := plain.UnifyLineBreaks(text)
	var list turn.List
	switch parser {
	case "webvtt":
		list = parseWebVTT(lines)
	case "srt":
		list = parseSRT(lines)
	case "sbv":
		list = parseSBV(lines)
	case "otter":
		list = parseOtter(lines)
	case "rev":
		list = parseRev(lines)
	case "fireflies":
		list = parseFireflies(lines)
	case "stamped":
		list = parseTimestamped(lines, clock.AnyStamp, markedLabels{})
	case "named":
		list = parseLabelled(lines, countLabels(lines, markedLabels{}).speakers())
	case "prose":
		list = parseProse(lines)
	case "markdown":
		m := stripMarkdown(lines, false)
		src, _ := detectTurns(m.text, markedLabels{names: m.bold})
		list = src.parse()
	case "teams":
		list = parseTeamsCues(lines)
	}
	return normalize(Format(parser), list)
}
