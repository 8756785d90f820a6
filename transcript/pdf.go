package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/format"
	"research/transcript/internal/plain"
	"research/transcript/internal/running"
	"research/transcript/internal/speaker"
	"research/transcript/pdf"
)

// pdfAdvice ends the sentences about PDFs that cannot be read.
const pdfAdvice = "Please upload the transcript as VTT, SRT, TXT or DOCX; most meeting tools export these " +
	"beside the PDF."

const pdfMagic = "%PDF-"

// maxBeforePDF is how many bytes may be before the header of a PDF, as other readers have it.
const maxBeforePDF = 1024

// isPDF reports whether a file is a PDF. Text that mentions the header of one is not.
func isPDF(data []byte) bool {
	i := headerOfPDF(data)
	return i == 0 || i > 0 && bytes.Contains(data[i:], []byte(" 0 obj"))
}

// headerOfPDF returns where the header of a PDF starts, or -1.
func headerOfPDF(data []byte) int {
	return bytes.Index(data[:min(len(data), maxBeforePDF+len(pdfMagic))], []byte(pdfMagic))
}

// detectPDF reads the text of a PDF, and detects which of the text formats it has.
func detectPDF(data []byte) (source, error) {
	pages, err := pdf.Read(data[headerOfPDF(data):]) // the offsets in a PDF count from there
	if err != nil {
		return source{}, format.Unsupported(pdfReason(err))
	}
	var d richText
	dropPrintMarks(pages)
	dropRunningLines(pages)
	dropLineNumbers(pages)
	dropHeadings(pages)
	d.out.WriteString(running.StripFormFeeds(joinLines(pages)))
	d.rows = rowsOf(pages)
	src, err := d.source(format.PDF)
	src.jumps = countJumps(pages)
	return src, err
}

// countJumps returns how often a line is above the one that is drawn before it, as in columns, and where
// names are drawn behind their words.
func countJumps(pages [][]pdf.Line) int {
	jumps := 0
	for _, page := range pages {
		for _, line := range page {
			if line.Above {
				jumps++
			}
		}
	}
	return jumps
}

func pdfReason(err error) string {
	switch {
	case errors.Is(err, pdf.ErrEncrypted):
		return "It is a PDF that opens only with a password or a certificate. " +
			"Please save it without one, or export the transcript as VTT, SRT, TXT or DOCX."
	case errors.Is(err, pdf.ErrNoText):
		return "This PDF shows no text: it is a scan, or its letters are drawn as shapes. " +
			"Please export the transcript as text, or recognise its text (OCR) first."
	case errors.Is(err, pdf.ErrUnmapped):
		return "It is a PDF whose fonts do not say which letters they show. " +
			"Please export the transcript as text, or recognise its text (OCR) first."
	case errors.Is(err, pdf.ErrRightToLeft):
		return "It is a PDF with text from right to left, whose order a PDF does not keep. " + pdfAdvice
	case errors.Is(err, pdf.ErrTooLarge):
		return "It is a PDF with far more in it than a transcript has. " + pdfAdvice
	}
	return "It is a PDF that is damaged, or made in a way that cannot be read. " + pdfAdvice
}

// dropPrintMarks removes what browsers print around each page, also of a single one: a line at the bottom
// that ends with the number of the page and that of all pages, and the line at the top that is drawn before
// it.
func dropPrintMarks(pages [][]pdf.Line) {
	for i, page := range pages {
		last := len(page) - 1
		if last < 0 || !strings.HasSuffix(page[last].Text, fmt.Sprintf("\t%d/%d", i+1, len(pages))) {
			return
		}
	}
	for i, page := range pages {
		last := len(page) - 1
		if last > 0 && page[last-1].Above {
			last--
		}
		pages[i] = page[:last]
	}
}

// joinLines returns the text of pages, separated by form feeds. A full line continues on the next one, unless
// that may be the start of a turn.
func joinLines(pages [][]pdf.Line) string {
	hyphens := countHyphens(pages)
	var out strings.Builder
	for i, page := range pages {
		if i > 0 {
			out.WriteString("\n\f")
		}
		for j, line := range page {
			text := line.Text
			if j+1 < len(page) && !page[j+1].SetApart && hyphens.divides(text, page[j+1].Text) {
				text = strings.TrimSuffix(text, "-")
			}
			switch {
			case j == 0:
			case line.SetApart:
				out.WriteString("\n\n")
			case endsInWord(page[j-1].Text, line.Text):
			case page[j-1].Full && !mayBeginTurn(line.Text) && !endsInTime(page[j-1].Text):
				if !breaksAnywhere(page[j-1].Text, line.Text) {
					out.WriteByte(' ')
				}
			default:
				out.WriteByte('\n')
			}
			out.WriteString(text)
		}
	}
	return out.String()
}

// endsInTime reports whether a line has a time at the right, above words.
func endsInTime(line string) bool {
	i := strings.LastIndexByte(line, '\t')
	return i >= 0 && clock.IsTimestamp(strings.Trim(line[i:], "\t []()"))
}

// mayBeginTurn reports whether a line begins with a label, a time or a bracket, or may be a name or have a
// time beside it.
func mayBeginTurn(line string) bool {
	_, _, isLabel := speaker.SplitLabel(line)
	hasTime := len(line) < running.MaxLine && strings.Contains(line, ":") &&
		strings.ContainsAny(line, "0123456789")
	return isLabel || hasTime || running.MayBeName(line) || strings.Contains(line, "\t") ||
		strings.ContainsAny(line[:min(1, len(line))], "0123456789[(<*#-") ||
		plain.HasAnyPrefix(line, "–", "—")
}
