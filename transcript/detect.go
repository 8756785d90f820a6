package transcript

import (
	"encoding/json"
	"strings"
	"unicode"
)

// detect tells the format by what the text looks like, never by a name.
func detect(text string) (Format, error) {
	trimmed := strings.TrimLeft(text, " \t\r\n\f\uFEFF")
	switch {
	case isVTTHeader(trimmed):
		return WebVTT, nil
	case looksLikeSRT(trimmed):
		return SubRip, nil
	case strings.HasPrefix(trimmed, "{"), strings.HasPrefix(trimmed, "["):
		if json.Valid([]byte(trimmed)) {
			return "", refuse("it is JSON, but no transcript that we know")
		}
	case strings.HasPrefix(trimmed, "<"):
		return "", refuse("it is markup (HTML or XML), not a transcript")
	}
	if !hasWords(trimmed) {
		return "", refuse("there are no words in it")
	}
	if looksLikeMarkdown(trimmed) {
		return Markdown, nil
	}
	return Text, nil
}

func isVTTHeader(text string) bool {
	rest, found := strings.CutPrefix(text, "WEBVTT")
	return found && (rest == "" || strings.ContainsRune(" \t\r\n", rune(rest[0])))
}

// looksLikeSRT wants a timing line among the first lines: files with a missing index, or a title before it, are read as well.
func looksLikeSRT(text string) bool {
	head := text[:min(len(text), 4096)]
	for i, line := range lines(head) {
		if i == 40 {
			break
		}
		if _, _, ok := cueTimes(line); ok {
			return true
		}
	}
	return false
}

func looksLikeMarkdown(text string) bool {
	bold := 0
	for _, line := range lines(text[:min(len(text), 64<<10)]) {
		if name, _, ok := markdownLabel(strings.TrimSpace(line)); ok && name != "" {
			bold++
		}
	}
	return bold >= 2
}

// hasWords wants a few words of letters: a table of numbers is no transcript.
func hasWords(text string) bool {
	letters, others := 0, 0
	for _, r := range text[:min(len(text), 64<<10)] {
		switch {
		case unicode.IsLetter(r):
			letters++
		case !unicode.IsSpace(r):
			others++
		}
	}
	return letters >= 2 && letters >= others/2
}
