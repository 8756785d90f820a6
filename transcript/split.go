package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxUtteranceBytes is the length of the longest utterance: some three quarters of an hour of speech. A
// longer turn becomes several utterances of its speaker.
const MaxUtteranceBytes = 64 << 10

// splitTurn cuts a turn into parts of at most MaxUtteranceBytes: after a sentence, else at a space, else
// between two characters. The parts have no space at their ends.
func splitTurn(said string) []string {
	if len(said) <= MaxUtteranceBytes {
		return []string{said}
	}
	var parts []string
	for len(said) > MaxUtteranceBytes {
		at := cutAt(said[:MaxUtteranceBytes+1])
		if part := strings.TrimRightFunc(said[:at], unicode.IsSpace); part != "" {
			parts = append(parts, part)
		}
		said = strings.TrimLeftFunc(said[at:], unicode.IsSpace)
	}
	if said != "" {
		parts = append(parts, said)
	}
	return parts
}

// cutAt returns where the second half of a text that is one byte too long is cut.
func cutAt(text string) int {
	space := 0
	for i := len(text) - 1; i > len(text)/2; i-- {
		if text[i] != ' ' {
			continue
		}
		if strings.IndexByte(".?!", text[i-1]) >= 0 {
			return i
		}
		space = max(space, i)
	}
	if space > 0 {
		return space
	}
	for i := len(text) - 1; ; i-- {
		if utf8.RuneStart(text[i]) {
			return i
		}
	}
}
