package transcript

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
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

// readXML passes the tokens of a document to a function until that returns false. Its error means that the document
// is damaged.
func readXML(text string, add func(xml.Token) (more bool)) error {
	decoder := xml.NewDecoder(strings.NewReader(text))
	decoder.Strict = false
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
