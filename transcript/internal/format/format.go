// Package format names the formats of transcripts, and the errors for files that have none.
//
// It knows the values that are stored with imports. How a format is recognized and read belongs to the other
// packages.
package format

import "fmt"

// MaxBytes is the size of the largest file that Parse reads.
const MaxBytes = 10 << 20

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

// An Error says why a file was rejected. Reason is a sentence for the person who uploaded it; it never
// repeats text of the file.
type Error struct {
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("unreadable transcript: %s", e.Reason) }

// What people can do instead.
const (
	UnpackFirst = "It is a compressed archive. Please unpack it, and upload the transcript alone."

	UploadInstead = "Please upload the transcript that your meeting tool exports, " +
		"as VTT, SRT, TXT, DOCX or JSON."
)

// Unsupported returns the error for a file that cannot be read.
func Unsupported(reason string) *Error { return &Error{Reason: reason} }
