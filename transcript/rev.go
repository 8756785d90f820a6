package transcript

import "strings"

func parseRev(text string) turnList { return parseHeaders(text, revHeader) }

// revHeader reads the beginning of Rev's turns: "Dana Weber (00:03):", with the words after it or on the next
// line. Other tools write the time in square brackets or without any.
func revHeader(line string) (turnHeader, bool) {
	limit := min(len(line), maxLabel)
	for i := 1; i < limit; i++ {
		if line[i-1] != ' ' && line[i-1] != '\t' {
			continue
		}
		h, ok := bracketedTimestamp(line[i:])
		if !ok {
			at, rest, isTime := parseTimestamp(line[i:])
			if !isTime || !strings.HasPrefix(rest, ":") {
				continue
			}
			h = turnHeader{start: at, rest: rest}
		}
		h.speaker = strings.TrimSpace(line[:i])
		rest, colon := strings.CutPrefix(h.rest, ":")
		if !colon && rest != "" || nameShapeOf(h.speaker) == notName {
			return turnHeader{}, false
		}
		h.rest = rest
		return h, true
	}
	return turnHeader{}, false
}
