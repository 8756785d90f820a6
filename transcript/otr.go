package transcript

import (
	"regexp"
	"strings"
)

// otrTime is a time in the text of oTranscribe, which may have no space behind it.
var otrTime = regexp.MustCompile(`class="timestamp"[^<>]*>[^<>]*</span>`)

// detectOTR reads a file of oTranscribe: JSON with the text of the editor, which is HTML, beside the name of the
// recording. Its times stand in the text.
func detectOTR(doc jsonDocument) (src source, ok bool, err error) {
	page := doc.text("text")
	if !doc.has("media") || !strings.HasPrefix(strings.TrimSpace(page), "<") {
		return source{}, false, nil
	}
	src, err = detectHTML(otrTime.ReplaceAllString(page, "$0 "))
	src.format = OTR
	return src, true, err
}
