package transcript

import "strings"

// addParagraphs adds the paragraphs of a text, or its lines if no blank line separates paragraphs.
func addParagraphs(l *turnList, text string) {
	text = strings.TrimSpace(text)
	blocks := hasBlankLine(text)
	lines := lineReader{text: text}
	from := 0
	for {
		line, start, ok := lines.next()
		if !ok {
			break
		}
		switch {
		case isBoilerplate(strings.TrimSpace(line)) || blocks && isBlank(line):
			l.addText(text[from:start])
			from = lines.pos
		case !blocks:
			l.addText(line)
			from = lines.pos
		}
	}
	l.addText(text[from:])
}

func hasBlankLine(text string) bool {
	lines := lineReader{text: text}
	for {
		line, _, ok := lines.next()
		if !ok || isBlank(line) {
			return ok
		}
	}
}
