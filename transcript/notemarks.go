package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// What a note in brackets has, at most, in characters.
const (
	maxNoteLabel = 60
	maxNoteText  = 1000
)

// A bracketedNote is a note in brackets, within lines too: "[Observer: he shows the plan]". The numbers are
// the places in a text of the whole, of the label and of the words, as in regexp.
type bracketedNote [6]int

// bracketedNotes finds at most a number of notes in brackets. What is in brackets has none within it, so that
// each character is read at most twice.
func bracketedNotes(text string, most int) []bracketedNote {
	var found []bracketedNote
	for at := 0; len(found) < most; {
		open := strings.IndexAny(text[at:], "[(（")
		if open < 0 {
			return found
		}
		start := at + open
		at = start + runeSize(text, start)
		label := at
		colon, ok := within(text, label, maxNoteLabel, ":：", "[]()（）\n")
		if !ok || utf8.RuneCountInString(text[label:colon]) < 2 {
			continue
		}
		words := colon + runeSize(text, colon)
		end, ok := within(text, words, maxNoteText, "])）", "[(（")
		if !ok || utf8.RuneCountInString(strings.TrimSpace(text[words:end])) < 2 {
			continue
		}
		at = end + runeSize(text, end)
		words = end - len(strings.TrimLeftFunc(text[words:end], unicode.IsSpace))
		found = append(found, bracketedNote{start, at, label, colon, words, end})
	}
	return found
}

// within returns the place of the first of several characters, unless another one, or too many, are before
// it.
func within(text string, from, most int, wanted, others string) (int, bool) {
	n := 0
	for i, r := range text[from:] {
		if strings.ContainsRune(wanted, r) {
			return from + i, true
		}
		if n++; n > most || strings.ContainsRune(others, r) {
			return 0, false
		}
	}
	return 0, false
}

func runeSize(text string, at int) int {
	_, size := utf8.DecodeRuneInString(text[at:])
	return size
}

// beginsBracketed reports whether a line begins with a note in brackets, behind which it goes on.
func beginsBracketed(line string) bool {
	line = strings.TrimSpace(line)
	if line == "" || !strings.ContainsAny(line[:runeSize(line, 0)], "[(（") {
		return false
	}
	notes := bracketedNotes(line, 1)
	return len(notes) == 1 && notes[0][0] == 0
}

// noteHead reads what stands before the first colon of a line, without brackets and marks around it.
func noteHead(line string) (label, rest string, ok bool) {
	at := strings.IndexAny(line[:min(len(line), plain.MaxLabel)], ":：")
	if at < 0 {
		return "", "", false
	}
	head, rest := line[:at], line[at+runeSize(line, at):]
	return cleanText(strings.TrimLeft(head, "[(（*_>#- ")), rest, true
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
	for _, m := range bracketedNotes(t.Text, len(t.Text)) {
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
