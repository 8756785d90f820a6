package transcript

import (
	"research/transcript/internal/format"
	"research/transcript/internal/turn"
)

// captionFormats are the formats of captions, the strictest first.
var captionFormats = []struct {
	format format.Format
	is     func(text string) bool
	parse  func(text string) turn.List
}{
	{format.WebVTT, isWebVTT, parseWebVTT}, // the only one with a signature
	{format.SubRip, isSRT, parseSRT},       // an arrow between two times
	{format.SubViewer, isSBV, parseSBV},    // a comma between two times, and nothing else on the line
	{format.ASS, isASS, parseASS},          // keywords that may be far below
}

// A captionFile is a file in one of these formats.
type captionFile struct {
	format   format.Format
	language string // as declared by the file, or ""
	parse    func() turn.List
}

// detectCaptions returns false for a text that is not in a format of captions.
func detectCaptions(text string) (file captionFile, ok bool) {
	for _, f := range captionFormats {
		if !f.is(text) {
			continue
		}
		file = captionFile{format: f.format, parse: func() turn.List { return f.parse(text) }}
		if f.format == format.WebVTT {
			file.language = vttLanguage(text)
		}
		return file, true
	}
	return captionFile{}, false
}

// isCaptions reports whether a text is in a format of captions. What recurs in these is speech.
func isCaptions(text string) bool {
	_, ok := detectCaptions(text)
	return ok
}
