package transcript

import "strings"

// parseLabelled reads "Name: text". A turn lasts until the next label, over lines and paragraphs. A timestamp
// after the name is that of the turn.
func parseLabelled(text string, speakers speakerSet) turnList {
	var (
		list    turnList
		lines   = lineReader{text: text}
		current turn
		begun   bool
		from    int
	)
	endTurn := func(to int) {
		if !begun {
			list.addLabelledPreamble(text[from:to])
			return
		}
		current.text = text[from:to]
		list.add(current)
	}
	for {
		line, start, ok := lines.next()
		if !ok {
			break
		}
		if isBoilerplate(strings.TrimSpace(line)) {
			endTurn(start)
			from = lines.pos
			continue
		}
		if t, rest, ok := timedLabel(line[dialogueMark(line):]); ok && speakers.has(t.speaker) {
			endTurn(start)
			current, begun = t, true
			from = start + len(line) - len(rest)
		}
	}
	endTurn(len(text))
	return list
}

// timedLabel reads "Name: text", "Name: [0:03] text" and "Name (0:03): text". The turn has no text yet.
func timedLabel(line string) (t turn, rest string, ok bool) {
	if name, rest, ok := splitLabel(line); ok {
		if h, timed := bracketedTimestamp(strings.TrimLeft(rest, " \t")); timed {
			return turn{speaker: name, start: h.start, end: h.end, timed: true, ended: h.ended}, h.rest, true
		}
		return turn{speaker: name}, rest, true
	}
	if strings.IndexByte(line[:min(len(line), maxLabel)], ':') < 0 {
		return turn{}, line, false
	}
	h, ok := revHeader(line)
	return turn{speaker: h.speaker, start: h.start, end: h.end, timed: true, ended: h.ended}, h.rest, ok
}

// addLabelledPreamble adds what is before the first turn, except for the fields of a form ("Date: …").
func (l *turnList) addLabelledPreamble(text string) {
	lines := lineReader{text: text}
	from := 0
	for {
		line, start, ok := lines.next()
		if !ok {
			break
		}
		if name, _, ok := splitLabel(strings.TrimSpace(line)); ok && isNotSpeaker(name) {
			l.addParagraphs(text[from:start])
			from = lines.pos
		}
	}
	l.addParagraphs(text[from:])
}

// countLabels counts the labels of a text, whose units are its paragraphs if it has any, else its lines.
func countLabels(text string, bold map[string]bool) *labelCounts {
	counts := newLabelCounts()
	counts.bold = bold
	for line := range strings.SplitSeq(text, "\n") {
		if !isBlank(line) {
			counts.addLine(line)
		}
	}
	blocks, lines := countBlocks(text)
	counts.units = lines
	if blocks > 1 {
		counts.units = max(blocks, lines/10)
	}
	return counts
}
