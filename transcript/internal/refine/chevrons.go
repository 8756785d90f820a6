package refine

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// Chevrons divides the turns of speakers at the chevrons (">>") by which captioners and programs mark that
// somebody else begins to speak. What follows has no speaker, unless a label of one is there.
func Chevrons(l *turn.List) {
	found := false
	known := map[string]bool{}
	for _, t := range l.Turns {
		known[t.Speaker] = true
		found = found || t.Speaker != "" && strings.Contains(t.Text, ">>")
	}
	if !found {
		return
	}
	turns := make([]turn.Turn, 0, len(l.Turns))
	for _, t := range l.Turns {
		for t.Speaker != "" {
			at, size := findChevrons(t.Text)
			if at < 0 {
				break
			}
			before, after := t, t
			before.Text, after.Text = t.Text[:at], t.Text[at+size:]
			after.Speaker = ""
			if name, rest, ok := speaker.SplitLabel(after.Text); ok && known[name] {
				after.Speaker, after.Text = name, rest
			}
			if !plain.IsBlank(before.Text) {
				before.End, before.Ended = 0, false
				turns = append(turns, before)
				after.Start, after.Timed = 0, false // it is somewhere between
				after.End, after.Ended = 0, false
			}
			t = after
			if t.Speaker == "" {
				turns = append(turns, splitUnnamed(t, known)...)
				t.Text = ""
			}
		}
		if t.Speaker != "" || !plain.IsBlank(t.Text) {
			turns = append(turns, t)
		}
	}
	l.Turns = turns
}

// splitUnnamed divides what follows chevrons at the next ones.
func splitUnnamed(t turn.Turn, known map[string]bool) []turn.Turn {
	var turns []turn.Turn
	for {
		at, size := findChevrons(t.Text)
		if at < 0 {
			return append(turns, t)
		}
		before := t
		before.Text = t.Text[:at]
		turns = append(turns, before)
		t.Text, t.Speaker = t.Text[at+size:], ""
		if name, rest, ok := speaker.SplitLabel(t.Text); ok && known[name] {
			t.Speaker, t.Text = name, rest
		}
	}
}

// findChevrons returns where chevrons stand behind a sentence of a turn, with the spaces behind them, or -1.
// Those within a sentence are the arrows of menus.
func findChevrons(text string) (at, size int) {
	for from := 0; ; {
		i := strings.Index(text[from:], ">>")
		if i < 0 {
			return -1, 0
		}
		at = from + i
		rest := strings.TrimLeft(text[at:], ">")
		words := strings.TrimLeft(rest, " \n\t")
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		next, _ := utf8.DecodeRuneInString(words)
		from = len(text) - len(rest)
		ended := strings.TrimRight(text[:at], " \t")
		isEnd := plain.EndsSentence(ended) || plain.HasAnySuffix(ended, "\n", "-", "–", "—", "]", ")")
		if isEnd && unicode.IsSpace(before) && len(words) < len(rest) && unicode.IsLetter(next) {
			return at, len(text) - len(words) - at
		}
	}
}
