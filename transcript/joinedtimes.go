package transcript

import (
	"regexp"
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

var blankLines = regexp.MustCompile(`\n[ \t]*(\n[ \t]*)+`)

// joinTimestamps puts names and timestamps that are on separate lines on one line, as Otter has them. It
// returns false unless nearly all timestamps stand beside a name and most names recur.
func joinTimestamps(text string) (joined string, ok bool) {
	for _, nameFirst := range []bool{true, false} {
		if joined, _ := joinTimestampLines(text, nameFirst); joined != "" {
			return joined, true
		}
	}
	// Names and times may be paragraphs of their own.
	text = blankLines.ReplaceAllString(text, "\n")
	joined, named := joinTimestampLines(text, true)
	if other, more := joinTimestampLines(text, false); more > named {
		joined = other
	}
	return joined, joined != ""
}

// joinTimestampLines does so where names come first, or times. It returns how often names that recur stand
// beside a time, and "" unless most do.
func joinTimestampLines(text string, nameFirst bool) (joined string, recurring int) {
	var (
		out           strings.Builder
		held          string // the line before
		isHeld        bool
		stamps, pairs int
		names         = map[string]int{}
	)
	out.Grow(len(text))
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if clock.IsStamp(line) {
			stamps++
		}
		name, stamp := line, held
		if nameFirst {
			name, stamp = held, line
		}
		name = strings.TrimSuffix(name, ":")
		if isHeld && clock.IsStamp(stamp) && len(name) <= plain.MaxLabel &&
			speaker.ShapeOf(name) != speaker.NotName {
			h, _ := clock.ReadStamp(stamp)
			out.WriteString(name + "  " + clock.Format(h.Start) + "\n")
			isHeld = false
			pairs++
			if n := names[name]; n > 0 || len(names) < plain.MaxLabels {
				names[name] = n + 1
			}
			continue
		}
		if isHeld {
			out.WriteString(held + "\n")
		}
		held, isHeld = line, true
	}
	if isHeld {
		out.WriteString(held)
	}
	recurring = sumRecurring(names)
	if pairs < 2 || pairs*10 < stamps*8 || recurring*10 < pairs*6 {
		return "", 0
	}
	return out.String(), recurring
}
