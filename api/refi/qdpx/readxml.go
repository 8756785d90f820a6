package qdpx

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits on a description. A project of a hundred interviews with twenty codings each has 10,000 elements.
const (
	maxElements   = 500_000
	maxDepth      = 64
	maxAttributes = 40
)

var (
	errDoctype = unreadable("Its description declares a document type. REFI-QDA has none.", nil)
	errDepth   = unreadable(fmt.Sprintf("Its description is nested more than %d deep.", maxDepth), nil)
)

// A tokens source passes on the tokens of a document within limits. There are no entities but those of XML.
type tokens struct {
	decoder  *xml.Decoder
	depth    int
	elements int
}

// Token implements xml.TokenReader.
func (t *tokens) Token() (xml.Token, error) {
	for {
		token, err := t.decoder.Token()
		if err != nil {
			return token, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			t.depth++
			t.elements++
			switch {
			case t.depth > maxDepth:
				return nil, errDepth
			case t.elements > maxElements || len(token.Attr) > maxAttributes:
				return nil, tooLarge("Its description has more than %d elements, or more than %d attributes of one.",
					maxElements, maxAttributes)
			}
			// Programs write names with and without a namespace, and one writes a wrong one.
			token.Name.Space = ""
			return token, nil
		case xml.EndElement:
			t.depth--
			token.Name.Space = ""
			return token, nil
		case xml.Directive:
			return nil, errDoctype
		case xml.Comment, xml.ProcInst:
			continue
		}
		return token, nil
	}
}

// decode reads a document whose root has this name into value.
func decode(r io.Reader, root string, value any) error {
	decoder := xml.NewDecoder(r)
	decoder.CharsetReader = charset
	document := xml.NewTokenDecoder(&tokens{decoder: decoder})
	for {
		token, err := document.Token()
		if err != nil {
			return notXML(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !strings.EqualFold(start.Name.Local, root) {
			return unreadable(fmt.Sprintf("Its description is not a %s of REFI-QDA.", root), nil)
		}
		if err := document.DecodeElement(value, &start); err != nil {
			return notXML(err)
		}
		return nil
	}
}

// charset rejects what is not Unicode. UTF-16 is decoded before.
func charset(name string, r io.Reader) (io.Reader, error) {
	switch strings.ToLower(name) {
	case "utf-8", "utf8", "utf-16", "us-ascii":
		return r, nil
	}
	return nil, unreadable("Its description is neither in UTF-8 nor in UTF-16.", nil)
}

func notXML(err error) error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	return unreadable("Its description is not well-formed XML.", err)
}

// readProject reads project.qde.
func readProject(data []byte) (*Project, error) {
	var d document
	if err := decode(bytes.NewReader(unicodeText(data)), "Project", &d); err != nil {
		return nil, err
	}
	return d.project(), nil
}

// ReadCodebook reads a .qdc as a project of codes alone. Its error is an *Error.
func ReadCodebook(data []byte) (*Project, error) {
	if len(data) > maxDescription {
		return nil, errDescription
	}
	var book codebook
	if err := decode(bytes.NewReader(unicodeText(data)), "CodeBook", &book); err != nil {
		return nil, err
	}
	p := &Project{Origin: book.Origin, Codes: book.Codes.All}
	if book.Sets != nil {
		p.Sets = book.Sets.All
	}
	return p, nil
}
