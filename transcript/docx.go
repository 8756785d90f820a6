package transcript

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"
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
		return source{}, unsupported("It is a damaged or incomplete document. Please export it again.")
	}
	part := documentPart(archive)
	if part == nil {
		return source{}, unsupported(reasons[archiveKind(archive)])
	}
	text, err := documentText(part)
	switch {
	case errors.Is(err, errUnpackedTooLarge):
		return source{}, unsupported("It is a document that unpacks to far more text than a transcript has. " +
			"Please upload the transcript alone.")
	case err != nil:
		return source{}, unsupported("It is a damaged document. Please export it again, or save it as TXT.")
	case isBlank(text):
		return source{}, unsupported("It is a document without text. " +
			"Please upload the transcript of a conversation.")
	}
	text = unifyLineBreaks(text)
	if isTeamsCues(text) {
		return source{TeamsDocx, "", func() turnList { return parseTeamsCues(text) }}, nil
	}
	src := detectText(text)
	switch {
	case src.format == Otter && !strings.Contains(text, "otter.ai"):
		src.format = TeamsDocx
	case src.format == Text && isMeet(text):
		src.format = MeetDocx
	default:
		src.format = Docx
	}
	return src, nil
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

// archiveKind returns what another archive is.
func archiveKind(archive *zip.Reader) fileKind {
	for _, f := range archive.File {
		switch {
		case strings.HasPrefix(f.Name, "xl/"):
			return kindSpreadsheet
		case strings.HasPrefix(f.Name, "ppt/"):
			return kindSlides
		case f.Name == "META-INF/container.xml":
			return kindBook
		case f.Name == "content.xml":
			return kindOpenDocument
		}
	}
	return kindArchive
}

var errUnpackedTooLarge = errors.New("the document unpacks to too much text")

// documentText returns the text of a part, with a line for each break and a blank line after each paragraph.
func documentText(part *zip.File) (string, error) {
	in, err := part.Open()
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	limited := &io.LimitedReader{R: in, N: maxUnpacked + 1}
	tokens := xml.NewDecoder(limited)
	var d docxText
	for {
		token, err := tokens.RawToken()
		if limited.N <= 0 || d.out.Len() > MaxBytes {
			return "", errUnpackedTooLarge
		}
		if errors.Is(err, io.EOF) {
			return d.out.String(), nil
		}
		if err != nil {
			return "", err
		}
		d.add(token)
	}
}

// docxText collects the text of a document.
type docxText struct {
	out    strings.Builder
	inText bool // within w:t
	hidden int  // depth within an element that is not displayed
}

func (d *docxText) add(token xml.Token) {
	switch t := token.(type) {
	case xml.StartElement:
		if d.hidden > 0 {
			d.hidden++
			return
		}
		d.start(t.Name.Local)
	case xml.EndElement:
		if d.hidden > 0 {
			d.hidden--
			return
		}
		switch t.Name.Local {
		case "t":
			d.inText = false
		case "p":
			d.out.WriteString("\n\n")
		}
	case xml.CharData:
		if d.inText && d.hidden == 0 {
			d.out.Write(t)
		}
	}
}

func (d *docxText) start(element string) {
	switch element {
	case "Fallback", "del", "moveFrom", "pPr", "rPr", "sectPr", "tblPr", "instrText", "drawing", "pict":
		d.hidden = 1
	case "t":
		d.inText = true
	case "br", "cr":
		d.out.WriteByte('\n')
	case "tab":
		d.out.WriteByte('\t')
	case "noBreakHyphen":
		d.out.WriteByte('-')
	}
}
