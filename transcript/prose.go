package transcript

import "strings"

// parseProse reads text without speakers: a paragraph is an utterance. Where no blank line separates paragraphs, each
// line is one.
func parseProse(text string) turns {
	var ts turns
	prose(&ts, text)
	return ts
}

func prose(ts *turns, text string) {
	text = strings.TrimSpace(text)
	lines := reader{text: text}
	blocks := strings.Contains(text, "\n\n")
	for !blocks {
		line, _, ok := lines.next()
		if !ok {
			break
		}
		blocks = blank(line)
	}
	lines = reader{text: text}
	from := 0
	for {
		line, start, ok := lines.next()
		if !ok {
			break
		}
		switch {
		case boilerplate(strings.TrimSpace(line)) || blocks && blank(line):
			add(ts, text[from:start])
			from = lines.pos
		case !blocks:
			add(ts, line)
			from = lines.pos
		}
	}
	add(ts, text[from:])
}

func add(ts *turns, text string) {
	if !blank(text) {
		ts.add(turn{text: text})
	}
}
