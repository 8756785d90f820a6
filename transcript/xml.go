package transcript

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

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
