// Package xmldoc walks through the elements of XML documents: captions, annotations and the parts of
// archives.
//
// It knows elements, attributes and references. Which of them are speech belongs to the formats.
package xmldoc

import (
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"research/transcript/internal/plain"
)

// Skipper skips the elements of a document that are not displayed, with all that is in them.
type Skipper struct {
	Hidden int // depth within the outermost of them, or 0
}

// Skips reports whether a token is within such an element, or ends it.
func (h *Skipper) Skips(token xml.Token) bool {
	if h.Hidden == 0 {
		return false
	}
	switch token.(type) {
	case xml.StartElement:
		h.Hidden++
	case xml.EndElement:
		h.Hidden--
	}
	return true
}

// maxTogether is how many people speak together in a turn, at most.
const maxTogether = 8

// NamesOf resolves a list of XML ids, separated by spaces, to the names of people. An id without a name is
// returned as it is.
func NamesOf(ids string, names map[string]string) (found []string) {
	for id := range strings.FieldsSeq(ids) {
		id = strings.TrimPrefix(id, "#")
		if found = append(found, cmp.Or(names[id], ShortName(id))); len(found) == maxTogether {
			break
		}
	}
	return found
}

// ShortName returns a name without the spaces around it, or "" if it cannot be a name.
func ShortName(s string) string {
	if s = strings.TrimSpace(s); len(s) > plain.MaxLabel {
		return ""
	}
	return s
}

// Read passes the tokens of a document to a function until that returns false. Its error means that the
// document is damaged.
func Read(text string, add func(xml.Token) (more bool)) error {
	decoder := xml.NewDecoder(strings.NewReader(text))
	decoder.Strict = false
	// The text is decoded already.
	decoder.CharsetReader = func(_ string, text io.Reader) (io.Reader, error) { return text, nil }
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !add(token) {
			return nil
		}
	}
}

// Attribute returns the value of an attribute, or "".
func Attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
