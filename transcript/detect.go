package transcript

import (
	"research/transcript/internal/annotation"
	"research/transcript/internal/format"
	"research/transcript/internal/plain"
	"research/transcript/internal/running"
	"research/transcript/internal/service"
	"research/transcript/internal/turn"
)

// readers are all formats, the strictest first: the first one that recognizes a file reads it. A new format
// is a file with two functions and a row here. The comments say why rows stand where they do.
var readers = []reader{
	// What no parser may see, whatever is in it.
	rejects(rejectSize),
	rejects(rejectSignature),

	// Binary files, by their first bytes. Other bytes may precede the header of a PDF, even another signature.
	binary(isPDF, detectPDF),
	binary(isRTF, detectRTF),
	binary(isZip, detectDocx), // DOCX, ODT and XLSX differ by the parts of the archive
	rejects(rejectBinary),     // below, files are text
	rejects(rejectManyLines),

	// JSON, which is valid as a whole or not at all. The text of oTranscribe is also a member in other services.
	readOTR,
	readTimedTextJSON,
	readJSON,

	// XML, by the names of elements that no other format has.
	markup(format.TTML, isTTML, readTTML),
	markup(format.TTML, isTimedText, undeclared(readTimedText)),
	markup(format.EAF, annotation.IsEAF, undeclared(annotation.ReadEAF)),
	markup(format.EXB, annotation.IsEXB, undeclared(annotation.ReadEXB)),
	markup(format.TEI, annotation.IsTEI, undeclared(annotation.ReadTEI)),
	markup(format.TRS, annotation.IsTRS, undeclared(annotation.ReadTRS)),
	markup(format.TextGrid, annotation.IsTextGrid, undeclared(annotation.ReadTextGrid)),

	rejects(rejectXML), // whose tags would be words

	// Web pages, which may begin with any tag.
	readPage,
	readPageBelowFields,

	// Chats, by nearly all of their lines. Captions quote chats, so that only the strictest rows see them.
	readIRC,       // before lines are cleaned, as its marks look like rules and comments
	readZoomChat,  // before tables: its times may be before tabs
	readDatedChat, // its notices have marks of direction, which the rows below do without
	readChatHeads, // names and times apart from the words

	// Tables, by the number of separators in their lines, which sentences have too.
	tabular(format.Markdown, detectMarkdownTable),
	tabular(format.CSV, detectCSV),
	rejects(rejectNonSpeech),

	// Captions, Markdown and lines in any layout: paragraphs, if nothing else.
	readText,
}

// A reader reads files of a format. It returns false for other files.
type reader func(f *file) (src source, ok bool, err error)

// detect returns the source of a file. Its error is a *FormatError.
func detect(data []byte) (source, error) {
	f := file{data: data}
	for _, read := range readers {
		if src, ok, err := read(&f); ok || err != nil {
			return src, err
		}
	}
	panic("transcript: the last reader reads any text")
}

// A file is what readers recognize formats by.
type file struct {
	data  []byte
	text  string // decoded by rejectBinary
	doc   *service.Document
	clean *cleanLines
}

// json returns the text as JSON, which is read once. It returns false for other text.
func (f *file) json() (service.Document, bool) {
	if f.doc == nil {
		doc, ok := service.Open(f.text)
		if !ok {
			return service.Document{}, false
		}
		f.doc = &doc
	}
	return *f.doc, true
}

// cleanLines are the lines of a text without what exports, editors and pages add.
type cleanLines struct {
	captions bool   // the text is in a format of captions, so that what recurs in it is speech
	marked   string // with marks of direction
	text     string
}

// lines returns the lines of the text, which are cleaned once.
func (f *file) lines() cleanLines {
	if f.clean != nil {
		return *f.clean
	}
	text := plain.UnifyLineBreaks(f.text)
	captions := isCaptions(text)
	if !captions {
		text = running.StripFormFeeds(f.text)
		text = running.StripPages(stripInlineTags(stripComments(stripFrontMatter(plain.UnifyLineBreaks(text)))))
	}
	marked := dropSystemLine(text)
	text = annotation.RewriteCHAT(plain.TrimMarks(marked))
	if !captions {
		text, _ = cutMeetClosing(joinCopiedHeads(stripPandoc(text)))
	}
	f.clean = &cleanLines{captions: captions, marked: marked, text: text}
	return *f.clean
}

// rejects returns a reader that reads nothing, and rejects some files.
func rejects(reject func(f *file) error) reader {
	return func(f *file) (source, bool, error) { return source{}, false, reject(f) }
}

