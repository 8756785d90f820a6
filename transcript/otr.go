package transcript

import (
	"regexp"
	"strings"
)

// otrTime is a time in the text of oTranscribe, which may have no space behind it.
var otrTime = regexp.MustCompile(`class="timestamp"[^<>]*>[^<>]*</span>`)

// otrPage returns the text in a file of oTranscribe: HTML beside the name of the recording. Its times stand
// in the text.
func otrPage(doc jsonDocument) (page string, ok bool) {
	page = doc.text("text")
	if !doc.has("media") || !strings.HasPrefix(strings.TrimSpace(page), "<") {
		return "", false
	}
	return otrTime.ReplaceAllString(page, "$0 "), true
}
