package clock

import (
	"strings"
	"time"
)

// Bounds on the pace of speech. Times that would make people talk faster are not minutes and seconds.
const (
	fastestSpeech = 6.0 // words a second, over the whole conversation
	fastestTurn   = 5   // words a second, in a turn
)

// A pace is how fast people would talk if the times in one place of the lines were minutes and seconds.
type pace struct {
	clocks, days int // those that may be times of day
	alone        int // those on a line of their own
	ordered      int // those that do not go back in time
	groups, fast int // times that follow each other, and those with too many words between
	words        int
	first, last  time.Duration
	low, high    time.Duration
	since        int // words since the last time that differs
}

func (p *pace) add(c Time) {
	p.clocks++
	if c.notation == dayNotation {
		p.days++
	}
	at := c.At / 60
	if p.clocks == 1 {
		p.first, p.last, p.low, p.words, p.since = at, at, at, 0, 0
	}
	if at >= p.last {
		p.ordered++
	}
	p.low, p.high = min(p.low, at), max(p.high, at)
	if at != p.last {
		p.groups++
		if float64(p.since) > fastestTurn*((at-p.last).Seconds()+1) {
			p.fast++
		}
		p.since = 0
	}
	p.last = at
}

// isTooFast reports whether the words are too many to be said in the time.
func (p *pace) isTooFast() bool {
	overall := float64(p.words) > fastestSpeech*((p.high-p.low).Seconds()+1)
	return overall || p.groups > 3 && p.fast*10 >= p.groups*3
}

// areDays reports whether nearly all clocks may be times of day, and they are in order.
func (p *pace) areDays() bool {
	return p.clocks > 3 && p.days*20 >= p.clocks*19 && p.ordered*10 >= p.clocks*9
}

// ParseDay reads a bare "10:02" as a time of day, and other times as such.
func ParseDay(s string) (c Time, rest string, ok bool) {
	at, rest, ok := ParseTimeOfDay(s)
	if _, _, half := CutHalfDay(rest); half {
		return Time{}, s, false
	}
	if ok && strings.Count(s[:len(s)-len(rest)], ":") == 1 && !strings.ContainsAny(s[:len(s)-len(rest)], ".,") {
		return Time{At: at, notation: dayNotation, Wall: true}, rest, true
	}
	if at, rest, ok = ParseTimestamp(s); !ok {
		return Time{}, s, false
	}
	return Time{At: at, notation: f4Notation}, rest, true
}

// DayPlace returns the place of clocks such as "10:02" that are times of day, as chats have them: hours and
// minutes, between which nobody could say so many words if they were minutes and seconds, or which are known
// to be hours.
func DayPlace(text string, units int, hours bool) (Place, bool) {
	paces := countPaces(text)
	for place := AtStart; place < Places; place++ {
		share := 20
		if place == AtStart || place == AtEnd {
			share = 3
		}
		if paces[place].alone*2 > paces[place].clocks {
			share = 8
		}
		if p := &paces[place]; p.areDays() && p.clocks*share >= units && (hours || p.isTooFast()) {
			return place, true
		}
	}
	return Nowhere, false
}

// AreAmbiguous reports whether the times of a text may be minutes and seconds as well as hours and minutes:
// they begin late, and are slow enough to be either.
func AreAmbiguous(text string) bool {
	paces := countPaces(text)
	for place := AtStart; place < Places; place++ {
		if p := &paces[place]; p.areDays() && p.first >= lateStart && !p.isTooFast() {
			return true
		}
	}
	return false
}

// HaveDays reports whether the times of a text may be hours and minutes.
func HaveDays(text string) bool {
	paces := countPaces(text)
	for place := AtStart; place < Places; place++ {
		if paces[place].areDays() {
			return true
		}
	}
	return false
}

// lateStart is the time from which on the first time of a text may be a time of day.
const lateStart = 5 * time.Minute

func countPaces(text string) (paces [Places]pace) {
	for line := range strings.SplitSeq(text, "\n") {
		words := len(strings.Fields(line))
		m := FindAs(line, ParseDay)
		if m.Place != Nowhere {
			paces[m.Place].add(m.Start)
			if m.To-m.From == len(strings.TrimSpace(line)) {
				paces[m.Place].alone++
			}
			words--
		}
		for place := range paces {
			paces[place].words += words
			paces[place].since += words
		}
	}
	return paces
}

// Bounds on the pace of a whole conversation, in words a second. Long breaks make it slow.
const (
	SlowestPace = 0.02
	FastestPace = 15.0
)
