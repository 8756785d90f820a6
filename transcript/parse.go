package transcript

// The formats that Parse reads. Their values are stored with an import.
const (
	WebVTT    Format = "vtt"       // Zoom, Teams, Meet, YouTube and subtitle editors
	SubRip    Format = "srt"       // also WebVTT without its signature
	SubViewer Format = "sbv"       // YouTube's other caption format
	Otter     Format = "otter"     // "Dana  0:03", words below
	Rev       Format = "rev"       // "Dana (00:03):", words behind or below
	Fireflies Format = "fireflies" // "Dana - 00:03", words below
	Text      Format = "text"      // "Dana: …", "[00:01:23] Dana: …", or paragraphs without speakers
	Markdown  Format = "markdown"  // any of the text formats, marked up: "**Dana:** …"

	Whisper       Format = "whisper"        // JSON of Whisper, WhisperX, faster-whisper, whisper.cpp
	AssemblyAI    Format = "assemblyai"     // JSON
	Deepgram      Format = "deepgram"       // JSON
	FirefliesJSON Format = "fireflies-json" // JSON of the API or the page

	TeamsDocx Format = "teams-docx" // Word, both shapes
	MeetDocx  Format = "meet-docx"  // Word, from Google Docs
	Docx      Format = "docx"       // Word, any of the text formats in it
)

// Parse reads a transcript of any format and encoding that Detect knows. The only error it gives is *FormatError.
//
// It takes time and memory in proportion to the file, whatever is in it, and gives the same transcript for the same bytes.
func Parse(data []byte) (*Transcript, error) {
	src, err := open(data)
	if err != nil {
		return nil, err
	}
	t, err := assemble(src.format, src.parse())
	if err != nil {
		return nil, err
	}
	if t.Language = src.language; t.Language == "" {
		t.Language = guessLanguage(t.Text)
	}
	return t, nil
}

// Detect says of which format a file is, by its content. The only error it gives is *FormatError, for what is no transcript.
// A file can be of a format and still hold no word that Parse could read.
func Detect(data []byte) (Format, error) {
	src, err := open(data)
	return src.format, err
}

// A source is a file whose format is known.
type source struct {
	format   Format
	language string // as the file itself says
	parse    func() turns
}

// open detects a file's format and decodes its text.
func open(data []byte) (source, error) {
	if len(data) > MaxBytes {
		return source{}, refuse("It is larger than 10 MB. Please upload the transcript alone, without recordings or pictures.")
	}
	if err := sniff(data); err != nil {
		return source{}, err
	}
	if isZip(data) {
		return openDocx(data)
	}
	raw, ok := decode(data)
	if !ok {
		return source{}, refuse("It is a binary file. " + uploadInstead)
	}
	if src, ok, err := openJSON(raw); ok {
		return src, err
	}
	if err := notProse(raw); err != nil {
		return source{}, err
	}
	return openText(normalise(raw)), nil
}

// openText tells the text formats apart. The text's line breaks are "\n".
func openText(text string) source {
	switch {
	case isWebVTT(text):
		return source{WebVTT, vttLanguage(text), func() turns { return parseWebVTT(text) }}
	case isSRT(text):
		return source{SubRip, "", func() turns { return parseSRT(text) }}
	case isSBV(text):
		return source{SubViewer, "", func() turns { return parseSBV(text) }}
	case isMarkdown(text):
		m := unmark(text, false)
		src, spoken := openLines(m.plain, m.bold)
		if !spoken {
			m = unmark(text, true)
			src, _ = openLines(m.plain, nil)
		}
		src.format = Markdown
		return src
	}
	src, _ := openLines(text, nil)
	return src
}

// openLines tells apart the formats that are lines of words; spoken says whether it found turns.
func openLines(text string, bold map[string]bool) (src source, spoken bool) {
	blocks := paragraphs(text)
	best := heads{}
	for _, f := range []struct {
		format Format
		match  matcher
		parse  func() turns
	}{
		{Otter, otterHead, func() turns { return parseOtter(text) }},
		{Rev, revHead, func() turns { return parseRev(text) }},
		{Fireflies, firefliesHead, func() turns { return parseFireflies(text) }},
		{Text, stampHead, func() turns { return parseStamped(text, bold) }},
	} {
		if found := findHeads(text, f.match); found.count > best.count && found.fits(text, blocks) {
			best = found
			src = source{f.format, "", f.parse}
		}
	}
	if src.format == Text {
		if joined, ok := joinClocks(text); ok {
			return source{Text, "", func() turns { return parseOtter(joined) }}, true
		}
		if named := findHeads(text, stampNameHead); named.recurring()*2 >= named.count && spokenBelow(text)*10 >= best.count*8 {
			return source{Text, "", func() turns { return parseHeads(text, stampNameHead) }}, true
		}
	}
	// Rev's head is a label with a time: where most labels have none, it is a text of names.
	if best.count > 0 && src.format != Rev {
		return src, true
	}
	known := tallyText(text, bold).accept()
	if src.format == Rev && known.labels <= best.count {
		return src, true
	}
	if len(known.set) > 0 {
		return source{Text, "", func() turns { return parseNamed(text, known) }}, true
	}
	return source{Text, "", func() turns { return parseProse(text) }}, false
}
