package transcript

import (
	"regexp"
	"strings"

	"research/transcript/internal/boilerplate"
	"research/transcript/internal/lexicon"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// isMeet reports whether a text is a transcript of Google Meet, by its list of attendees and its closing
// lines. Its turns are "Name: text", below a timestamp every five minutes; parseTimestamped reads them.
func isMeet(text string) bool {
	marks := 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		lower := strings.ToLower(line[:min(len(line), 64)])
		switch {
		case lower == "attendees", lower == "transcript", strings.HasSuffix(lower, " - transcript"):
			marks++
		case plain.HasAnyPrefix(lower, boilerplate.MeetDisclaimer, "meeting ended after ",
			"transcription ended after "):
			marks += 2
		}
	}
	_, closed := cutMeetClosing(text)
	return marks > 1 || closed
}

var (
	transcriptWords = lexicon.List("transcript-words")

	// meetingEnd is how Meet writes when a meeting ended: words, a time, and perhaps other words and an emoji.
	meetingEnd = regexp.MustCompile(`^([^\s\pN]\PN*?) ?\d\d:\d\d:\d\d\PN*$`)

	// meetTime is a heading between turns.
	meetTime = regexp.MustCompile(`(?m)^[ \t]*\d\d:\d\d:\d\d[ \t]*$`)
)

// maxMeetClosing is how long the closing lines are, at most. Those in English have 160 bytes.
const maxMeetClosing = 1 << 10

// cutMeetClosing removes the closing lines of Meet in any language: one with the time at which the meeting
// ended, and, as the last paragraph, that the transcript was computer generated.
func cutMeetClosing(text string) (body string, found bool) {
	trimmed := strings.TrimRight(text, " \t\n")
	tail := trimmed[max(0, len(trimmed)-maxMeetClosing):]
	i := strings.LastIndexByte(tail, '\n')
	if i < 0 || !hasTranscriptWord(tail[i+1:]) || hasLabel(tail[i+1:]) {
		return text, false
	}
	tail = strings.TrimRight(tail[:i], " \t\n")
	line := tail[strings.LastIndexByte(tail, '\n')+1:]
	ended := meetingEnd.FindStringSubmatch(strings.TrimSpace(line))
	if ended == nil || len(line) > plain.MaxLabel || hasLabel(line) ||
		speaker.ShapeOf(ended[1]) == speaker.FullName || !meetTime.MatchString(text) {
		return text, false
	}
	return trimmed[:max(0, len(trimmed)-maxMeetClosing)] + strings.TrimSuffix(tail, line), true
}

func hasTranscriptWord(line string) bool {
	line = strings.ToLower(line)
	for _, word := range transcriptWords {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}

func hasLabel(line string) bool {
	_, _, ok := speaker.SplitLabel(strings.TrimSpace(line))
	return ok
}
