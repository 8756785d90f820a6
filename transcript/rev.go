package transcript

import "strings"

// revHead reads how Rev begins a turn: "Dana Weber (00:03):", with the words behind it or on the next line. Other tools write
// the time in square brackets or without any.
func revHead(line string) (head, bool) {
	limit := min(len(line), maxLabel)
	for i := 1; i < limit; i++ {
		if line[i-1] != ' ' && line[i-1] != '\t' {
			continue
		}
		h, ok := bracketed(line[i:])
		if !ok {
			at, rest, isClock := clock(line[i:])
			if !isClock || !strings.HasPrefix(rest, ":") {
				continue
			}
			h = head{start: at, rest: rest}
		}
		h.speaker = strings.TrimSpace(line[:i])
		rest, colon := strings.CutPrefix(h.rest, ":")
		if !colon && rest != "" || shapeOf(h.speaker) == noName {
			return head{}, false
		}
		h.rest = rest
		return h, true
	}
	return head{}, false
}

func parseRev(text string) turns { return parseHeads(text, revHead) }
