package transcript

import (
	"time"

	"research/transcript/internal/plain"
)

// maxUtterances bounds what a hostile file can become. A day of speech in cues of two seconds has fewer.
const maxUtterances = 200_000

// A turn is an utterance as a parser finds it. Its text may contain line breaks.
type turn struct {
	speaker    string
	start, end time.Duration
	timed      bool // start is known
	ended      bool // end is known
	text       string
	doubtful   bool // the text may begin with the name of its speaker
	unread     bool // the file has a time that could not be read
}

// A turnList collects the turns of a parser, up to the limit. Normalize rejects a list that exceeded it.
type turnList struct {
	turns    []turn
	exceeded bool
	dropped  string // lines of the export that nobody said
	sparse   bool   // few paragraphs have a label
	hours    bool   // the times of a table may be hours and minutes
	dated    bool   // the times of data are those of a calendar
}

// drop remembers a line that is left out on purpose.
func (l *turnList) drop(line string) {
	if len(l.dropped) < plain.MaxPreamble {
		l.dropped += line + "\n"
	}
}

func (l *turnList) add(t turn) {
	if len(l.turns) > maxUtterances {
		l.exceeded = true
		return
	}
	l.turns = append(l.turns, t)
}

// addText adds a turn without speaker and time, unless the text is blank.
func (l *turnList) addText(text string) {
	if !plain.IsBlank(text) {
		l.add(turn{text: text})
	}
}
