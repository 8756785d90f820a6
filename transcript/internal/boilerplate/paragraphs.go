package boilerplate

import (
	"strings"

	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// AddParagraphs adds the paragraphs of a text, or its lines if no blank line separates paragraphs.
func AddParagraphs(l *turn.List, text string) {
	text = strings.TrimSpace(text)
	blocks := hasBlankLine(text)
	lines := plain.Lines{Text: text}
	from := 0
	for {
		line, start, ok := lines.Next()
		if !ok {
			break
		}
		switch {
		case Is(strings.TrimSpace(line)) || blocks && plain.IsBlank(line):
			l.AddText(text[from:start])
			from = lines.Pos
		case !blocks:
			l.AddText(line)
			from = lines.Pos
		}
	}
	l.AddText(text[from:])
}

func hasBlankLine(text string) bool {
	lines := plain.Lines{Text: text}
	for {
		line, _, ok := lines.Next()
		if !ok || plain.IsBlank(line) {
			return ok
		}
	}
}