// binary returns a reader of binary files.
func binary(is func(data []byte) bool, read func(data []byte) (source, error)) reader {
	return func(f *file) (source, bool, error) {
		if !is(f.data) {
			return source{}, false, nil
		}
		src, err := read(f.data)
		return src, true, err
	}
}

// markup returns a reader of texts whose tags say what is said by whom.
func markup(
	as format.Format, is func(text string) bool,
	read func(text string) (list turn.List, language string, err error),
) reader {
	return func(f *file) (source, bool, error) {
		if !is(f.text) {
			return source{}, false, nil
		}
		list, language, err := read(f.text)
		return source{format: as, language: language, parse: parsed(list)}, true, err
	}
}

// undeclared makes a function that reads markup return no language.
func undeclared(read func(text string) (turn.List, error)) func(text string) (turn.List, string, error) {
	return func(text string) (turn.List, string, error) {
		list, err := read(text)
		return list, "", err
	}
}

// tabular returns a reader of texts whose lines are rows.
func tabular(as format.Format, detect func(text string) (parse func() turn.List, ok bool)) reader {
	return func(f *file) (source, bool, error) {
		lines := f.lines()
		if lines.captions {
			return source{}, false, nil
		}
		parse, ok := detect(lines.text)
		return source{format: as, parse: parse}, ok, nil
	}
}

// readOTR reads files of oTranscribe: JSON with a web page.
func readOTR(f *file) (source, bool, error) {
	doc, ok := f.json()
	if !ok {
		return source{}, false, nil
	}
	page, ok := otrPage(doc)
	if !ok {
		return source{}, false, nil
	}
	src, err := detectHTML(page)
	src.format = format.OTR
	return src, true, err
}

// readTimedTextJSON reads YouTube's captions as JSON.
func readTimedTextJSON(f *file) (source, bool, error) {
	doc, ok := f.json()
	if !ok {
		return source{}, false, nil
	}
	list, ok := timedTextEvents(doc)
	return source{format: format.TTML, parse: parsed(list)}, ok, nil
}

// readJSON reads the JSON of services. It rejects other JSON.
func readJSON(f *file) (source, bool, error) {
	doc, ok := f.json()
	if !ok {
		return source{}, false, nil
	}
	r, err := service.Read(doc)
	return source{format: r.Format, language: r.Language, parse: parsed(r.List)}, true, err
}

// parsed returns the parser of a text whose turns are known.
func parsed(list turn.List) func() turn.List { return func() turn.List { return list } }

// readPage reads web pages.
func readPage(f *file) (source, bool, error) {
	if !isHTML(f.text) {
		return source{}, false, nil
	}
	src, err := detectHTML(f.text)
	return src, true, err
}

// readPageBelowFields reads pages of generators of web sites: HTML below the fields of Markdown.
func readPageBelowFields(f *file) (source, bool, error) {
	text := plain.UnifyLineBreaks(f.text)
	page := stripFrontMatter(text)
	if len(page) == len(text) || !isMostlyHTML(page) {
		return source{}, false, nil
	}
	src, err := detectFragment(page)
	src.format = format.Markdown
	return src, true, err
}

// readIRC reads logs of IRC.
func readIRC(f *file) (source, bool, error) {
	parse, ok := detectIRC(plain.UnifyLineBreaks(f.text))
	return source{format: format.Text, parse: parse}, ok, nil
}

// readZoomChat reads chats that Zoom saves.
func readZoomChat(f *file) (source, bool, error) {
	parse, ok := detectZoomChat(f.lines().text)
	return source{format: format.ZoomChat, parse: parse}, ok, nil
}

// readDatedChat reads chats whose messages begin with a date.
func readDatedChat(f *file) (source, bool, error) {
	lines := f.lines()
	if lines.captions {
		return source{}, false, nil
	}
	parse, ok := detectDatedChat(lines.marked)
	src := source{format: format.Text, dated: true, parse: parse, text: lines.marked, lines: lines.marked}
	return src, ok, nil
}

// readChatHeads reads chats whose messages have lines with names and times above them.
func readChatHeads(f *file) (source, bool, error) {
	lines := f.lines()
	if lines.captions {
		return source{}, false, nil
	}
	parse, ok := detectChatHeads(lines.text)
	return source{format: format.Text, dated: true, parse: parse, text: lines.text, lines: lines.text}, ok, nil
}

// readText reads any text.
func readText(f *file) (source, bool, error) {
	lines := f.lines()
	src := detectText(lines.text)
	switch src.format {
	case format.WebVTT, format.SubRip, format.SubViewer, format.ASS, format.ZoomChat:
	default:
		src.text = lines.text
	}
	return src, true, nil
}
