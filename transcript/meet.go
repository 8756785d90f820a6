package transcript

import "strings"

// Meet's transcripts are turns of "Name: text" under the time, every five minutes, alone in a line; parseStamped reads them.
// isMeet knows them by what is around: the list of attendees, the closing lines.
func isMeet(text string) bool {
	marks := 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		lower := strings.ToLower(line[:min(len(line), 64)])
		switch {
		case lower == "attendees", lower == "transcript", strings.HasSuffix(lower, " - transcript"):
			marks++
		case strings.HasPrefix(lower, "this editable transcript was computer generated"), strings.HasPrefix(lower, "meeting ended after "),
			strings.HasPrefix(lower, "transcription ended after "):
			marks += 2
		}
	}
	return marks > 1
}
