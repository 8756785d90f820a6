// Package transcript parses uploaded transcripts into utterances: who said what, when, and at which bytes.
//
// It detects formats and encodings, has one parser for each format, and normalizes what they find. It does no
// I/O, and takes linear time and memory on hostile input.
package transcript

import (
	"fmt"
	"time"
)

// MaxBytes is the size of the largest file that Parse reads.
const MaxBytes = 10 << 20

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

// A Format is the format of a file. It is stored with an import, so that values must not change.
type Format string

// The formats that Parse reads.
const (
	WebVTT    Format = "vtt"       // Zoom, Teams, Meet, YouTube and subtitle editors
	SubRip    Format = "srt"       // also WebVTT without its signature
	SubViewer Format = "sbv"       // YouTube's other caption format
	Otter     Format = "otter"     // "Dana  0:03", the words below
	Rev       Format = "rev"       // "Dana (00:03):", the words after it or below
	Fireflies Format = "fireflies" // "Dana - 00:03", the words below
	Text      Format = "text"      // "Dana: …", "[00:01:23] Dana: …", or paragraphs without speakers
	Markdown  Format = "markdown"  // any of the text formats in Markdown: "**Dana:** …"

	ASS Format = "ass" // SubStation Alpha, with names in their own field
	CSV Format = "csv" // rows with columns for words, speakers or times; also with semicolons or tabs

	ZoomChat Format = "zoom-chat" // saved chat: "10:02:15 From Dana to Everyone:"

	Whisper       Format = "whisper"        // JSON of Whisper, WhisperX, faster-whisper and whisper.cpp
	AssemblyAI    Format = "assemblyai"     // JSON
	Deepgram      Format = "deepgram"       // JSON
	FirefliesJSON Format = "fireflies-json" // JSON of the API or of the page

	RevAI        Format = "rev-ai"       // JSON
	AWS          Format = "aws"          // JSON of Amazon Transcribe
	Google       Format = "google"       // JSON of Speech-to-Text, versions 1 and 2
	Azure        Format = "azure"        // JSON of batch and fast transcription
	Speechmatics Format = "speechmatics" // JSON
	ElevenLabs   Format = "elevenlabs"   // JSON
	Gladia       Format = "gladia"       // JSON
	Gong         Format = "gong"         // JSON of the API
	HuggingFace  Format = "huggingface"  // JSON of pipelines: "chunks"
	Amberscript  Format = "amberscript"  // JSON
	SlackJSON    Format = "slack-json"   // messages of an export
	ServiceJSON  Format = "json"         // lists of Fathom, Grain, Recall, Sonix, tl;dv and the like

	TeamsDocx Format = "teams-docx" // Word documents of Teams, old and new
	MeetDocx  Format = "meet-docx"  // Word documents of Google Meet
	Docx      Format = "docx"       // Word documents with any of the text formats, or a table
	ODT       Format = "odt"        // OpenDocument texts, the same
	RTF       Format = "rtf"        // rich text, the same
	HTML      Format = "html"       // web pages, the same
	PDF       Format = "pdf"        // PDF with text, any of the text formats
	XLSX      Format = "xlsx"       // worksheets with columns for words, speakers or times
	TTML      Format = "ttml"       // Timed Text: TTML, DFXP, IMSC, iTT, and YouTube's timedtext
	EAF       Format = "eaf"        // annotation documents of ELAN, with a tier for each speaker
	EXB       Format = "exb"        // basic transcriptions of EXMARaLDA, the same
	TEI       Format = "tei"        // transcriptions of speech in TEI, with <u who="…">
	TRS       Format = "trs"        // transcriptions of Transcriber
	TextGrid  Format = "textgrid"   // TextGrids of Praat, with a tier for each speaker
	OTR       Format = "otr"        // JSON of oTranscribe, with the text as HTML
)

// A FormatError says why a file was rejected. Reason is a sentence for the person who uploaded it; it never
// repeats text of the file.
type FormatError struct {
	Reason string
}

func (e *FormatError) Error() string { return fmt.Sprintf("unreadable transcript: %s", e.Reason) }
