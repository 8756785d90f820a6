package transcript

import "strings"

const meetDisclaimer = "this editable transcript was computer generated"

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
		case hasAnyPrefix(lower, meetDisclaimer, "meeting ended after ", "transcription ended after "):
			marks += 2
		}
	}
	return marks > 1
}
