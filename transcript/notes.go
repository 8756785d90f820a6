package transcript

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// A noteLabel is the label of what an observer wrote among the words, such as "TOMAS NOTE". Nobody says its
// words, unless a person decides otherwise.
type noteLabel struct {
	label string
	count int
	words float64
	first Context

	inBrackets bool
	lines      int // that begin with it
	described  int // those that are about somebody else
}

// isDefault reports whether the lines that begin with the label are notes unless somebody decides otherwise.
func (n *noteLabel) isDefault() bool { return n.described*2 > n.lines }

// maxNoteLabels is how many labels of notes a file has, at most.
const maxNoteLabels = 20

// A noteFinder collects the labels of notes in the turns of a file.
type noteFinder struct {
	names  map[string]bool // of the speakers, and their parts, in lower case
	blocks bool            // blank lines divide the paragraphs
	found  []*noteLabel
	speech map[string]bool // words for notes that begin lines within paragraphs, which somebody may say
}

// notes returns the labels of observers' notes among the turns of a source. What is above the first speaker
// is part of a form. In chats, everything is written.
func (s source) notes(list *turn.List) []*noteLabel {
	if s.dated {
		return nil
	}
	blocks, _ := plain.CountBlocks(s.lines)
	f := noteFinder{names: map[string]bool{}, blocks: blocks > 1, speech: map[string]bool{}}
	for _, t := range list.Turns {
		if _, certain, ok := speaker.NoteBy(t.Speaker); t.Speaker == "" || ok && certain {
			continue
		}
		f.addName(t.Speaker)
	}
	begun, before := false, ""
	for _, t := range list.Turns {
		if begun = begun || t.Speaker != ""; !begun {
			continue
		}
		f.addTurn(t, before, s.lines != "")
		before = lastLine(strings.TrimSpace(t.Text))
	}
	return slices.DeleteFunc(f.found, func(n *noteLabel) bool {
		if f.speech[n.label] {
			n.described = 0
		}
		return !n.isDefault() && !n.inBrackets && !speaker.IsObserver(n.label)
	})
}

// minName is how many letters a name has, at least, by which notes are known: "I" may be a label, and a word.
const minName = 3

// addName adds a name of a speaker, and its parts.
func (f *noteFinder) addName(name string) {
	if len(f.names) >= plain.MaxLabels {
		return
	}
	name = strings.ToLower(name)
	for _, part := range append(strings.Fields(name), name) {
		if utf8.RuneCountInString(part) >= minName {
			f.names[part] = true
		}
	}
}

func (f *noteFinder) addTurn(t turn.Turn, before string, lined bool) {
	if name := cleanName(t.Speaker); f.isNote(name) || speaker.IsObserver(name) {
		n := f.add(name, t.Text, Context{before, name + ": " + firstLine(t.Text), ""})
		n.addLine(f.isNote(name) || f.isDescription(t.Text) || startsSmall(t.Text))
	}
	if !strings.ContainsAny(t.Text, ":：") {
		return
	}
	for _, m := range bracketedNotes(t.Text, maxNoteLabels) {
		label := cleanText(t.Text[m[2]:m[3]])
		if _, _, isNote := speaker.NoteBy(label); isNote || speaker.IsObserver(label) ||
			speaker.NoteLabels[strings.ToLower(label)] {
			above := lastLine(strings.TrimSpace(t.Text[:m[0]]))
			n := f.add(label, t.Text[m[4]:m[5]], Context{above, t.Text[m[0]:m[1]], firstLine(t.Text[m[1]:])})
			n.inBrackets = true
		}
	}
	if lined {
		f.addLines(t, before)
	}
}

// addLines adds the notes that begin lines of a turn.
func (f *noteFinder) addLines(t turn.Turn, before string) {
	lines := plain.Lines{Text: t.Text}
	for above := ""; ; {
		line, start, ok := lines.Next()
		if !ok {
			return
		}
		label, rest, labelled := noteHead(line)
		first := Context{before, line, firstLine(t.Text[lines.Pos:])}
		switch {
		case !labelled || plain.IsBlank(rest) || beginsBracketed(line):
		case f.isNote(label):
			f.add(label, rest, first).addLine(true)
		case speaker.IsObserver(label):
			f.add(label, rest, first).addLine(f.isDescription(rest) || startsSmall(rest))
		case !speaker.NoteLabels[strings.ToLower(label)]:
		case t.Speaker == "" && start == 0, f.blocks && plain.IsBlank(above) && start > 0:
			f.add(label, rest, first).addLine(f.isDescription(rest))
		default:
			f.speech[label] = true
		}
		if !plain.IsBlank(line) {
			before = line
		}
		above = line
	}
}

// isNote reports whether a label is that of notes, whatever the file.
func (f *noteFinder) isNote(label string) bool {
	writer, certain, ok := speaker.NoteBy(label)
	return ok && (certain || f.names[writer])
}

// isDescription reports whether a text begins as what is written about somebody: with a pronoun or a name.
func (f *noteFinder) isDescription(text string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(firstLine(text)), " ")
	return speaker.BeginsThirdPerson(word) || f.names[strings.ToLower(word)]
}

func startsSmall(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(text))
	return unicode.IsLower(first)
}

func (f *noteFinder) add(label, text string, first Context) *noteLabel {
	i := slices.IndexFunc(f.found, func(n *noteLabel) bool { return n.label == label })
	if i < 0 {
		if len(f.found) == maxNoteLabels {
			return &noteLabel{}
		}
		i = len(f.found)
		f.found = append(f.found, &noteLabel{label: label, first: first.cut()})
	}
	n := f.found[i]
	n.count++
	n.words += plain.CountWords(text)
	return n
}

func (n *noteLabel) addLine(described bool) {
	n.lines++
	if described {
		n.described++
	}
}

// withNotes adds the labels of notes about which nobody has decided.
func (d decidedLabels) withNotes(found []*noteLabel) decidedLabels {
	notes := map[string]bool{}
	for _, n := range found {
		if !d.people[n.label] && !d.nobody[n.label] && (n.isDefault() || n.inBrackets) {
			notes[n.label] = n.isDefault()
		}
	}
	d.notes = notes
	return d
}

// describeNotes marks the labels of notes among the labels, and adds those that are only in brackets.
func (t *Transcript) describeNotes(found []*noteLabel, decided decidedLabels) {
	all := 0.0
	for _, u := range t.Utterances {
		all += plain.CountWords(u.Text)
	}
	for _, n := range found {
		i := slices.IndexFunc(t.Labels, func(l Label) bool { return l.Label == n.label })
		if i < 0 && len(t.Labels) == maxInventory {
			continue
		}
		if i < 0 {
			l := Label{Label: n.label, Kind: LabelNobody, Count: n.count, Share: n.words / max(1, all), First: n.first}
			if decided.people[n.label] {
				l.Kind = LabelPerson
			}
			t.Labels = append(t.Labels, l)
			i = len(t.Labels) - 1
		}
		l := &t.Labels[i]
		l.Note = true
		if l.Kind == LabelNobody {
			l.Same = ""
		}
	}
}
