package clock

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"research/transcript/internal/plain"
)

// A Place says where a clock stands on its line.
type Place int

// The places of a clock in a line.
const (
	Nowhere   Place = iota
	AtStart         // "10:02 AM Dana: …"
	Bracketed       // "[10:02 AM] Dana: …"
	AfterName       // "Dana (10:02 AM): …"
	AtEnd           // "Dana  10:02 AM"
	Places
)

// A Match is a clock, or a range of two, on a line.
type Match struct {
	Place    Place
	From, To int // bytes of the line, with brackets
	Start    Time
	end      Time
	ended    bool
	F4       bool
}

// Find returns the clock of a line that may be the time of a turn.
func Find(line string) Match { return FindAs(line, Parse) }

// FindAs does the same for clocks that the function reads.
func FindAs(line string, parse Func) Match {
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	if m, ok := matchClock(line, indent, parse); ok {
		m.Place = AtStart
		if line[indent] == '[' || line[indent] == '(' || m.F4 {
			m.Place = Bracketed
		}
		return m
	}
	head := line[:min(len(line), plain.MaxLabel)]
	for i := indent + 1; i < len(head); i++ {
		if head[i-1] != ' ' && head[i-1] != '\t' || head[i] != '[' && head[i] != '(' {
			continue
		}
		if m, ok := matchClock(line, i, parse); ok {
			m.Place = AfterName
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
		if ok && m.To == len(line) && (len(line) <= plain.MaxLabel || m.F4) {
			m.Place = AtEnd
			return m
		}
	}
	return Match{}
}

// matchClock reads a clock, or a range of two, in brackets or not, at a byte of a line.
func matchClock(line string, from int, parse Func) (m Match, ok bool) {
	s, closing := line[from:], ""
	switch {
	case strings.HasPrefix(s, "["):
		closing = "]"
	case strings.HasPrefix(s, "("):
		closing = ")"
	}
	s = strings.TrimLeft(s[len(closing):], " ")
	m.From, m.F4 = from, strings.HasPrefix(s, "#")
	start, rest, ok := parse(s)
	if !ok {
		return Match{}, false
	}
	m.Start = start
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
			return Match{}, false
		}
	}
	if strings.HasPrefix(rest, ", ") && closing == "" {
		rest = rest[1:] // "10:02 AM, Dana: …"
	}
	next, _ := utf8.DecodeRuneInString(rest)
	if closing == "" && !m.F4 && rest != "" && !strings.ContainsRune(" \t:-–|", next) {
		return Match{}, false
	}
	m.To = len(line) - len(rest)
	return m, true
}

// Rewrite rewrites the clocks of a text as timestamps, where a text has enough of them in one place of its
// lines. Times of day count from the first one. With hours, bare times such as "10:02" are times of day.
func Rewrite(text string, hours bool) string {
	counts, dates := Count(text)
	blocks, lines := plain.CountBlocks(text)
	units := lines
	if blocks > 1 {
		units = min(lines, max(blocks, lines/10))
	}
	parse := Parse
	if !counts.isUsed(units) {
		place, ok := DayPlace(text, units, hours)
		if !ok {
			return text
		}
		counts[place][dayNotation].used, parse = true, ParseDay
	}
	w := Wall{Dates: dates}
	return plain.RewriteLines(text, func(line string) string {
		m := FindAs(line, parse)
		if !counts[m.Place][m.Start.notation].used {
			return line
		}
		stamp := Format(w.Elapsed(m.Start))
		if m.ended {
			stamp += " - " + Format(w.Elapsed(m.end))
		}
		if m.Place == AtEnd && line[m.From] != '[' && line[m.From] != '(' {
			return line[:m.From] + stamp
		}
		return line[:m.From] + "[" + stamp + "]" + line[m.To:]
	})
}

// counts has the number of clocks of a text by their places and notations.
type counts [Places][Notations]struct {
	all     int
	alone   int // those on a line of their own
	ordered int // those that do not go back in time
	last    time.Duration
	used    bool // they are the times of turns
}

// isUsed decides which clocks are the times of turns, and reports whether any are. Clocks without brackets
// occur in speech, so that they must be frequent.
func (c *counts) isUsed(units int) bool {
	some := false
	for place := AtStart; place < Places; place++ {
		share := 20
		if place == AtStart || place == AtEnd {
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

// Count counts the clocks of a text, and tells the order of the numbers in its dates.
func Count(text string) (counts, dateOrder) {
	var counts counts
	var low, high [2]int
	for line := range strings.SplitSeq(text, "\n") {
		m := Find(line)
		if m.Place == Nowhere {
			continue
		}
		count := &counts[m.Place][m.Start.notation]
		count.all++
		if m.To-m.From == len(strings.TrimSpace(line)) {
			count.alone++
		}
		if m.Start.At >= count.last || m.Start.Wall {
			count.ordered++
		}
		count.last = m.Start.At
		if m.Start.DateKind != yearLast {
			continue
		}
		for i := range low {
			high[i] = max(high[i], m.Start.Date[i])
			if low[i] == 0 || m.Start.Date[i] < low[i] {
				low[i] = m.Start.Date[i]
			}
		}
	}
	// Without a number beyond twelve, the one that changes less is the month.
	monthFirst := high[0] <= 12 && (high[1] > 12 || high[0]-low[0] < high[1]-low[1])
	return counts, dateOrder{monthFirst}
}

// A Wall turns times of day into times since the first one.
type Wall struct {
	Dates dateOrder
	first time.Time
	last  time.Time
	begun bool
}

// Elapsed returns the time of a clock since the first time of day that w was asked about. A clock that counts
// from the start of the recording is returned as it is.
func (w *Wall) Elapsed(c Time) time.Duration {
	if !c.Wall {
		return c.At
	}
	at := w.day(c).Add(c.At)
	if c.DateKind == NoDate && w.begun {
		// A conversation may pass midnight.
		for at.Before(w.last.Add(-12 * time.Hour)) {
			at = at.Add(24 * time.Hour)
		}
	}
	if !w.begun {
		w.first, w.begun = at, true
	}
	w.last = at
	return min(max(0, at.Sub(w.first)), MaxChat)
}

func (w *Wall) day(c Time) time.Time {
	year, month, day := 1, 1, 1
	switch {
	case c.DateKind == YearFirst:
		year, month, day = c.Date[0], c.Date[1], c.Date[2]
	case c.DateKind == yearLast && w.Dates.monthFirst:
		year, month, day = c.Date[2], c.Date[0], c.Date[1]
	case c.DateKind == yearLast:
		year, month, day = c.Date[2], c.Date[1], c.Date[0]
	}
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

// Format writes a time as ParseTimestamp reads it.
func Format(d time.Duration) string {
	return fmt.Sprintf("%d:%02d:%02d.%03d",
		d/time.Hour, d/time.Minute%60, d/time.Second%60, d/time.Millisecond%1000)
}
