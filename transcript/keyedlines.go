package transcript

import (
	"regexp"
	"strconv"
	"strings"
)

// keyedLine is a turn as scripts around pyannote.audio print it: "start=0.2s stop=1.5s speaker=SPEAKER_00 text= …".
var keyedLine = regexp.MustCompile(
	`^start=(\d{1,6}(?:\.\d+)?)s? +(?:stop|end)=(\d{1,6}(?:\.\d+)?)s? +speaker=([\pL\pN_-]{1,40}) +text=`)

// canonicalKeys rewrites such lines as "[0:00:00.200 - 0:00:01.500] SPEAKER_00: …", if most lines of a text are so.
func canonicalKeys(text string) string {
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
		return "[" + keyedTime(m[1]) + " - " + keyedTime(m[2]) + "] " + m[3] + ": " + line[len(m[0]):]
	}), "\n")
}

func keyedTime(seconds string) string {
	s, _ := strconv.ParseFloat(seconds, 64) // digits
	at, _ := fromSeconds(s)
	return formatTimestamp(at)
}
