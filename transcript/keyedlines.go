package transcript

import (
	"regexp"
	"strconv"
	"strings"
)

// keyedLine is a turn as scripts around pyannote.audio print it: "start=0.2s stop=1.5s speaker=SPEAKER_00 text= …", or
// without the keys, as pyannote-whisper does.
var keyedLine = regexp.MustCompile(
	`^(?:start=)?(\d{1,6}\.\d+)s? +(?:(?:stop|end)=)?(\d{1,6}\.\d+)s? +` +
		`(?:speaker=([\pL\pN_-]{1,40}) +text=|([A-Z]{1,20}_\d{1,3}) )`)

// keyedHead is the line above a turn in the text of Speechmatics: "SPEAKER: S1".
var keyedHead = regexp.MustCompile(`(?m)^SPEAKER: (\S[^\n:]{0,40})$`)

// canonicalKeys rewrites such heads as "S1:", and such lines as "[0:00:00.200 - 0:00:01.500] SPEAKER_00: …", if most
// lines of a text are so.
func canonicalKeys(text string) string {
	if len(keyedHead.FindAllStringIndex(text, 2)) > 1 {
		return keyedHead.ReplaceAllString(text, "$1:")
	}
	count := 0
	for line := range strings.SplitSeq(text, "\n") {
		if keyedLine.MatchString(line) {
			count++
		}
	}
	if _, lines := countBlocks(text); count < 2 || count*2 < lines {
		return text
	}
	return strings.TrimSuffix(rewriteLines(text, func(line string) string {
		m := keyedLine.FindStringSubmatch(line)
		if m == nil {
			return line
		}
		return "[" + keyedTime(m[1]) + " - " + keyedTime(m[2]) + "] " + m[3] + m[4] + ": " + line[len(m[0]):]
	}), "\n")
}

func keyedTime(seconds string) string {
	s, _ := strconv.ParseFloat(seconds, 64) // digits
	at, _ := fromSeconds(s)
	return formatTimestamp(at)
}
