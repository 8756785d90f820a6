package transcript

import "strings"

// firefliesHead reads the line above a turn in Fireflies' text: "Dana Weber - 00:03", or "00:03 - Dana Weber".
func firefliesHead(line string) (head, bool) {
	if len(line) > maxLabel {
		return head{}, false
	}
	if name, _, at, ok := trailingClock(line); ok {
		for _, dash := range []string{" -", " –", " —", " |"} {
			if name, ok := strings.CutSuffix(name, dash); ok && shapeOf(name) != noName {
				return head{speaker: strings.TrimSpace(name), start: at}, true
			}
		}
		return head{}, false
	}
	at, rest, ok := clock(line)
	if !ok {
		return head{}, false
	}
	for _, dash := range []string{" - ", " – ", " — ", " | "} {
		if name, ok := strings.CutPrefix(rest, dash); ok && shapeOf(strings.TrimSpace(name)) == fullName {
			return head{speaker: strings.TrimSpace(name), start: at}, true
		}
	}
	return head{}, false
}

func parseFireflies(text string) turns { return parseHeads(text, firefliesHead) }
