// Package transcript turns an uploaded file into utterances: who said what, when, and at which bytes.
//
// It owns the detection of formats and encodings and one parser per format. It does no I/O, knows no database
// and no HTTP, and is linear in time and memory on hostile input.
package transcript

import (
	"fmt"
	"time"
)

// MaxBytes is the size of the largest file that Parse reads (DESIGN §7: "up to 10 MB").
const MaxBytes = 10 << 20

// A Transcript is a parsed file.
//
// Text is the normalised transcript: the utterances' texts, in order, each followed by one "\n" except the last.
// It is valid UTF-8 and holds no other line break, so that it can be rebuilt from the utterances alone; every byte offset
// of the service counts into it. Nothing within an utterance is changed beyond decoding to UTF-8, removing the format's own
// markup and turning each run of white space that holds a line break into one space.
type Transcript struct {
	Format     Format
	Language   string // ISO 639-1 code, "" where it cannot be told
	Text       string
	Utterances []Utterance
}

// An Utterance is one cue or turn, as the file gives it.
type Utterance struct {
	Speaker   string // "" where the file names none
	Start     time.Duration
	End       time.Duration
	Timed     bool // Start is known; where the file gives no end, End is the next utterance's start, else Start
	Text      string
	ByteStart int // into Transcript.Text: Text == Transcript.Text[ByteStart:ByteEnd]
	ByteEnd   int
}

// Speakers lists the names that occur, in the order of their first utterance.
func (t *Transcript) Speakers() []string {
	var names []string
	seen := map[string]bool{}
	for _, u := range t.Utterances {
		if u.Speaker != "" && !seen[u.Speaker] {
			seen[u.Speaker] = true
			names = append(names, u.Speaker)
		}
	}
	return names
}

// A Format names a shape of file; its value is stored in imports.format.
type Format string

// A FormatError says why a file was refused. Reason is a sentence for the person who uploaded it; it never
// quotes the file.
type FormatError struct {
	Reason string
}

func (e *FormatError) Error() string { return fmt.Sprintf("unreadable transcript: %s", e.Reason) }
