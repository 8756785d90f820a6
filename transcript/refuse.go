package transcript

import (
	"bytes"
	"strings"
	"unicode"
)

const uploadInstead = "Please upload the transcript that your meeting tool exports, as VTT, SRT, TXT, DOCX or JSON."

func refuse(reason string) *FormatError { return &FormatError{Reason: reason} }

// What a file looks like, by its first bytes. Only signatures of four bytes and more are trusted before the text was looked at.
var signatures = []struct {
	at    int
	magic string
	what  string
}{
	{0, "%PDF-", "pdf"},
	{0, "{\\rtf", "rtf"},
	{0, "\x89PNG", "image"}, {0, "GIF87a", "image"}, {0, "GIF89a", "image"}, {0, "\xFF\xD8\xFF", "image"},
	{0, "II*\x00", "image"}, {0, "MM\x00*", "image"}, {8, "WEBP", "image"}, {4, "ftypheic", "image"}, {4, "ftypmif1", "image"}, {4, "ftypavif", "image"},
	{0, "8BPS", "image"},
	{4, "ftypM4A", "audio"}, {0, "ID3\x02", "audio"}, {0, "ID3\x03", "audio"}, {0, "ID3\x04", "audio"}, {0, "OggS", "audio"}, {0, "fLaC", "audio"},
	{8, "WAVE", "audio"}, {8, "AIFF", "audio"}, {0, "#!AMR", "audio"}, {0, "caff\x00", "audio"},
	{0, "\xFF\xFB", "audio"}, {0, "\xFF\xF3", "audio"}, {0, "\xFF\xF1", "audio"},
	{4, "ftyp", "video"}, {4, "moov", "video"}, {0, "\x1A\x45\xDF\xA3", "video"}, {8, "AVI ", "video"}, {0, "FLV\x01", "video"}, {0, "\x00\x00\x01\xBA", "video"},
	{0, "\x30\x26\xB2\x75\x8E\x66\xCF\x11", "video"},
	{0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "oldoffice"},
	{0, "\x1F\x8B\x08", "archive"}, {0, "7z\xBC\xAF\x27\x1C", "archive"}, {0, "Rar!\x1A\x07", "archive"}, {0, "BZh91AY", "archive"}, {0, "\xFD7zXZ\x00", "archive"},
	{0, "\x28\xB5\x2F\xFD", "archive"}, {257, "ustar", "archive"},
	{0, "SQLite format 3\x00", "database"},
	{0, "\x7FELF", "program"}, {0, "MZ\x90\x00", "program"}, {0, "\xCF\xFA\xED\xFE", "program"}, {0, "\xCA\xFE\xBA\xBE", "program"}, {0, "\x00asm", "program"},
}

var refusals = map[string]string{
	"pdf":       "It is a PDF. Please upload the transcript as VTT, SRT, TXT or DOCX; most meeting tools export these beside the PDF.",
	"rtf":       "It is a rich-text (RTF) file. Please open it in a word processor, save it as DOCX or TXT, and upload that.",
	"image":     "It is a picture. " + uploadInstead,
	"audio":     "It is a sound recording. Please have it transcribed first, and upload the transcript as VTT, SRT, TXT, DOCX or JSON.",
	"video":     "It is a video. Please have it transcribed first, and upload the transcript as VTT, SRT, TXT, DOCX or JSON.",
	"oldoffice": "It is a file of an old Office version, or one with a password. Please save it as DOCX without a password, and upload that.",
	"archive":   "It is a compressed archive. Please unpack it, and upload the transcript alone.",
	"database":  "It is a database. " + uploadInstead,
	"program":   "It is a program. " + uploadInstead,
	"sheet":     "It is a spreadsheet. " + uploadInstead,
	"slides":    "It is a presentation. " + uploadInstead,
	"odt":       "It is an OpenDocument file. Please save it as DOCX or TXT, and upload that.",
	"book":      "It is an e-book. " + uploadInstead,
	"html":      "It is a web page. Please use the export of your meeting tool instead of saving its page, and upload VTT, SRT, TXT, DOCX or JSON.",
	"xml":       "It is an XML file. " + uploadInstead,
	"json":      "It is JSON, but not the transcript of Whisper, AssemblyAI, Deepgram or Fireflies. Please upload one of these, or VTT, SRT, TXT or DOCX.",
	"badjson":   "It is JSON that is damaged or cut off. Please export the transcript again.",
	"table":     "It is a table of values. " + uploadInstead,
	"numbers":   "It has hardly any words in it. Please upload the transcript of a conversation.",
	"empty":     "It is empty. Please upload the transcript of a conversation.",
}

// sniff refuses what its first bytes give away.
func sniff(data []byte) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return refuse(refusals["empty"])
	}
	for _, s := range signatures {
		if len(data) > s.at && bytes.HasPrefix(data[s.at:], []byte(s.magic)) {
			// A text may begin like a signature of letters ("RIFF" aside); those are believed where the file is no text.
			if isPrintable(s.magic) && s.magic != "%PDF-" && s.magic != "{\\rtf" && bytes.IndexByte(data[:min(len(data), sample)], 0) < 0 {
				continue
			}
			return refuse(refusals[s.what])
		}
	}
	return nil
}

func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// notProse refuses texts that no one said: markup, other people's JSON, tables.
func notProse(text string) error {
	trimmed := strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF"))
	if trimmed == "" {
		return refuse(refusals["empty"])
	}
	opening := strings.ToLower(trimmed[:min(len(trimmed), 64)])
	for _, mark := range []string{"<!doctype html", "<html", "<head", "<body", "<div", "<!--", "<script", "<table"} {
		if strings.HasPrefix(opening, mark) {
			return refuse(refusals["html"])
		}
	}
	for _, mark := range []string{"<?xml", "<!doctype", "<tt ", "<tt>", "<transcript", "<rss", "<svg"} {
		if strings.HasPrefix(opening, mark) {
			return refuse(refusals["xml"])
		}
	}
	if trimmed[0] == '{' || trimmed[0] == '[' {
		if compact := strings.Join(strings.Fields(opening), ""); strings.HasPrefix(compact, `{"`) || strings.HasPrefix(compact, `[{"`) {
			return refuse(refusals["badjson"])
		}
	}
	letters, digits := 0, 0
	for _, r := range trimmed {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	if letters < 2 {
		return refuse(refusals["numbers"])
	}
	if isTable(trimmed) {
		return refuse(refusals["table"])
	}
	if letters*10 < digits && !strings.Contains(trimmed, "-->") {
		return refuse(refusals["numbers"])
	}
	return nil
}

// isTable holds for comma-, semicolon- or tab-separated values: nearly each line has the same number of separators outside
// quotes, at least two, which no space follows.
func isTable(text string) bool {
	for _, sep := range []byte{',', ';', '\t'} {
		lines, alike, want := 0, 0, 0
		for line := range strings.SplitSeq(text, "\n") {
			line = strings.TrimRight(line, "\r")
			if blank(line) {
				continue
			}
			n, quoted := 0, false
			for i := range len(line) {
				if line[i] == '"' {
					quoted = !quoted
				}
				if !quoted && line[i] == sep && (i+1 == len(line) || line[i+1] != ' ') {
					n++
				}
			}
			if lines++; lines == 1 {
				want = n
			}
			if want < 2 {
				break
			}
			if n == want {
				alike++
			}
		}
		if lines > 2 && want > 1 && alike*10 >= lines*9 {
			return true
		}
	}
	return false
}
