package transcript

import "strings"

// parseNamed reads "Name: text". A turn lasts until the next name; its lines and paragraphs belong together. A time in
// brackets behind the name is the turn's.
func parseNamed(text string, known names) turns {
	var (
		ts    turns
		lines = reader{text: text}
		now   turn
		begun bool
		from  int
	)
	flush := func(to int) {
		if begun {
			now.text = text[from:to]
			ts.add(now)
			return
		}
		preamble(&ts, text[from:to])
	}
	for {
		line, start, ok := lines.next()
		if !ok {
			break
		}
		if boilerplate(strings.TrimSpace(line)) {
			flush(start)
			from = lines.pos
			continue
		}
		if name, rest, at, ok := timedLabel(line[leadIn(line):]); ok && known.has(name) {
			flush(start)
			now, begun = turn{speaker: name, start: at.start, end: at.end, timed: at.timed, ended: at.ended}, true
			from = start + len(line) - len(rest)
		}
	}
	flush(len(text))
	return ts
}

// timedLabel splits "Name: text", "Name: [0:03] text" and "Name (0:03): text".
func timedLabel(line string) (name, rest string, at turn, ok bool) {
	name, rest, ok = label(line)
	if ok {
		if h, timed := bracketed(strings.TrimLeft(rest, " \t")); timed {
			return name, h.rest, turn{start: h.start, end: h.end, timed: true, ended: h.ended}, true
		}
		return name, rest, turn{}, true
	}
	if strings.IndexByte(line[:min(len(line), maxLabel)], ':') < 0 {
		return "", line, turn{}, false
	}
	h, ok := revHead(line)
	return h.speaker, h.rest, turn{start: h.start, end: h.end, timed: true, ended: h.ended}, ok
}

// preamble keeps what stands before the first turn, but for the fields of a form ("Date: …").
func preamble(ts *turns, text string) {
	lines := reader{text: text}
	from := 0
	for {
		line, start, ok := lines.next()
		if !ok {
			break
		}
		if name, _, ok := label(strings.TrimSpace(line)); ok && isNonName(name) {
			prose(ts, text[from:start])
			from = lines.pos
		}
	}
	prose(ts, text[from:])
}

// tallyText counts labels over a text of lines, whose units are its paragraphs if it has any.
func tallyText(text string, bold map[string]bool) *tally {
	t := newTally()
	t.bold = bold
	count, blocks, wasBlank := 0, 0, true
	for line := range strings.SplitSeq(text, "\n") {
		if blank(line) {
			wasBlank = true
			continue
		}
		count++
		if wasBlank {
			blocks++
		}
		wasBlank = false
		t.line(line)
	}
	t.units = count
	if blocks > 1 {
		t.units = max(blocks, count/10)
	}
	return t
}
