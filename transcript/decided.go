package transcript

import (
	"slices"
	"strings"
	"unicode/utf8"

	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// decidedLabels are the labels about which somebody has decided, as the file has them.
type decidedLabels struct {
	people, nobody map[string]bool
	forced         []string // people, the longest first

	notes map[string]bool // labels of notes about which nobody has decided; true if they begin lines
}

func newDecidedLabels(people, nobody []string) decidedLabels {
	d := decidedLabels{people: map[string]bool{}, nobody: map[string]bool{}}
	for _, label := range people {
		if label = cleanText(label); label != "" && !d.people[label] {
			d.people[label] = true
			d.forced = append(d.forced, label)
		}
	}
	for _, label := range nobody {
		if label = cleanText(label); label != "" && !d.people[label] {
			d.nobody[label] = true
		}
	}
	slices.SortFunc(d.forced, func(a, b string) int { return len(b) - len(a) })
	return d
}

func (d decidedLabels) empty() bool {
	return len(d.people) == 0 && len(d.nobody) == 0 && len(d.notes) == 0
}

// cutPerson cuts the label of a person, with the mark behind it, from the start of a line.
func (d decidedLabels) cutPerson(line string) (name, rest string, ok bool) {
	if len(d.forced) == 0 {
		return "", "", false
	}
	bare := line[plain.DialogueMark(line):]
	for _, name := range d.forced {
		if rest, ok := cutLabel(bare, name); ok {
			return name, rest, true
		}
	}
	return "", "", false
}

// isNote reports whether a line begins with a label of notes about which nobody has decided.
func (d decidedLabels) isNote(line string) bool {
	if len(d.notes) == 0 {
		return false
	}
	label, _, ok := noteHead(line)
	return ok && d.notes[label] && !beginsBracketed(line)
}

// isNobody reports whether a line begins with a label that is nobody.
func (d decidedLabels) isNobody(line string) bool {
	if d.isNote(line) {
		return true
	}
	if len(d.nobody) == 0 {
		return false
	}
	bare := line[plain.DialogueMark(line):]
	head, _, ok := strings.Cut(bare[:min(len(bare), plain.MaxLabel)], ":")
	if !ok {
		head, _, ok = strings.Cut(bare[:min(len(bare), plain.MaxLabel)], "：")
	}
	return ok && d.nobody[cleanText(head)]
}

// hasPersonIn reports whether a line of a form begins with the label of a person.
func (d decidedLabels) hasPersonIn(form string) bool {
	if len(d.forced) == 0 {
		return false
	}
	for line := range strings.SplitSeq(form, "\n") {
		if _, _, ok := d.cutPerson(strings.TrimSpace(line)); ok {
			return true
		}
	}
	return false
}

// cutLabel cuts a label and the mark behind it from a line: a colon, a dash between spaces, a full stop, or a
// tab. A label that ends with a mark, or fills its line, needs none.
func cutLabel(line, label string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(line, label)
	if !ok {
		return "", false
	}
	last, _ := utf8.DecodeLastRuneInString(label)
	after := strings.TrimLeft(rest, " \u00a0")
	switch {
	case after == "", rest[0] == '\t':
		return after, true
	case strings.ContainsRune(":-–—.>)]|", last):
		return after, len(after) < len(rest)
	case plain.HasAnyPrefix(after, ":", "："):
		after = after[strings.IndexAny(after, ":："):]
		_, size := utf8.DecodeRuneInString(after)
		return after[size:], true
	case plain.HasAnyPrefix(rest, ". ", ".\t"):
		return rest[1:], true
	}
	if cut, ok := plain.CutDash(after); ok && len(after) < len(rest) {
		return cut, true
	}
	return "", false
}

// decide applies decisions about labels to turns, whatever they were read from: the words of people begin
// turns of their own, and those of nobody have no speaker.
func (d decidedLabels) decide(l *turn.List) {
	if d.empty() {
		return
	}
	turns := make([]turn.Turn, 0, len(l.Turns))
	for _, t := range l.Turns {
		if d.nobody[cleanName(t.Speaker)] || d.nobody[t.Speaker] {
			t.Speaker, t.Doubtful = "", false
		} else if d.notes[cleanName(t.Speaker)] {
			t.Speaker, t.Doubtful = "", true
		}
		for _, part := range d.split(t) {
			turns = append(turns, d.cutNotes(part)...)
		}
	}
	l.Turns = turns
}

// split divides a turn at the lines that begin with a label about which somebody has decided.
func (d decidedLabels) split(t turn.Turn) []turn.Turn {
	var parts []turn.Turn
	lines := plain.Lines{Text: t.Text}
	current, from := t, 0
	end := func(to int) {
		if current.Text = t.Text[from:to]; !plain.IsBlank(current.Text) {
			parts = append(parts, current)
		}
	}
	for {
		line, start, ok := lines.Next()
		if !ok {
			break
		}
		if name, rest, ok := d.cutPerson(line); ok {
			end(start)
			current, from = partOf(t, name), start+len(line)-len(rest)
			continue
		}
		if d.isNobody(line) {
			end(start)
			current, from = partOf(t, ""), start
			current.Doubtful = d.isNote(line)
		}
	}
	if from == 0 && len(parts) == 0 {
		return []turn.Turn{t}
	}
	end(len(t.Text))
	return parts
}

// partOf returns a turn of another speaker within a turn, at the same time.
func partOf(t turn.Turn, speaker string) turn.Turn {
	return turn.Turn{Speaker: speaker, Start: t.Start, End: t.End, Timed: t.Timed, Ended: t.Ended}
}

// maxSame is how many labels lead from one to the label of the same person, at most.
const maxSame = 8

// unify gives turns of the same person the same speaker.
func unify(l *turn.List, same map[string]string) {
	if len(same) == 0 {
		return
	}
	names := map[string]string{}
	l.Turns = slices.Clone(l.Turns) // which the source may keep
	for i, t := range l.Turns {
		name, known := names[t.Speaker]
		if !known {
			name = cleanName(t.Speaker)
			for range maxSame {
				other, ok := same[name]
				if !ok || other == "" || other == name {
					break
				}
				name = other
			}
			if name == cleanName(t.Speaker) {
				name = t.Speaker
			}
			names[t.Speaker] = name
		}
		l.Turns[i].Speaker = name
	}
}
