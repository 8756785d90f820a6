package transcript

import "unicode/utf8"

// otterHead reads the line that Otter writes above each turn: "Dana Weber  0:03", the name, two spaces and the time. It
// reads "[Dana Weber] 10:02:13" as well, the head in Zoom's saved captions, and a single space where that leaves a full name.
func otterHead(line string) (head, bool) {
	if len(line) > maxLabel {
		return head{}, false
	}
	name, gap, at, ok := trailingClock(line)
	if !ok {
		return head{}, false
	}
	bare := unbracket(name)
	shape := shapeOf(bare)
	if shape == noName || shape == weakName && utf8.RuneCountInString(gap) < 2 && gap != "\t" && bare == name {
		return head{}, false
	}
	return head{speaker: bare, start: at}, true
}

func parseOtter(text string) turns { return parseHeads(text, otterHead) }
