package transcript

import "unicode/utf8"

func parseOtter(text string) turnList { return parseHeaders(text, otterHeader) }

// otterHeader reads the line that Otter writes above each turn: "Dana Weber  0:03", the name, two spaces and
// the time. A single space suffices if a full name is before it. It also reads "[Dana Weber] 10:02:13", as in
// Zoom's saved captions.
func otterHeader(line string) (turnHeader, bool) {
	if len(line) > maxLabel {
		return turnHeader{}, false
	}
	name, gap, at, ok := cutTrailingTimestamp(line)
	if !ok {
		return turnHeader{}, false
	}
	bare := trimBrackets(name)
	shape := nameShapeOf(bare)
	wideGap := utf8.RuneCountInString(gap) >= 2 || gap == "\t"
	if shape == notName || shape == possibleName && !wideGap && bare == name {
		return turnHeader{}, false
	}
	return turnHeader{speaker: bare, start: at}, true
}
