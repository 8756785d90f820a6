package transcript

import (
	"regexp"
	"strings"

	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// bracketedNote finds notes in brackets, within lines too: "[Observer: he shows the plan]".
var bracketedNote = regexp.MustCompile(`[\[(（]([^\[\]()（）:：\n]{2,60})[:：]\s*([^\[\]()（）]{2,1000})[\])）]`)

// beginsBracketed reports whether a line begins with a note in brackets, behind which it goes on.
func beginsBracketed(line string) bool {
	at := bracketedNote.FindStringIndex(line)
	return at != nil && plain.IsBlank(line[:at[0]])
}

// noteHead reads what stands before the first colon of a line, without brackets and marks around it.
func noteHead(line string) (label, rest string, ok bool) {
	head, _, ok := strings.Cut(line[:min(len(line), plain.MaxLabel)], ":")
	size := 1
	if wide, _, isWide := strings.Cut(head, "："); isWide || !ok {
		if wide, _, ok = strings.Cut(line[:min(len(line), plain.MaxLabel)], "："); !ok {
			return "", "", false
		}
		head, size = wide, len("：")
	}
	return cleanText(strings.TrimLeft(head, "[(（*_>#- ")), line[len(head)+size:], true
}

// cutNotes divides a turn at the notes in brackets within it.
func (d decidedLabels) cutNotes(t turn.Turn) []turn.Turn {
	var parts []turn.Turn
	from := 0
	add := func(part turn.Turn, text string) {
		if part.Text = text; !plain.IsBlank(text) {
			parts = append(parts, part)
		}
	}
	for _, m := range bracketedNote.FindAllStringSubmatchIndex(t.Text, -1) {
		label := cleanText(t.Text[m[2]:m[3]])
		_, isNote := d.notes[label]
		if !isNote && !d.nobody[label] && !d.people[label] {
			continue
		}
		before := partOf(t, t.Speaker)
		if from == 0 {
			before = t
		}
		add(before, t.Text[from:m[0]])
		if d.people[label] {
			add(partOf(t, label), t.Text[m[4]:m[5]])
		} else {
			add(partOf(t, ""), t.Text[m[0]:m[1]])
		}
		from = m[1]
	}
	if from == 0 {
		return []turn.Turn{t}
	}
	add(partOf(t, t.Speaker), t.Text[from:])
	return parts
}
