package speaker

import (
	"strings"

	"research/transcript/internal/plain"
)

// maxNoteWords is how many words the label of a note has, at most.
const maxNoteWords = 5

// IsObserver reports whether a label is a word for somebody who watches, who may write notes or speak.
func IsObserver(label string) bool { return observers[strings.ToLower(label)] }

// BeginsThirdPerson reports whether a word begins what is written about somebody else.
func BeginsThirdPerson(word string) bool { return thirdPersons[strings.ToLower(word)] }

// NoteBy reads a label of notes that names who wrote them: "TOMAS NOTE", "Ana's note", "Note from Ana", "Ana
// (note)". certain is false if the label is one of notes only if writer speaks in the
// file: "Tomas note" is, "Quick note" is not.
func NoteBy(label string) (writer string, certain, ok bool) {
	words := strings.Fields(strings.ToLower(label))
	n := len(words)
	if n < 2 || n > maxNoteWords {
		return "", false, false
	}
	first, last := words[0], words[n-1]
	switch {
	case isBracketed(last) && isNoteWord(strings.Trim(last, "()[]")):
		return strings.Join(words[:n-1], " "), true, true // "Ana (note)"
	case NoteLabels[first] && isBracketed(last):
		return strings.Trim(last, "()[]"), true, true // "Note (Ana)"
	case NoteLabels[first] && notePrepositions[words[1]] && n > 2:
		by := strings.Fields(label)[n-1]
		return strings.ToLower(by), true, plain.StartsWithCapital(by) || observers[last] || noteWriters[last]
	case !isNoteWord(last):
		return "", false, false
	}
	writer = strings.Join(words[:n-1], " ")
	owner := strings.TrimSuffix(strings.TrimSuffix(strings.ReplaceAll(writer, "’", "'"), "'s"), "s'")
	isCapital := plain.IsAllCaps(label) && !SentenceOpeners[strings.Fields(label)[0]] && !articles[first]
	isOfPerson := owner != writer || observers[owner] || noteWriters[owner]
	return owner, isCapital || isOfPerson, !SentenceOpeners[strings.Fields(label)[0]]
}

// isNoteWord reports whether a word ends the label of a note. "Not" is a note in Turkish and Swedish, but
// ends other labels in English.
func isNoteWord(word string) bool { return NoteLabels[word] && word != "not" || observers[word] }

func isBracketed(word string) bool {
	return len(word) > 2 && strings.ContainsRune("([", rune(word[0])) &&
		strings.ContainsRune(")]", rune(word[len(word)-1]))
}
