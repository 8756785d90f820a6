package transcript

import (
	"regexp"
	"strings"

	"research/transcript/internal/service"
)

// otrTime is a time in the text of oTranscribe, which need not be followed by a space.
var otrTime = regexp.MustCompile(`class="timestamp"[^<>]*>[^<>]*</span>`)

// otrPage returns the text in a file of oTranscribe: HTML beside the name of the recording. Its times stand
// in the text.
func otrPage(doc service.Document) (page string, ok bool) {
	page = doc.Text("text")
	if !doc.Has("media") || !strings.HasPrefix(strings.TrimSpace(page), "<") {
		return "", false
	}
	return otrTime.ReplaceAllString(page, "$0 "), true
}
