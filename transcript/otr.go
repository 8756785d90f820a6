package transcript

import "strings"

// detectOTR reads a file of oTranscribe: JSON with the text of the editor, which is HTML, beside the name of the
// recording. Its times stand in the text.
func detectOTR(doc jsonDocument) (src source, ok bool, err error) {
	page := doc.text("text")
	if !doc.has("media") || !strings.HasPrefix(strings.TrimSpace(page), "<") {
		return source{}, false, nil
	}
	src, err = detectHTML(page)
	src.format = OTR
	return src, true, err
}
