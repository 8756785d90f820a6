package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

func parseRev(text string) turn.List { return parseHeaders(text, revHeader) }

// revHeader reads the beginning of Rev's turns: "Dana Weber (00:03):", with the words after it or on the next
// line. Other tools write the time in square brackets or without any.
func revHeader(line string) (turnHeader, bool) {
	limit := min(len(line), plain.MaxLabel)
	for i := 1; i < limit; i++ {
		if line[i-1] != ' ' && line[i-1] != '\t' && line[i] != '(' {
			continue
		}
		at, ok := clock.ReadBracketed(line[i:])
		if !ok {
			start, rest, isTime := clock.ParseTimestamp(line[i:])
			if !isTime || !strings.HasPrefix(rest, ":") {
				continue
			}
			at = clock.Stamp{Start: start, Rest: rest}
		}
		h := turnHeader{Stamp: at}
		h.speaker = speaker.TrimBrackets(strings.TrimSuffix(strings.TrimSpace(line[:i]), ","))
		rest, colon := strings.CutPrefix(h.Rest, ":")
		if !colon && rest != "" || speaker.ShapeOf(h.speaker) == speaker.NotName {
			return turnHeader{}, false
		}
		h.Rest, h.believed = rest, true
		return h, true
	}
	return turnHeader{}, false
}

// inlineHeader reads "Dana Weber (00:03) text" and "Dana Weber [00:00:03] text", as Trint and typists write.
// The name must recur.
func inlineHeader(line string) (turnHeader, bool) {
	head := line[:min(len(line), plain.MaxLabel)]
	for i := 2; i < len(head); i++ {
		if head[i] != '[' && head[i] != '(' || head[i-1] != ' ' && head[i-1] != '\t' {
			continue
		}
		at, ok := clock.ReadBracketed(line[i:])
		if !ok {
			continue // what follows a name, as in "Dana Weber (ACME) (00:03) text"
		}
		next, _ := utf8.DecodeRuneInString(at.Rest)
		if next != ' ' && !unicode.IsLetter(next) { // typists forget the space
			return turnHeader{}, false
		}
		at.Rest, _ = plain.CutDash(strings.TrimLeft(at.Rest, " "))
		h := turnHeader{Stamp: at, speaker: strings.TrimSpace(line[:i]), recurring: true}
		return h, speaker.ShapeOf(h.speaker) != speaker.NotName
	}
	return turnHeader{}, false
}
