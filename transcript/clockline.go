package transcript

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"research/transcript/internal/plain"
)

// A clockPlace says where a clock stands on its line.
type clockPlace int

const (
	clockNowhere   clockPlace = iota
	clockAtStart              // "10:02 AM Dana: …"
	clockBracketed            // "[10:02 AM] Dana: …"
	clockAfterName            // "Dana (10:02 AM): …"
	clockAtEnd                // "Dana  10:02 AM"
	clockPlaces
)

// A clockMatch is a clock, or a range of two, on a line.
type clockMatch struct {
	place    clockPlace
	from, to int // bytes of the line, with brackets
	start    clock
	end      clock
	ended    bool
	f4       bool
}

// findClock returns the clock of a line that may be the time of a turn.
func findClock(line string) clockMatch { return findClockAs(line, parseClock) }

// findClockAs does the same for clocks that the function reads.
func findClockAs(line string, parse clockFunc) clockMatch {
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	if m, ok := matchClock(line, indent, parse); ok {
		m.place = clockAtStart
		if line[indent] == '[' || line[indent] == '(' || m.f4 {
			m.place = clockBracketed
		}
		return m
	}
	head := line[:min(len(line), plain.MaxLabel)]
	for i := indent + 1; i < len(head); i++ {
		if head[i-1] != ' ' && head[i-1] != '\t' || head[i] != '[' && head[i] != '(' {
			continue
		}
		if m, ok := matchClock(line, i, parse); ok {
			m.place = clockAfterName
			return m
		}
	}
	line = strings.TrimRight(line, " \t")
	from := max(indent+1, len(line)-32)
	for i := from; i < len(line); i++ {
		if line[i] == ' ' || line[i-1] != ' ' && line[i-1] != '\t' {
			continue
		}
		m, ok := matchClock(line, i, parse)
		if ok && m.to == len(line) && (len(line) <= plain.MaxLabel || m.f4) {
			m.place = clockAtEnd
			return m
		}
	}
	return clockMatch{}
}

// matchClock reads a clock, or a range of two, in brackets or not, at a byte of a line.
func matchClock(line string, from int, parse clockFunc) (m clockMatch, ok bool) {
	s, closing := line[from:], ""
	switch {
	case strings.HasPrefix(s, "["):
		closing = "]"
	case strings.HasPrefix(s, "("):
		closing = ")"
	}
	s = strings.TrimLeft(s[len(closing):], " ")
	m.from, m.f4 = from, strings.HasPrefix(s, "#")
	start, rest, ok := parse(s)
	if !ok {
		return clockMatch{}, false
	}
	m.start = start
	trimmed := strings.TrimLeft(rest, " ")
	for _, dash := range []string{"-->", "->", "-", "–", "—", "to "} {
		after, found := strings.CutPrefix(trimmed, dash)
		if !found {
			continue
		}
		if end, after, ok := parse(strings.TrimLeft(after, " ")); ok {
			m.end, m.ended, rest = end, true, after
		}
		break
	}
	if closing != "" {
		if rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " "), closing); !ok {
			return clockMatch{}, false
		}
	}
	if strings.HasPrefix(rest, ", ") && closing == "" {
		rest = rest[1:] // "10:02 AM, Dana: …"
	}
	next, _ := utf8.DecodeRuneInString(rest)
	if closing == "" && !m.f4 && rest != "" && !strings.ContainsRune(" \t:-–|", next) {
		return clockMatch{}, false
	}
	m.to = len(line) - len(rest)
	return m, true
}

