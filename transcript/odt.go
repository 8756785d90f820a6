package transcript

import (
	"archive/zip"
	"encoding/xml"
	"io"
	"strconv"
	"strings"

	"research/transcript/internal/format"
	"research/transcript/internal/xmldoc"
)

// detectOpenDocument reads the text of an OpenDocument text (OASIS, ODF 1.3, part 3), as LibreOffice and
// Google Docs write it.
func detectOpenDocument(part *zip.File) (source, error) {
	var d openDocument
	if err := readPart(part, d.add); err != nil {
		return source{}, err
	}
	return d.source(format.ODT)
}

// isOpenDocumentText reports whether an archive is a text, not a spreadsheet or slides.
func isOpenDocumentText(archive *zip.Reader) bool {
	for _, f := range archive.File {
		if f.Name != "mimetype" {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return false
		}
		defer func() { _ = in.Close() }()
		kind, err := io.ReadAll(io.LimitReader(in, 200))
		return err == nil && strings.HasPrefix(string(kind), "application/vnd.oasis.opendocument.text")
	}
	return false
}

func openDocumentPart(archive *zip.Reader) *zip.File {
	for _, f := range archive.File {
		if f.Name == "content.xml" {
			return f
		}
	}
	return nil
}

// maxStyles bounds how many styles are remembered.
const maxStyles = 10_000

// openDocument collects the text of content.xml.
type openDocument struct {
	richText
	xmldoc.Skipper

	inText int // depth within paragraphs and headings

	style     string          // the style that is being defined
	invisible map[string]bool // the styles whose text is not displayed
}

func (d *openDocument) add(token xml.Token) int {
	if d.Skips(token) {
		return d.out.Len()
	}
	switch t := token.(type) {
	case xml.StartElement:
		d.start(t)
	case xml.EndElement:
		d.end(t.Name.Local)
	case xml.CharData:
		if d.inText > 0 {
			d.out.Write(t)
		}
	}
	return d.out.Len()
}

func (d *openDocument) start(t xml.StartElement) {
	switch t.Name.Local {
	case "annotation", "tracked-changes", "note", "forms", "frame", "table-of-content":
		d.Hidden = 1
	case "style":
		d.style = xmldoc.Attribute(t, "name")
	case "text-properties":
		if xmldoc.Attribute(t, "display") == "none" && len(d.invisible) < maxStyles {
			if d.invisible == nil {
				d.invisible = map[string]bool{}
			}
			d.invisible[d.style] = true
		}
	case "span":
		if d.invisible[xmldoc.Attribute(t, "style-name")] {
			d.Hidden = 1
		}
	case "p", "h":
		d.inText++
		if t.Name.Local == "h" {
			d.beginHeading()
		}
	case "tab":
		d.out.WriteByte('\t')
	case "line-break":
		d.out.WriteByte('\n')
	case "s":
		d.out.WriteString(strings.Repeat(" ", spaces(t)))
	case "table":
		d.startTable()
	case "table-row":
		d.startRow()
	case "table-cell":
		d.startCell()
		if rows, err := strconv.Atoi(xmldoc.Attribute(t, "number-rows-spanned")); err == nil {
			d.spanRows(rows)
		}
	}
}

// spaces returns how many spaces an element stands for.
func spaces(t xml.StartElement) int {
	if n, err := strconv.Atoi(xmldoc.Attribute(t, "c")); err == nil {
		return min(max(n, 0), 100)
	}
	return 1
}

func (d *openDocument) end(element string) {
	switch element {
	case "p", "h":
		d.inText = max(0, d.inText-1)
		d.endHeading()
		d.endParagraph()
	case "table":
		d.endTable()
	case "table-row":
		d.endRow()
	case "table-cell":
		d.endCell()
	}
}
