package transcript

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"

	"research/transcript/internal/format"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
	"research/transcript/internal/xmldoc"
)

// maxUnpacked bounds how much of a Word document's text part is read. Sixty thousand words in Teams' markup
// take less than a third of it.
const maxUnpacked = 32 << 20

// isZip reports whether a file is an archive, as Word documents are.
func isZip(data []byte) bool {
	return bytes.HasPrefix(data, []byte("PK\x03\x04")) || bytes.HasPrefix(data, []byte("PK\x05\x06"))
}

// detectDocx reads the text of a Word document (ECMA-376, part 1, chapter 17), and detects whether Teams,
// Meet or another tool wrote it. Other archives are rejected.
func detectDocx(data []byte) (source, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return source{}, format.Unsupported("It is a damaged or incomplete document. Please export it again.")
	}
	part := documentPart(archive)
	switch kind := kindOf(archive); {
	case part != nil:
	case kind == worksheets:
		return detectXLSX(data)
	case kind == openDocuments && isOpenDocumentText(archive):
		return detectOpenDocument(openDocumentPart(archive))
	default:
		return source{}, format.Unsupported(archives[kind])
	}
	var d docxText
	if err := readPart(part, d.add); err != nil {
		return source{}, err
	}
	text := plain.UnifyLineBreaks(d.out.String())
	if closed, ok := closeUpCaptions(plain.TrimMarks(text)); ok {
		if captions, ok := detectCaptions(closed); ok {
			return source{format: captions.format, language: captions.language, parse: captions.parse}, nil
		}
	}
	if isTeamsCues(text) {
		parse := func() turn.List { return parseTeamsCues(text) }
		return source{format: format.TeamsDocx, parse: parse, text: text}, nil
	}
	src, err := d.source(format.Docx)
	switch {
	case err != nil:
	case isTeamsText(text):
		src.format = format.TeamsDocx
	case isMeet(text):
		src.format = format.MeetDocx
	}
	return src, err
}

const relationshipsPart = "_rels/.rels"

// documentPart returns the part with the document's text, or nil. Its name is declared by the relationships.
func documentPart(archive *zip.Reader) *zip.File {
	parts := map[string]*zip.File{}
	for _, f := range archive.File {
		inFolder := strings.HasPrefix(f.Name, "word/") && strings.Count(f.Name, "/") == 1
		if f.Name == relationshipsPart || inFolder && strings.HasSuffix(f.Name, ".xml") {
			if parts[f.Name] == nil {
				parts[f.Name] = f
			}
		}
	}
	for _, target := range documentTargets(parts[relationshipsPart]) {
		if part := parts[target]; part != nil {
			return part
		}
	}
	return parts["word/document.xml"]
}

// documentTargets returns the names of the parts that the relationships declare as documents.
func documentTargets(relationships *zip.File) []string {
	if relationships == nil {
		return nil
	}
	in, err := relationships.Open()
	if err != nil {
		return nil
	}
	defer func() { _ = in.Close() }()
	var list struct {
		Relationships []struct {
			Type   string `xml:"Type,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	raw, err := io.ReadAll(io.LimitReader(in, 1<<20))
	if err != nil || xml.Unmarshal(raw, &list) != nil {
		return nil
	}
	var targets []string
	for _, r := range list.Relationships {
		if strings.HasSuffix(r.Type, "/officeDocument") {
			targets = append(targets, strings.TrimPrefix(path.Clean("/"+r.Target), "/"))
		}
	}
	return targets
}

// An archiveKind is a kind of archive that is not a Word document.
type archiveKind string

const (
	worksheets    archiveKind = "worksheets"
	openDocuments archiveKind = "open documents"
	slides        archiveKind = "slides"
	book          archiveKind = "book"
	otherArchive  archiveKind = "other"
)

// archives tell people what an archive is, if it is not read.
var archives = map[archiveKind]string{
	openDocuments: "It is an OpenDocument file, but not a text. Please save the transcript as ODT, DOCX or " +
		"TXT, and upload that.",
	slides:       "It is a presentation. " + format.UploadInstead,
	book:         "It is an e-book. " + format.UploadInstead,
	otherArchive: format.UnpackFirst,
}

// kindOf returns what another archive is.
func kindOf(archive *zip.Reader) archiveKind {
	for _, f := range archive.File {
		switch {
		case strings.HasPrefix(f.Name, "xl/"):
			return worksheets
		case strings.HasPrefix(f.Name, "ppt/"):
			return slides
		case f.Name == "META-INF/container.xml":
			return book
		case f.Name == "content.xml":
			return openDocuments
		}
	}
	return otherArchive
}

// readPart reads the XML of a part. The function takes a token, and returns how much text there is so far.
func readPart(part *zip.File, add func(xml.Token) int) error {
	errDamaged := format.Unsupported("It is a damaged document. Please export it again, or save it as TXT.")
	in, err := part.Open()
	if err != nil {
		return errDamaged
	}
	defer func() { _ = in.Close() }()
	limited := &io.LimitedReader{R: in, N: maxUnpacked + 1}
	tokens := xml.NewDecoder(limited)
	size := 0
	for {
		token, err := tokens.RawToken()
		if limited.N <= 0 || size > format.MaxBytes {
			return format.Unsupported("It is a document that unpacks to far more text than a transcript has. " +
				"Please upload the transcript alone.")
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return errDamaged
		}
		size = add(token)
	}
}

// docxText collects the text of a document.
type docxText struct {
	richText
	xmldoc.Skipper

	inText   bool // within w:t
	vanished bool // the run is hidden
}

func (d *docxText) add(token xml.Token) int {
	if t, ok := token.(xml.StartElement); ok && t.Name.Local == "pStyle" &&
		headingStyle.MatchString(xmldoc.Attribute(t, "val")) {
		d.beginHeading()
	}
	if d.Skips(token) {
		return d.out.Len()
	}
	switch t := token.(type) {
	case xml.StartElement:
		d.start(t)
	case xml.EndElement:
		d.end(t.Name.Local)
	case xml.CharData:
		if d.inText && !d.vanished {
			d.out.Write(t)
		}
	}
	return d.out.Len()
}

func (d *docxText) start(t xml.StartElement) {
	switch t.Name.Local {
	case "drawing", "pict":
		d.Hidden, d.pictures = 1, true
	case "Fallback", "del", "moveFrom", "pPr", "rPrChange", "rt", "sectPr", "tblPr", "instrText":
		d.Hidden = 1
	case "r":
		d.vanished = false
	case "vanish":
		d.vanished = !isOff(xmldoc.Attribute(t, "val"))
	case "vMerge":
		if value := xmldoc.Attribute(t, "val"); value == "" || value == "continue" {
			d.continueCell()
		}
	case "t":
		d.inText = true
	case "br", "cr":
		d.out.WriteByte('\n')
	case "tab":
		d.out.WriteByte('\t')
	case "noBreakHyphen":
		d.out.WriteByte('-')
	case "tbl":
		d.startTable()
	case "tr":
		d.startRow()
	case "tc":
		d.startCell()
	}
}

// isOff reports whether a property that is named has a value that turns it off.
func isOff(value string) bool { return value == "0" || value == "false" || value == "off" }

func (d *docxText) end(element string) {
	switch element {
	case "t":
		d.inText = false
	case "r":
		d.vanished = false
	case "p":
		d.endHeading()
		d.endParagraph()
	case "tc":
		d.endCell()
	case "tr":
		d.endRow()
	case "tbl":
		d.endTable()
	}
}
