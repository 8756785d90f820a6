package transcript

import (
	"regexp"
	"strconv"
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
)

// keyedLine is a turn as scripts around pyannote.audio print it: "start=0.2s stop=1.5s speaker=SPEAKER_00
// text= …", or without the keys, as pyannote-whisper does.
var keyedLine = regexp.MustCompile(
	`^(?:start=)?(\d{1,6}\.\d+)s? +(?:(?:stop|end)=)?(\d{1,6}\.\d+)s? +` +
		`(?:speaker=([\pL\pN_-]{1,40}) +text=|([A-Z]{1,20}_\d{1,3}) )`)

// keyedHead is the line above a turn in the text of Speechmatics: "SPEAKER: S1".
var keyedHead = regexp.MustCompile(`(?m)^SPEAKER: (\S[^\n:]{0,40})$`)

// canonicalKeys rewrites such heads as "S1:", and such lines as "[0:00:00.200 - 0:00:01.500] SPEAKER_00: …",
// if most lines of a text are so.
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
	if _, lines := plain.CountBlocks(text); count < 2 || count*2 < lines {
		return text
	}
	return strings.TrimSuffix(plain.RewriteLines(text, func(line string) string {
		m := keyedLine.FindStringSubmatch(line)
		if m == nil {
			return line
		}
		return "[" + keyedTime(m[1]) + " - " + keyedTime(m[2]) + "] " + m[3] + m[4] + ": " + line[len(m[0]):]
	}), "\n")
}

var (
	curlyTime = regexp.MustCompile(`(?m)^\{((?:\d{1,2}:)?\d{1,2}:\d\d)\} ?`)
	primeTime = regexp.MustCompile(`(?m)^(?:(\d{1,2})h ?)?(\d{1,3})['’′] ?(\d\d)(?:"|”|″|''|’’) ?`)
)

// timeBeforeBracket is a time directly before a name in brackets of Chinese and Japanese.
var timeBeforeBracket = regexp.MustCompile(`(?m)^((?:\d{1,2}:)?\d{1,2}:\d\d)【`)

// canonicalBrackets rewrites times in braces, and those with primes for minutes and seconds, as times in
// brackets.
func canonicalBrackets(text string) string {
	if strings.Contains(text, "【") {
		text = timeBeforeBracket.ReplaceAllString(text, "$1 【")
	}
	if strings.ContainsRune(text, '{') && len(curlyTime.FindAllStringIndex(text, 3)) > 2 {
		return curlyTime.ReplaceAllString(text, "[$1] ")
	}
	if strings.ContainsAny(text, "'’′") && len(primeTime.FindAllStringIndex(text, 3)) > 2 {
		return primeTime.ReplaceAllStringFunc(text, func(time string) string {
			m := primeTime.FindStringSubmatch(time)
			if m[1] != "" {
				return "[" + m[1] + ":" + m[2] + ":" + m[3] + "] "
			}
			return "[" + m[2] + ":" + m[3] + "] "
		})
	}
	return text
}

func keyedTime(seconds string) string {
	s, _ := strconv.ParseFloat(seconds, 64) // digits
	at, _ := clock.FromSeconds(s)
	return clock.Format(at)
}
