// Package turn is what every reader returns: who said what and when, as the file has it.
//
// It knows nothing of formats. Texts and names are cleaned later, by package transcript.
package turn

import (
	"time"

	"research/transcript/internal/plain"
)

// Max bounds what a hostile file can become. A day of speech in cues of two seconds has fewer.
const Max = 200_000

// A Turn is an utterance as a parser finds it. Its text may contain line breaks.
type Turn struct {
	Speaker    string
	Start, End time.Duration
	Timed      bool // start is known
	Ended      bool // end is known
	Text       string
	Doubtful   bool // the text may begin with the name of its speaker
	Unread     bool // the file has a time that could not be read
}

// A List collects the turns of a parser, up to the limit. Normalize rejects a list that exceeded it.
type List struct {
	Turns    []Turn
	Exceeded bool
	Dropped  string // lines of the export that nobody said
	Sparse   bool   // few paragraphs have a label
	Hours    bool   // the times of a table may be hours and minutes
	Dated    bool   // the times of data are those of a calendar
}

// Drop remembers a line that is left out on purpose.
func (l *List) Drop(line string) {
	if len(l.Dropped) < plain.MaxPreamble {
		l.Dropped += line + "\n"
	}
}

// Add adds a turn. Beyond Max turns it only sets l.Exceeded.
func (l *List) Add(t Turn) {
	if len(l.Turns) > Max {
		l.Exceeded = true
		return
	}
	l.Turns = append(l.Turns, t)
}

// AddText adds a turn without speaker and time, unless the text is blank.
func (l *List) AddText(text string) {
	if !plain.IsBlank(text) {
		l.Add(Turn{Text: text})
	}
}
