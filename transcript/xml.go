package transcript

import (
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"research/transcript/internal/plain"
)

// hiddenElements skips the elements of a document that are not displayed, with all that is in them.
type hiddenElements struct {
	hidden int // depth within the outermost of them, or 0
}

// skips reports whether a token is within such an element, or ends it.
func (h *hiddenElements) skips(token xml.Token) bool {
	if h.hidden == 0 {
		return false
	}
	switch token.(type) {
	case xml.StartElement:
		h.hidden++
	case xml.EndElement:
		h.hidden--
	}
	return true
}

// maxTogether is how many people speak together in a turn, at most.
const maxTogether = 8

// namesOf returns the names of the people whose ids are in a list with spaces, as XML has references. An id without a
// name stands for itself.
func namesOf(ids string, names map[string]string) (found []string) {
	for id := range strings.FieldsSeq(ids) {
		id = strings.TrimPrefix(id, "#")
		if found = append(found, cmp.Or(names[id], shortName(id))); len(found) == maxTogether {
			break
		}
	}
	return found
}

// shortName returns a name without the spaces around it, or nothing for one that is no name.
func shortName(s string) string {
	if s = strings.TrimSpace(s); len(s) > plain.MaxLabel {
		return ""
	}
	return s
}

// readXML passes the tokens of a document to a function until that returns false. Its error means that the document
// is damaged.
func readXML(text string, add func(xml.Token) (more bool)) error {
	decoder := xml.NewDecoder(strings.NewReader(text))
	decoder.Strict = false
	decoder.CharsetReader = func(_ string, text io.Reader) (io.Reader, error) { return text, nil } // decoded already
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

// attribute returns the value of an attribute, or "".
func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
