package transcript

import (
	"fmt"
	"strings"

	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// cutLines returns the lines from the first that begins with one text to the last that begins with another.
// It returns false if there is no such line.
func cutLines(text, from, to string) (cut string, ok bool) {
	lines := plain.Lines{Text: text}
	start, end := -1, -1
	if from == "" {
		start = 0
	}
	if to == "" {
		end = len(text)
	}
	for {
		line, at, ok := lines.Next()
		if !ok {
			break
		}
		line = cleanText(line)
		if start < 0 && strings.HasPrefix(line, from) {
			start = at
		}
		if to != "" && start >= 0 && strings.HasPrefix(line, to) {
			end = lines.Pos
		}
	}
	if start < 0 || end <= start {
		return text, false
	}
	return text[start:end], true
}

// cutTurns does with turns what cutLines does with lines.
func cutTurns(l *turn.List, from, to string) error {
	first, last := -1, -1
	if from == "" {
		first = 0
	}
	if to == "" {
		last = len(l.Turns) - 1
	}
	for i, t := range l.Turns {
		if first < 0 && beginsWith(t, from) {
			first = i
		}
		if to != "" && first >= 0 && beginsWith(t, to) {
			last = i
		}
	}
	switch {
	case first < 0:
		return fmt.Errorf("%w: no line or turn begins with the text of \"from\"", ErrReading)
	case last < first:
		return fmt.Errorf("%w: no line or turn behind the first begins with the text of \"to\"", ErrReading)
	}
	l.Turns = l.Turns[first : last+1]
	return nil
}

// beginsWith reports whether a turn begins with a text, with or without its speaker.
func beginsWith(t turn.Turn, prefix string) bool {
	said := cleanText(t.Text)
	return strings.HasPrefix(said, prefix) || t.Speaker != "" &&
		strings.HasPrefix(cleanName(t.Speaker)+": "+said, prefix)
}
