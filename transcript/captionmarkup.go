package transcript

import (
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
)

// A segment is what one voice says within a cue.
type segment struct {
	speaker  string
	text     string
	doubtful bool // the text may begin with a name
}

// splitVoices divides a cue at its <v Name> tags and removes the markup. Adjacent lines of one voice are one
// segment.
func splitVoices(text string) []segment {
	var b voiceBuilder
	for text != "" {
		i := strings.IndexAny(text, "<&{")
		if i < 0 {
			b.text.WriteString(text)
			break
		}
		b.text.WriteString(text[:i])
		text = text[i:]
		if text[0] == '&' {
			character, size := plain.ParseEntity(text)
			b.text.WriteString(character)
			text = text[size:]
			continue
		}
		name, argument, size := parseTag(text)
		switch {
		case size == 0:
			b.text.WriteByte(text[0])
			size = 1
		case name == "v":
			b.endVoice()
			b.speaker = plain.UnescapeEntities(argument)
		case name == "/v":
			b.endVoice()
			b.speaker = ""
		}
		text = text[size:]
	}
	return b.finish()
}

// A voiceBuilder collects the segments of a cue.
type voiceBuilder struct {
	segments []segment
	last     strings.Builder // the text of the last segment
	speaker  string          // since the last tag
	text     strings.Builder // since the last tag
}

// endVoice adds the text since the last tag.
func (b *voiceBuilder) endVoice() {
	text := b.text.String()
	b.text.Reset()
	if plain.IsBlank(text) {
		return
	}
	if b.speaker != "" { // noScribe names the voice in its words again
		text = strings.TrimPrefix(strings.TrimLeft(text, " "), b.speaker+": ")
	}
	if n := len(b.segments); n > 0 && b.segments[n-1].speaker == b.speaker {
		b.last.WriteByte('\n')
	} else {
		b.finishLast()
		b.segments = append(b.segments, segment{speaker: b.speaker})
		b.last = strings.Builder{}
	}
	b.last.WriteString(text)
}

func (b *voiceBuilder) finishLast() {
	if n := len(b.segments); n > 0 {
		b.segments[n-1].text = b.last.String()
	}
}

func (b *voiceBuilder) finish() []segment {
	b.endVoice()
	b.finishLast()
	return b.segments
}

// hasVoice reports whether a cue has a <v Name> tag.
func hasVoice(s string) bool {
	for {
		i := strings.Index(s, "<v")
		if i < 0 {
			return false
		}
		s = s[i:]
		if name, argument, size := parseTag(s); size > 0 && name == "v" && argument != "" {
			return true
		}
		s = s[2:]
	}
}

// hasTimestampTag reports whether a cue has times within its text, as YouTube's captions have for each word.
func hasTimestampTag(s string) bool {
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			return false
		}
		s = s[i:]
		if name, _, size := parseTag(s); size > 0 && name == timestampTag {
			return true
		}
		s = s[1:]
	}
}

const (
	// maxTag bounds how far the end of a tag is searched, so that many "<" take linear time.
	maxTag = 400

	timestampTag = "time" // <00:00:01.000>
	overrideTag  = "{"    // {\an8}
)

// parseTag reads markup of WebVTT or SubRip at the start of s, and returns its size. The size is 0 for
// anything else in brackets, which is text.
func parseTag(s string) (name, argument string, size int) {
	if s[0] == '{' {
		return parseOverride(s)
	}
	end := strings.IndexByte(s[:min(len(s), maxTag)], '>')
	if end < 0 {
		return "", "", 0
	}
	inner := s[1:end]
	if clock.IsTimestamp(inner) {
		return timestampTag, "", end + 1
	}
	name = inner
	if i := strings.IndexAny(inner, " .\t\n"); i >= 0 {
		name = inner[:i]
	}
	if i := strings.IndexAny(inner, " \t\n"); i >= 0 {
		argument = strings.TrimSpace(inner[i:])
	}
	name = strings.ToLower(name)
	switch strings.TrimPrefix(name, "/") {
	case "v", "c", "i", "b", "u", "s", "ruby", "rt", "lang", "font":
		return name, argument, end + 1
	}
	return "", "", 0
}

// parseOverride reads an override of SubStation Alpha, such as {\an8}, which some SubRip files contain.
func parseOverride(s string) (name, argument string, size int) {
	if len(s) > 1 && s[1] == '\\' {
		if end := strings.IndexByte(s[:min(len(s), maxTag)], '}'); end > 0 {
			return overrideTag, "", end + 1
		}
	}
	return "", "", 0
}
