package transcript

import (
	"bytes"
	"strings"
	"unicode"

	"research/transcript/internal/charset"
	"research/transcript/internal/clock"
	"research/transcript/internal/format"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// A fileKind is a kind of file that is not a transcript.
type fileKind string

const (
	kindArchive    fileKind = "archive"
	kindAudio      fileKind = "audio"
	kindBrokenJSON fileKind = "broken json"
	kindCode       fileKind = "code"
	kindDatabase   fileKind = "database"
	kindEmpty      fileKind = "empty"
	kindImage      fileKind = "image"
	kindMail       fileKind = "mail"
	kindNumbers    fileKind = "numbers"
	kindOldOffice  fileKind = "old office"
	kindProgram    fileKind = "program"
	kindTable      fileKind = "table"
	kindTimes      fileKind = "times"
	kindVideo      fileKind = "video"
	kindXML        fileKind = "xml"
)

// reasons tell people what a file is, and what to upload instead.
var reasons = map[fileKind]string{
	kindArchive: format.UnpackFirst,
	kindAudio: "It is a sound recording. " +
		"Please have it transcribed first, and upload the transcript as VTT, SRT, TXT, DOCX or JSON.",
	kindBrokenJSON: "It is JSON that is damaged or cut off. Please export the transcript again.",
	kindCode:       "It is the source code of a program. " + format.UploadInstead,
	kindDatabase:   "It is a database. " + format.UploadInstead,
	kindEmpty:      "It is empty. Please upload the transcript of a conversation.",
	kindImage:      "It is a picture. " + format.UploadInstead,
	kindMail:       "It is an e-mail. Please save the transcript that is attached to it, and upload that.",
	kindNumbers:    "It has hardly any words in it. Please upload the transcript of a conversation.",
	kindOldOffice: "It is a file of an old Office version, or one with a password. " +
		"Please save it as DOCX without a password, and upload that.",
	kindProgram: "It is a program. " + format.UploadInstead,
	kindTable: "It is a table of values without a column of words beside one of speakers or times. " +
		"Please name the columns Speaker, Start and Text, or upload the transcript as VTT, SRT, TXT, DOCX or JSON.",
	kindTimes: "It is a list of times without words. Please export the transcript with text.",
	kindVideo: "It is a video. " +
		"Please have it transcribed first, and upload the transcript as VTT, SRT, TXT, DOCX or JSON.",
	kindXML: "It is an XML file. " + format.UploadInstead,
}

// signatures are the first bytes of binary files. Only signatures of four bytes and more are trusted before
// the text is looked at.
var signatures = []struct {
	offset int
	magic  string
	kind   fileKind
}{
	{0, "\x89PNG", kindImage},
	{0, "GIF87a", kindImage},
	{0, "GIF89a", kindImage},
	{0, "\xFF\xD8\xFF", kindImage},
	{0, "II*\x00", kindImage},
	{0, "MM\x00*", kindImage},
	{8, "WEBP", kindImage},
	{4, "ftypheic", kindImage},
	{4, "ftypmif1", kindImage},
	{4, "ftypavif", kindImage},
	{0, "8BPS", kindImage},

	{4, "ftypM4A", kindAudio},
	{0, "ID3\x02", kindAudio},
	{0, "ID3\x03", kindAudio},
	{0, "ID3\x04", kindAudio},
	{0, "OggS", kindAudio},
	{0, "fLaC", kindAudio},
	{8, "WAVE", kindAudio},
	{8, "AIFF", kindAudio},
	{0, "#!AMR", kindAudio},
	{0, "caff\x00", kindAudio},
	{0, "\xFF\xFB", kindAudio},
	{0, "\xFF\xF3", kindAudio},
	{0, "\xFF\xF1", kindAudio},

	{4, "ftyp", kindVideo},
	{4, "moov", kindVideo},
	{0, "\x1A\x45\xDF\xA3", kindVideo},
	{8, "AVI ", kindVideo},
	{0, "FLV\x01", kindVideo},
	{0, "\x00\x00\x01\xBA", kindVideo},
	{0, "\x30\x26\xB2\x75\x8E\x66\xCF\x11", kindVideo},

	{0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", kindOldOffice},

	{0, "\x1F\x8B\x08", kindArchive},
	{0, "7z\xBC\xAF\x27\x1C", kindArchive},
	{0, "Rar!\x1A\x07", kindArchive},
	{0, "BZh91AY", kindArchive},
	{0, "\xFD7zXZ\x00", kindArchive},
	{0, "\x28\xB5\x2F\xFD", kindArchive},
	{257, "ustar", kindArchive},

	{0, "SQLite format 3\x00", kindDatabase},

	{0, "\x7FELF", kindProgram},
	{0, "MZ\x90\x00", kindProgram},
	{0, "\xCF\xFA\xED\xFE", kindProgram},
	{0, "\xCA\xFE\xBA\xBE", kindProgram},
	{0, "\x00asm", kindProgram},
}

// rejectSize rejects files that are larger than any transcript.
func rejectSize(f *file) error {
	if len(f.data) > format.MaxBytes {
		return format.Unsupported("It is larger than 10 MB. " +
			"Please upload the transcript alone, without recordings or pictures.")
	}
	return nil
}

// rejectSignature rejects files by their first bytes.
func rejectSignature(f *file) error {
	data := f.data
	if len(bytes.TrimSpace(data)) == 0 {
		return format.Unsupported(reasons[kindEmpty])
	}
	isText := bytes.IndexByte(data[:min(len(data), plain.SampleSize)], 0) < 0
	for _, s := range signatures {
		if len(data) <= s.offset || !bytes.HasPrefix(data[s.offset:], []byte(s.magic)) {
			continue
		}
		// A text may begin with the letters of a signature.
		if isText && isPrintable(s.magic) {
			continue
		}
		return format.Unsupported(reasons[s.kind])
	}
	return nil
}

func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// rejectBinary rejects files that are not text, and decodes others.
func rejectBinary(f *file) error {
	text, ok := charset.Decode(f.data)
	if !ok {
		return format.Unsupported("It is a binary file. " + format.UploadInstead)
	}
	f.text = text
	return nil
}

// maxLines bounds the lines that readers compare. No format has ten lines for each turn.
const maxLines = 10 * turn.Max

// rejectManyLines rejects files that have too many turns in any format, before they are read as each of them.
func rejectManyLines(f *file) error {
	if max(strings.Count(f.text, "\n"), strings.Count(f.text, "\r")) > maxLines {
		return errTooManyTurns
	}
	return nil
}

// rejectNonSpeech rejects text that nobody said: markup, JSON, tables and numbers.
func rejectNonSpeech(f *file) error {
	text := strings.TrimSpace(strings.TrimPrefix(f.text, plain.ByteOrderMark))
	if text == "" {
		return format.Unsupported(reasons[kindEmpty])
	}
	opening := strings.ToLower(text[:min(len(text), 64)])
	switch {
	case plain.HasAnyPrefix(opening, "<tt ", "<tt>", "<transcript"): // cut off
		return format.Unsupported(reasons[kindXML])
	case isCode(text):
		return format.Unsupported(reasons[kindCode])
	case isMail(text):
		return format.Unsupported(reasons[kindMail])
	case plain.HasAnyPrefix(strings.Join(strings.Fields(opening), ""), `{"`, `[{"`):
		return format.Unsupported(reasons[kindBrokenJSON])
	}
	letters, digits := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	switch {
	case letters < 2 && isListOfTimes(text):
		return format.Unsupported(reasons[kindTimes])
	case letters < 2:
		return format.Unsupported(reasons[kindNumbers])
	case isTable(text) && !strings.Contains(text, "-->"):
		return format.Unsupported(reasons[kindTable])
	case letters*10 < digits && !strings.Contains(text, "-->"):
		return format.Unsupported(reasons[kindNumbers])
	}
	return nil
}

// codeOpenings begin the lines of programs, and hardly ever those of speech.
var codeOpenings = []string{
	"#include", "#!/", "<?php", "package ", "import ", "from ", "func ", "def ", "class ", "const ", "let ",
	"var ", "function ", "public ", "private ", "return ", "if (", "if err", "for (", "while (", "else", "//",
	"/*", "* ", "@", "}", "{", ")", "SELECT ", "INSERT ", "CREATE ",
}

// isCode reports whether most lines of a text open or close like those of a program, and some close a
// statement.
func isCode(text string) bool {
	lines, opened, closed := 0, 0, 0
	for line := range strings.SplitSeq(text[:min(len(text), plain.SampleSize)], "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		lines++
		isClosed := plain.HasAnySuffix(line, ";", "{", "}", "});", ") {")
		if isClosed {
			closed++
		}
		if isClosed || plain.HasAnyPrefix(line, codeOpenings...) {
			opened++
		}
	}
	return lines > 3 && opened*10 >= lines*7 && closed*10 >= lines*2
}

// isMail reports whether a text is an e-mail with its headers (RFC 5322).
func isMail(text string) bool {
	headers := 0
	for line := range strings.SplitSeq(text[:min(len(text), plain.MaxPreamble)], "\n") {
		if plain.IsBlank(line) {
			break
		}
		if plain.HasAnyPrefix(strings.ToLower(line),
			"received: ", "message-id: ", "mime-version: ", "content-type: ", "return-path: ") {
			headers++
		}
	}
	return headers > 1
}

// isListOfTimes reports whether most lines of a text are times.
func isListOfTimes(text string) bool {
	times, lines := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		lines++
		if _, _, ok := arrowTiming(line); ok || clock.IsStamp(line) {
			times++
		}
	}
	return times*2 >= lines
}

// isTable reports whether a text has values separated by commas, semicolons or tabs: nearly every line has
// the same number of separators, at least two.
func isTable(text string) bool {
	for _, separator := range []byte{',', ';', '\t'} {
		lines, equal, want := 0, 0, 0
		for line := range strings.SplitSeq(text, "\n") {
			line = strings.TrimRight(line, "\r")
			if plain.IsBlank(line) {
				continue
			}
			n := countSeparators(line, separator)
			if lines++; lines == 1 {
				want = n
			}
			if want < 2 {
				break
			}
			if n == want {
				equal++
			}
		}
		if lines > 2 && want > 1 && equal*10 >= lines*9 {
			return true
		}
	}
	return false
}

// countSeparators counts the separators outside quotes that no space follows.
func countSeparators(line string, separator byte) int {
	n, quoted := 0, false
	for i := range len(line) {
		if line[i] == '"' {
			quoted = !quoted
		}
		if !quoted && line[i] == separator && (i+1 == len(line) || line[i+1] != ' ') {
			n++
		}
	}
	return n
}
