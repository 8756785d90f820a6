package qdpx

import (
	"archive/zip"
	"encoding/xml"
	"io"
	"time"
)

// mark is the byte order mark that QualCoder and MAXQDA expect at the beginning of a text.
const mark = "\ufeff"

// A Writer writes a project: first its texts, one after the other, and then its description.
type Writer struct {
	archive *zip.Writer
	at      time.Time
}

// NewWriter returns a writer of a project that is made at this moment.
func NewWriter(w io.Writer, at time.Time) *Writer { return &Writer{zip.NewWriter(w), at.UTC()} }

// AddText adds the text of a source, and returns its path for Source.PlainTextPath. The text has no other
// line breaks than "\n": programs count "\r\n" as one character or as two.
func (w *Writer) AddText(source GUID, text string) (path string, err error) {
	name := string(source) + ".txt"
	file, err := w.create("Sources/" + name)
	if err != nil {
		return "", err
	}
	if _, err := io.WriteString(file, mark); err != nil {
		return "", err
	}
	_, err = io.WriteString(file, text)
	return "internal://" + name, err
}

// Close writes the description, and ends the file.
func (w *Writer) Close(p *Project) error {
	file, err := w.create(descriptionName)
	if err != nil {
		return err
	}
	if err := encode(file, documentOf(p), xml.Name{Space: projectSpace, Local: "Project"}); err != nil {
		return err
	}
	return w.archive.Close()
}

func (w *Writer) create(name string) (io.Writer, error) {
	return w.archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: w.at})
}

// WriteCodebook writes a .qdc. The codes are at least one; their NoteRefs are left out, which a codebook has
// not.
func WriteCodebook(w io.Writer, origin string, codes []Code) error {
	book := codebook{Origin: origin, Codes: codeList{withoutNotes(codes)}}
	return encode(w, book, xml.Name{Space: codebookSpace, Local: "CodeBook"})
}

func withoutNotes(codes []Code) []Code {
	var bare []Code
	for _, c := range codes {
		c.NoteRefs, c.Codes = nil, withoutNotes(c.Codes)
		bare = append(bare, c)
	}
	return bare
}

// encode writes a document without a byte order mark.
func encode(w io.Writer, value any, root xml.Name) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	if err := e.EncodeElement(value, xml.StartElement{Name: root}); err != nil {
		return err
	}
	return e.Close()
}
