package transcript

import (
	"regexp"
	"strings"
	"time"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
)

// maxHeadWords is how many words the name in a head has, at most.
const maxHeadWords = 8

// rewrittenClock is a clock as canonicalClocks writes it.
var rewrittenClock = regexp.MustCompile(`\[\d+:\d\d:\d\d\.\d{3}`)

// unreadTimes returns in how many lines of a text, whose clocks are rewritten as timestamps, a time stands
// where the times of turns do, but no turn has it. Such a line may be the head of a turn whose name was not
// recognized.
func (t *Transcript) unreadTimes(original, text string) int {
	if text == "" {
		return 0
	}
	// A clock of the words that was taken for the time of a turn.
	total := len(rewrittenClock.FindAllString(t.Text, -1)) - len(rewrittenClock.FindAllString(original, -1))
	if total > 0 {
		return total
	}
	times := map[time.Duration]bool{}
	for _, u := range t.Utterances {
		if u.Timed {
			times[u.Start.Truncate(time.Second)], times[u.End.Truncate(time.Second)] = true, true
		}
	}
	if len(times) < 3 {
		return 0
	}
	var read, unread [clock.Places]int
	for line := range strings.SplitSeq(text, "\n") {
		at, place := headTime(strings.TrimSpace(line))
		switch {
		case place == clock.Nowhere:
		case times[at.Truncate(time.Second)]:
			read[place]++
		default:
			unread[place]++
		}
	}
	total = 0
	for place, n := range unread {
		if read[place] > 2 && n < read[place] {
			total += n
		}
	}
	return total
}

// headTime returns the time on a line that may be the head of a turn, and where it stands. Times without
// brackets at the start of a line, or behind many words, are those of speech too.
func headTime(line string) (at time.Duration, place clock.Place) {
	if h, ok := clock.ReadBracketed(line); ok {
		return h.Start, clock.Bracketed
	}
	head := line[:min(len(line), plain.MaxLabel)]
	if i := strings.IndexAny(head, "[("); i > 1 && len(strings.Fields(head[:i])) <= maxHeadWords {
		if h, ok := clock.ReadBracketed(line[i:]); ok {
			return h.Start, clock.AfterName
		}
	}
	if before, _, at, ok := clock.CutTrailing(line); ok && len(strings.Fields(before)) <= maxHeadWords {
		return at, clock.AtEnd
	}
	return 0, clock.Nowhere
}
