package refine

import (
	"strings"

	"research/transcript/internal/boilerplate"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// maxFrameRules is how many rules a text has that frame the turns, at most. More may be the ends of pages.
const maxFrameRules = 2

// splitClosing takes the last paragraph of a text from the speaker above it, if a rule is between them: what
// a chatbot offers next, or what is typed below the interview.
func splitClosing(l *turn.List, text string) {
	last := len(l.Turns) - 1
	closing := closingParagraph(text)
	if last < 1 || closing == "" {
		return
	}
	t := &l.Turns[last]
	before, ok := strings.CutSuffix(strings.TrimSpace(t.Text), closing)
	switch before = strings.TrimSpace(before); {
	case !ok:
	case plain.EndsSentence(before):
		t.Text = before
		l.Turns = append(l.Turns, turn.Turn{Text: closing, Doubtful: true})
	case before == "" && t.Speaker == l.Turns[last-1].Speaker &&
		plain.EndsSentence(strings.TrimSpace(l.Turns[last-1].Text)):
		*t = turn.Turn{Text: closing, Doubtful: true}
	}
}

// closingParagraph returns the paragraph below the last rule, if it is the last one and the text has few
// rules.
func closingParagraph(text string) string {
	lines := plain.Lines{Text: text}
	rules, from := 0, 0
	for {
		line, _, ok := lines.Next()
		if !ok {
			break
		}
		if boilerplate.IsRule(strings.TrimSpace(line)) {
			rules++
			from = lines.Pos
		}
	}
	closing := strings.TrimSpace(text[from:])
	if rules == 0 || rules > maxFrameRules || strings.Contains(closing, "\n") {
		return ""
	}
	return closing
}