// rewriteClocks rewrites the clocks of a text as timestamps, where a text has enough of them in one place of its
// lines. Times of day count from the first one. With hours, bare times such as "10:02" are times of day.
func rewriteClocks(text string, hours bool) string {
	counts, dates := countClocks(text)
	blocks, lines := plain.CountBlocks(text)
	units := lines
	if blocks > 1 {
		units = min(lines, max(blocks, lines/10))
	}
	parse := parseClock
	if !counts.isUsed(units) {
		place, ok := dayClockPlace(text, units, hours)
		if !ok {
			return text
		}
		counts[place][dayNotation].used, parse = true, parseDayClock
	}
	w := wallClock{dates: dates}
	return plain.RewriteLines(text, func(line string) string {
		m := findClockAs(line, parse)
		if !counts[m.place][m.start.notation].used {
			return line
		}
		stamp := formatTimestamp(w.elapsed(m.start))
		if m.ended {
			stamp += " - " + formatTimestamp(w.elapsed(m.end))
		}
		if m.place == clockAtEnd && line[m.from] != '[' && line[m.from] != '(' {
			return line[:m.from] + stamp
		}
		return line[:m.from] + "[" + stamp + "]" + line[m.to:]
	})
}

// clockCounts counts the clocks of a text by their places and notations.
type clockCounts [clockPlaces][clockNotations]struct {
	all     int
	alone   int // those on a line of their own
	ordered int // those that do not go back in time
	last    time.Duration
	used    bool // they are the times of turns
}

// isUsed decides which clocks are the times of turns, and reports whether any are. Clocks without brackets
// occur in speech, so that they must be frequent.
func (c *clockCounts) isUsed(units int) bool {
	some := false
	for place := clockAtStart; place < clockPlaces; place++ {
		share := 20
		if place == clockAtStart || place == clockAtEnd {
			share = 3
		}
		for notation := range c[place] {
			count, least := &c[place][notation], share
			if count.alone*2 > count.all {
				least = 8
			}
			count.used = count.all > 1 && count.all*least >= units && count.ordered*10 >= count.all*8
			some = some || count.used
		}
	}
	return some
}

// dateOrder says which number of a date is the month.
type dateOrder struct{ monthFirst bool }

func countClocks(text string) (clockCounts, dateOrder) {
	var counts clockCounts
	var low, high [2]int
	for line := range strings.SplitSeq(text, "\n") {
		m := findClock(line)
		if m.place == clockNowhere {
			continue
		}
		count := &counts[m.place][m.start.notation]
		count.all++
		if m.to-m.from == len(strings.TrimSpace(line)) {
			count.alone++
		}
		if m.start.at >= count.last || m.start.wall {
			count.ordered++
		}
		count.last = m.start.at
		if m.start.dateKind != yearLast {
			continue
		}
		for i := range low {
			high[i] = max(high[i], m.start.date[i])
			if low[i] == 0 || m.start.date[i] < low[i] {
				low[i] = m.start.date[i]
			}
		}
	}
	// Without a number beyond twelve, the one that changes less is the month.
	monthFirst := high[0] <= 12 && (high[1] > 12 || high[0]-low[0] < high[1]-low[1])
	return counts, dateOrder{monthFirst}
}

// A wallClock turns times of day into times since the first one.
type wallClock struct {
	dates dateOrder
	first time.Time
	last  time.Time
	begun bool
}

func (w *wallClock) elapsed(c clock) time.Duration {
	if !c.wall {
		return c.at
	}
	at := w.day(c).Add(c.at)
	if c.dateKind == noDate && w.begun {
		// A conversation may pass midnight.
		for at.Before(w.last.Add(-12 * time.Hour)) {
			at = at.Add(24 * time.Hour)
		}
	}
	if !w.begun {
		w.first, w.begun = at, true
	}
	w.last = at
	return min(max(0, at.Sub(w.first)), maxTimestamp)
}

func (w *wallClock) day(c clock) time.Time {
	year, month, day := 1, 1, 1
	switch {
	case c.dateKind == yearFirst:
		year, month, day = c.date[0], c.date[1], c.date[2]
	case c.dateKind == yearLast && w.dates.monthFirst:
		year, month, day = c.date[2], c.date[0], c.date[1]
	case c.dateKind == yearLast:
		year, month, day = c.date[2], c.date[1], c.date[0]
	}
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

// formatTimestamp writes a time as parseTimestamp reads it.
func formatTimestamp(d time.Duration) string {
	return fmt.Sprintf("%d:%02d:%02d.%03d",
		d/time.Hour, d/time.Minute%60, d/time.Second%60, d/time.Millisecond%1000)
}
