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

// maxUnpacked bounds what is read of a Word document's text part. Sixty thousand words of Teams' markup take less than a third of it.
const maxUnpacked = 32 << 20

var errTooMuch = errors.New("more text than a transcript has")

// isZip holds for the archives that Word documents are.
func isZip(data []byte) bool {
	return bytes.HasPrefix(data, []byte("PK\x03\x04")) || bytes.HasPrefix(data, []byte("PK\x05\x06"))
}

// openDocx reads a Word document (ECMA-376, part 1, chapter 17): the words of its paragraphs, by which it is told whether
// Teams, Meet or somebody else wrote it. Other archives are refused by name.
func openDocx(data []byte) (source, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return source{}, refuse("It is a damaged or incomplete document. Please export it again.")
	}
	main := mainPart(archive)
	if main == nil {
		return source{}, refuse(refusals[archiveKind(archive)])
	}
	text, err := wordText(main)
	switch {
	case errors.Is(err, errTooMuch):
		return source{}, refuse("It is a document that unpacks to far more text than a transcript has. Please upload the transcript alone.")
	case err != nil:
		return source{}, refuse("It is a damaged document. Please export it again, or save it as TXT.")
	case blank(text):
		return source{}, refuse("It is a document without text. Please upload the transcript of a conversation.")
	}
	text = normalise(text)
	if isTeamsDocx(text) {
		return source{TeamsDocx, "", func() turns { return parseTeamsDocx(text) }}, nil
	}
	src := openText(text)
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

// mainPart finds the part that holds a Word document's text. Its name is up to the producer, who tells it in _rels/.rels.
func mainPart(archive *zip.Reader) *zip.File {
	parts := map[string]*zip.File{}
	for _, f := range archive.File {
		switch {
		case f.Name == "_rels/.rels", strings.HasPrefix(f.Name, "word/") && strings.HasSuffix(f.Name, ".xml") && strings.Count(f.Name, "/") == 1:
			if parts[f.Name] == nil {
				parts[f.Name] = f
			}
		}
	}
	if rels := parts["_rels/.rels"]; rels != nil {
		if in, err := rels.Open(); err == nil {
			defer func() { _ = in.Close() }()
			var all struct {
				Relationship []struct {
					Type   string `xml:"Type,attr"`
					Target string `xml:"Target,attr"`
				} `xml:"Relationship"`
			}
			if raw, err := io.ReadAll(io.LimitReader(in, 1<<20)); err == nil && xml.Unmarshal(raw, &all) == nil {
				for _, r := range all.Relationship {
					if strings.HasSuffix(r.Type, "/officeDocument") {
						if f := parts[strings.TrimPrefix(path.Clean("/"+r.Target), "/")]; f != nil {
							return f
						}
					}
				}
			}
		}
	}
	return parts["word/document.xml"]
}

// archiveKind says what else an archive is.
func archiveKind(archive *zip.Reader) string {
	for _, f := range archive.File {
		switch {
		case strings.HasPrefix(f.Name, "xl/"):
			return "sheet"
		case strings.HasPrefix(f.Name, "ppt/"):
			return "slides"
		case f.Name == "META-INF/container.xml":
			return "book"
		case f.Name == "content.xml":
			return "odt"
		}
	}
	return "archive"
}

// wordText reads the words of a part: a line for each break, and an empty line after each paragraph.
func wordText(part *zip.File) (string, error) {
	in, err := part.Open()
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	counted := &io.LimitedReader{R: in, N: maxUnpacked + 1}
	tokens := xml.NewDecoder(counted)
	var (
		out     strings.Builder
		words   = false // within w:t
		skipped = 0     // depth within what is not shown
	)
	for {
		token, err := tokens.RawToken()
		if counted.N <= 0 || out.Len() > MaxBytes {
			return "", errTooMuch
		}
		if errors.Is(err, io.EOF) {
			return out.String(), nil
		}
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if skipped > 0 {
				skipped++
				continue
			}
			switch t.Name.Local {
			case "Fallback", "del", "moveFrom", "pPr", "rPr", "sectPr", "tblPr", "instrText", "drawing", "pict":
				skipped = 1
			case "t":
				words = true
			case "br", "cr":
				out.WriteByte('\n')
			case "tab":
				out.WriteByte('\t')
			case "noBreakHyphen":
				out.WriteByte('-')
			}
		case xml.EndElement:
			if skipped > 0 {
				skipped--
				continue
			}
			switch t.Name.Local {
			case "t":
				words = false
			case "p":
				out.WriteString("\n\n")
			}
		case xml.CharData:
			if words && skipped == 0 {
				out.Write(t)
			}
		}
	}
}
