// Package transcript parses uploaded transcripts into utterances: who said what, when, and at which bytes.
//
// It detects formats and encodings, has one parser for each format, and normalizes what they find. It does no
// I/O, and takes linear time and memory on hostile input.
package transcript

import (
	"time"
)

// A Transcript is a parsed file.
//
// Text is the normalized transcript: the texts of the utterances, in order, separated by "\n". It is valid
// UTF-8 and has no other line breaks, so that it can be rebuilt from the utterances. All byte offsets of the
// service refer to it. The text of an utterance is changed only by decoding it to UTF-8, removing the
// format's own markup, and replacing each run of white space that contains a line break by one space.
type Transcript struct {
	Format     Format
	Language   string // ISO 639-1 code, or "" if it is unknown
	Text       string
	Utterances []Utterance
	Warnings   []Warning // what is doubtful about the reading
}

// An Utterance is one cue or turn of the file. If the file has no end for it, End is the start of the next
// utterance, or else Start.
type Utterance struct {
	Speaker   string // "" if the file names none
	Start     time.Duration
	End       time.Duration
	Timed     bool // Start is known
	Text      string
	ByteStart int // Text is Transcript.Text[ByteStart:ByteEnd]
	ByteEnd   int
}

// Words returns the number of words. In scripts without spaces, two characters count as a word.
func (u Utterance) Words() int { return int(countWords(u.Text) + 0.5) }

// Speakers returns the names of the speakers, in the order of their first utterances.
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
