package transcript

import (
	"regexp"
	"strings"
	"time"

	"research/transcript/internal/clock"
)

// dottedTime is a time as QualCoder accepts it beside the usual ones: "[00.01.15]", "[01.15]" and
// "{00:01:15,250}".
var dottedTime = regexp.MustCompile(
	`\[(\d{1,2}\.[0-5]\d(?:\.[0-5]\d)?)\]|\{(\d{1,2}:[0-5]\d:[0-5]\d[.,]\d{1,3})\}`)

// minDottedTimes is how many such times a text has at least.
const minDottedTimes = 3

// canonicalDottedTimes rewrites such times with colons, if there are several, all in order. Decimals are not.
func canonicalDottedTimes(text string) string {
	n, last := 0, time.Duration(-1)
	for _, m := range dottedTime.FindAllStringSubmatch(text, -1) {
		at, _, ok := clock.ParseTimestamp(strings.ReplaceAll(m[1], ".", ":") + m[2])
		if !ok || at < last {
			return text
		}
		n, last = n+1, at
	}
	if n < minDottedTimes || last <= 0 {
		return text
	}
	return dottedTime.ReplaceAllStringFunc(text, func(mark string) string {
		if mark[0] == '{' {
			return "[" + strings.ReplaceAll(mark[1:len(mark)-1], ",", ".") + "]"
		}
		return strings.ReplaceAll(mark, ".", ":")
	})
}
