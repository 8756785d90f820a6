package transcript

import (
	"bytes"
)

// detect decodes a file and detects its format.
func detect(data []byte) (source, error) {
	if len(data) > MaxBytes {
		return source{}, unsupported("It is larger than 10 MB. " +
			"Please upload the transcript alone, without recordings or pictures.")
	}
	if err := rejectSignature(data); err != nil {
		return source{}, err
	}
	if document, ok := cutBeforePDF(data); ok {
		return detectPDF(document)
	}
	if bytes.HasPrefix(data, []byte(rtfMagic)) {
		return detectRTF(data)
	}
	if isZip(data) {
		return detectDocx(data)
	}
	text, ok := decode(data)
	if !ok {
		return source{}, unsupported("It is a binary file. " + uploadInstead)
	}
	if src, ok, err := detectJSON(text); ok {
		return src, err
	}
	switch {
	case isTTML(text):
		return detectTTML(text)
	case isTimedText(text):
		return detectTimedText(text)
	case isEAF(text):
		return detectEAF(text)
	case isEXB(text):
		return detectEXB(text)
	case isTEI(text):
		return detectTEI(text)
	case isTRS(text):
		return detectTRS(text)
	case isTextGrid(text):
		return detectTextGrid(text)
	case isHTML(text):
		return detectHTML(text)
	}
	lines := unifyLineBreaks(text)
	if page := stripFrontMatter(lines); len(page) < len(lines) && isMostlyHTML(page) {
		d := htmlText{headings: true}
		return d.read(page, Markdown)
	}
	if src, ok := detectIRC(lines); ok {
		return src, nil
	}
	captions := isCaptions(lines)
	if !captions {
		lines = stripPages(stripInlineTags(stripComments(stripFrontMatter(unifyLineBreaks(stripFormFeeds(text))))))
	}
	marked := dropSystemLine(lines)
	lines = stripTiers(trimMarks(marked))
	if !captions {
		lines, _ = cutMeetClosing(joinCopiedHeads(stripPandoc(lines)))
	}
	if src, ok := detectZoomChat(lines); ok {
		return src, nil // its times may be before tabs
	}
	if !captions {
		if src, ok := detectDatedChat(marked); ok { // its notices have marks
			src.text, src.lines = marked, marked
			return src, nil
		}
		if src, ok := detectChatHeads(lines); ok {
			src.text, src.lines = lines, lines
			return src, nil
		}
		if src, ok := detectTable(lines); ok {
			return src, nil
		}
	}
	if err := rejectNonSpeech(text); err != nil {
		return source{}, err
	}
	src := detectText(lines)
	switch src.format {
	case WebVTT, SubRip, SubViewer, ASS, ZoomChat:
	default:
		src.text = lines
	}
	return src, nil
}

// maxBeforePDF is how many bytes may be before the header of a PDF, as other readers have it.
const maxBeforePDF = 1024

// cutBeforePDF removes what is before the header of a PDF: the offsets in a PDF count from there. Text that mentions
// the header is no PDF.
func cutBeforePDF(data []byte) (document []byte, ok bool) {
	i := bytes.Index(data[:min(len(data), maxBeforePDF+len(pdfMagic))], []byte(pdfMagic))
	if i < 0 || i > 0 && !bytes.Contains(data[i:], []byte(" 0 obj")) {
		return nil, false
	}
	return data[i:], true
}
