// Package transcript parses uploaded transcripts into utterances: who said what, when, and at which bytes.
//
// It detects formats and encodings, has one parser for each format, and normalizes what they find. It weighs
// the ways in which a file can be read, and says what is doubtful; Read takes what a person has decided about
// it. It does no I/O, and takes linear time and memory on hostile input.
package transcript

import (
	"time"

	"research/transcript/internal/format"
	"research/transcript/internal/plain"
)

// A Transcript is a parsed file.
//
// Text is the normalized transcript: the texts of the utterances, in order, separated by "\n". It is valid
// UTF-8 and has no other line breaks, so that it can be rebuilt from the utterances. All byte offsets of the
// service refer to it. The text of an utterance is changed only by decoding it to UTF-8, removing the
// format's own markup, replacing each run of white space that contains a line break by one space, and
// dividing turns that are longer than MaxUtteranceBytes.
type Transcript struct {
	Format     Format
	Language   string // ISO 639-1 code, or "" if it is unknown
	Text       string
	Utterances []Utterance
	Warnings   []Warning // what is doubtful about the reading

	Confidence float64     // 0 to 1: how likely at most one word of a hundred has another speaker
	NeedsLook  bool        // a person should answer the questions below before quotes are trusted
	Labels     []Label     // the most doubtful first
	Unlabelled *Unlabelled // nil if there are no such lines
	Doubts     []Doubt     // the most doubtful turns first, at most 20
	Edges      Edges
}

// An Utterance is one cue or turn of the file, the cues of a sentence that one speaker says, or a part of a
// very long turn. If the file has no end for it, End is the start of the next utterance, or else Start.
type Utterance struct {
	Speaker   string // "" if the file names none
	Start     time.Duration
	End       time.Duration
	Timed     bool // Start is known
	Text      string
	ByteStart int // Text is Transcript.Text[ByteStart:ByteEnd]
	ByteEnd   int

	Confidence float64 // 0 to 1: how likely the speaker is right
}

// Words returns the number of words. In scripts without spaces, two characters count as a word.
func (u Utterance) Words() int { return int(plain.CountWords(u.Text) + 0.5) }

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

// MaxBytes is the size of the largest file that Parse reads.
const MaxBytes = format.MaxBytes

// A Format is the format of a file. It is stored with an import, so that values must not change.
type Format = format.Format

// The formats that Parse reads. Package format says what each is.
const (
	WebVTT    = format.WebVTT
	SubRip    = format.SubRip
	SubViewer = format.SubViewer
	Otter     = format.Otter
	Rev       = format.Rev
	Fireflies = format.Fireflies
	Text      = format.Text
	Markdown  = format.Markdown

	ASS = format.ASS
	CSV = format.CSV

	ZoomChat = format.ZoomChat

	Whisper       = format.Whisper
	AssemblyAI    = format.AssemblyAI
	Deepgram      = format.Deepgram
	FirefliesJSON = format.FirefliesJSON

	RevAI        = format.RevAI
	AWS          = format.AWS
	Google       = format.Google
	Azure        = format.Azure
	Speechmatics = format.Speechmatics
	ElevenLabs   = format.ElevenLabs
	Gladia       = format.Gladia
	Gong         = format.Gong
	HuggingFace  = format.HuggingFace
	Amberscript  = format.Amberscript
	SlackJSON    = format.SlackJSON
	ServiceJSON  = format.ServiceJSON

	TeamsDocx = format.TeamsDocx
	MeetDocx  = format.MeetDocx
	Docx      = format.Docx
	ODT       = format.ODT
	RTF       = format.RTF
	HTML      = format.HTML
	PDF       = format.PDF
	XLSX      = format.XLSX
	TTML      = format.TTML
	EAF       = format.EAF
	EXB       = format.EXB
	TEI       = format.TEI
	TRS       = format.TRS
	TextGrid  = format.TextGrid
	OTR       = format.OTR
)

// A FormatError says why a file was rejected. Its Reason is a sentence for the person who uploaded the file;
// it never repeats text of the file.
type FormatError = format.Error
