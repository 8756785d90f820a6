package transcript

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/lexicon"
	"research/transcript/internal/plain"
)

// A clock is a time in a notation of its own: with a date, AM or PM, frames, or as F4 and Whisper write it.
// parseTimestamp reads the usual notations.
type clock struct {
	at       time.Duration
	notation clockNotation
	wall     bool // a time of day
	date     [3]int
	dateKind dateKind
}

// A clockNotation is a way to write a clock.
type clockNotation int

const (
	f4Notation      clockNotation = iota // #00:01:23-4#
	secondsNotation                      // 1.20s
	frameNotation                        // 00:01:23:14
	upperHalfDay                         // 10:02 AM
	lowerHalfDay                         // 10:02 am
	dateNotation                         // 2024-03-05 10:02
	dayNotation                          // 10:02 as a time of day
	clockNotations
)

// A clockFunc reads a clock at the start of s, and returns what follows it.
type clockFunc func(s string) (c clock, rest string, ok bool)

// A dateKind says in which order the numbers of a date are.
type dateKind int

const (
	noDate    dateKind = iota
	yearFirst          // 2024-03-05
	yearLast           // 05/03/2024: day or month first
)

// parseClock reads a clock at the start of s, and returns what follows it.
func parseClock(s string) (c clock, rest string, ok bool) {
	if begins, rest, ok := cutHalfDayBefore(s); ok {
		at, after, ok := parseTimeOfDay(rest)
		return clock{at: at%halfDay + begins, wall: true, notation: upperHalfDay}, after, ok
	}
	if s == "" || s[0] != '#' && !plain.IsDigit(s[0]) {
		if date, kind, rest := parseNamedDate(s); kind != noDate {
			return parseDated(date, kind, rest, s)
		}
		return clock{}, s, false
	}
	if s[0] == '#' {
		return parseF4(s)
	}
	if c, rest, ok := parseSeconds(s); ok {
		return c, rest, true
	}
	if c, rest, ok := parseFrames(s); ok {
		return c, rest, true
	}
	date, kind, rest := parseDate(s)
	if kind == noDate {
		date, kind, rest = parseNamedDate(s)
	}
	return parseDated(date, kind, rest, s)
}

// parseDated reads the time of day after a date, or after none.
func parseDated(date [3]int, kind dateKind, rest, s string) (c clock, after string, ok bool) {
	c = clock{date: date, dateKind: kind, wall: true, notation: dateNotation}
	if begins, after, ok := cutHalfDayBefore(rest); ok {
		c.at, rest, ok = parseTimeOfDay(after)
		c.at = c.at%halfDay + begins
		return c, rest, ok
	}
	if c.at, after, ok = parseTimeOfDay(rest); !ok && kind != noDate {
		c.at, after, ok = parseDottedTime(rest)
	}
	if !ok {
		return clock{}, s, false
	}
	rest = after
	switch half, after, found := cutHalfDay(rest); {
	case found:
		if kind == noDate {
			c.notation = lowerHalfDay
			if plain.IsAllCaps(rest[:len(rest)-len(after)]) {
				c.notation = upperHalfDay
			}
		}
		c.at, rest = c.at%halfDay+half, after
	case kind != noDate:
		rest = cutZone(rest)
	default:
		return clock{}, s, false
	}
	return c, rest, c.at < 24*time.Hour
}

// parseF4 reads F4's "#00:01:23-4#", whose last digit are tenths of a second.
func parseF4(s string) (c clock, rest string, ok bool) {
	at, rest, ok := parseTimestamp(s[1:])
	if !ok {
		return clock{}, s, false
	}
	if len(rest) > 2 && rest[0] == '-' && plain.IsDigit(rest[1]) {
		at += time.Duration(rest[1]-'0') * 100 * time.Millisecond
		rest = rest[2:]
	}
	rest, ok = strings.CutPrefix(rest, "#")
	return clock{at: at}, rest, ok
}

// parseSeconds reads "1.20s" or "63s".
func parseSeconds(s string) (c clock, rest string, ok bool) {
	if at, rest, ok := parseUnits(s); ok {
		return clock{at: at, notation: secondsNotation}, rest, true
	}
	n, size := plain.ParseDigits(s, 6)
	if size == 0 {
		return clock{}, s, false
	}
	at := time.Duration(n) * time.Second
	if size+1 < len(s) && s[size] == '.' && plain.IsDigit(s[size+1]) {
		size++
		for unit := 100 * time.Millisecond; size < len(s) && plain.IsDigit(s[size]); size++ {
			at += time.Duration(s[size]-'0') * unit
			unit /= 10
		}
	}
	rest, ok = strings.CutPrefix(s[size:], "s")
	if !ok || rest != "" && !strings.ContainsRune(" \t])-:", rune(rest[0])) || at > maxTimestamp {
		return clock{}, s, false
	}
	return clock{at: at, notation: secondsNotation}, rest, true
}

// timeUnits are the units of times in words.
var timeUnits = lexicon.Map("time-units")

// A timePart is a number with its unit, as in "7 seconds" and "7s".
type timePart struct {
	length   time.Duration
	unit     string // h, m or s
	isLetter bool   // the unit is one of these letters
	isSpaced bool   // the unit does not follow the number directly
}

// cutTimePart reads a number and its unit at the start of s. Characters of gap may stand between them.
func cutTimePart(s, gap string) (p timePart, rest string, ok bool) {
	n, size := plain.ParseDigits(s, 3)
	if size == 0 {
		return timePart{}, s, false
	}
	word := strings.TrimLeft(s[size:], gap)
	end := strings.IndexFunc(word, plain.IsNotLetter)
	if end < 0 {
		end = len(word)
	}
	p.unit, ok = timeUnits[strings.ToLower(word[:end])]
	p.length = time.Duration(n) * unitLength(p.unit)
	p.isLetter, p.isSpaced = end == 1, len(word) < len(s)-size
	return p, word[end:], ok
}

// unitLength returns the length of a unit of timeUnits.
func unitLength(unit string) time.Duration {
	switch unit {
	case "h":
		return time.Hour
	case "m":
		return time.Minute
	}
	return time.Second
}

// parseUnits reads "1m03s", "1m 3s" and "1 minute 3 seconds". The last unit is seconds.
func parseUnits(s string) (at time.Duration, rest string, ok bool) {
	rest = s
	for range 3 {
		part, after, found := cutTimePart(rest, " ")
		if !found || part.isLetter && part.isSpaced {
			break
		}
		rest = after
		at += part.length
		if part.unit == "s" {
			isSimple := part.isLetter && at < time.Minute && !strings.Contains(s[:len(s)-len(rest)], "m")
			return at, rest, !isSimple && at <= maxTimestamp
		}
		rest = strings.TrimLeft(rest, " ,")
	}
	return 0, s, false
}

// parseFrames reads "00:01:23:14" or "00:01:23;14". The frame rate is unknown; thirty are close enough.
func parseFrames(s string) (c clock, rest string, ok bool) {
	size, colons := 0, 0
	for size < len(s) && colons < 3 {
		if s[size] == ':' || s[size] == ';' && colons == 2 {
			colons++
		} else if !plain.IsDigit(s[size]) {
			return clock{}, s, false
		}
		size++
	}
	if colons < 3 {
		return clock{}, s, false
	}
	at, after, ok := parseTimestamp(s[:size-1])
	frames, digits := plain.ParseDigits(s[size:], 2)
	if !ok || after != "" || digits != 2 || frames > 59 {
		return clock{}, s, false
	}
	at += min(time.Duration(frames)*time.Second/30, 999*time.Millisecond)
	return clock{at: at.Truncate(time.Millisecond), notation: frameNotation}, s[size+digits:], true
}

// dateUnits are what stands behind the year, the month and the day in Korean, and in Chinese and Japanese.
var dateUnits = [][3]string{{"년 ", "월 ", "일"}, {"年", "月", "日"}, {". ", ". ", "."}}

// parseUnitDate reads "2013년 5월 4일", "2013年5月4日" and "2013. 5. 4.".
func parseUnitDate(s string) (date [3]int, rest string, ok bool) {
	for _, units := range dateUnits {
		rest, ok = s, true
		for i, unit := range units {
			n, size := plain.ParseDigits(rest, 4)
			after, found := strings.CutPrefix(rest[size:], unit)
			if ok = found && size > 0 && (i == 0) == (size == 4); !ok {
				break
			}
			date[i], rest = n, after
		}
		if ok {
			return date, rest, true
		}
	}
	return date, s, false
}

// parseDate reads a date of numbers, and what separates it from the time. The kind is noDate without one.
func parseDate(s string) (date [3]int, kind dateKind, rest string) {
	if date, rest, ok := parseUnitDate(s); ok {
		return date, yearFirst, strings.TrimPrefix(rest, " ")
	}
	rest = s
	var sizes [3]int
	for i := range date {
		limit := 4
		date[i], sizes[i] = plain.ParseDigits(rest, limit)
		if sizes[i] == 0 {
			return date, noDate, s
		}
		rest = rest[sizes[i]:]
		if i == 2 {
			break
		}
		if rest == "" || !strings.ContainsRune("/.-", rune(rest[0])) {
			return date, noDate, s
		}
		rest = rest[1:]
	}
	switch {
	case sizes[0] == 4 && sizes[1] <= 2 && sizes[2] <= 2:
		kind = yearFirst
	case sizes[0] <= 2 && sizes[1] <= 2 && (sizes[2] == 2 || sizes[2] == 4):
		kind = yearLast
	default:
		return date, noDate, s
	}
	for _, separator := range []string{"T", ", ", "، ", " at ", " um ", " à ", ",", " "} {
		if after, ok := strings.CutPrefix(rest, separator); ok {
			return date, kind, after
		}
	}
	return date, noDate, s
}

// parseTimeOfDay reads "10:02" or "10:02:15".
func parseTimeOfDay(s string) (at time.Duration, rest string, ok bool) {
	hours, size := plain.ParseDigits(s, 2)
	if size == 0 || hours > 23 {
		return 0, s, false
	}
	if at, rest, ok = parseTimestamp(s); !ok {
		return 0, s, false
	}
	if strings.Count(s[:len(s)-len(rest)], ":") == 1 {
		at *= 60 // hours and minutes, which parseTimestamp reads as minutes and seconds
	}
	return at, rest, true
}

// parseDottedTime reads "10.02" or "10.02.15", as times are written behind a date in some countries.
func parseDottedTime(s string) (at time.Duration, rest string, ok bool) {
	end := strings.IndexFunc(s, func(r rune) bool { return r != '.' && !unicode.IsDigit(r) })
	if end < 0 {
		end = len(s)
	}
	at, after, ok := parseTimeOfDay(strings.ReplaceAll(strings.TrimSuffix(s[:end], "."), ".", ":"))
	if !ok || after != "" {
		return 0, s, false
	}
	return at, strings.TrimPrefix(s[end:], "."), true
}

// halfDay is how long each half of a day of twelve hours is.
const halfDay = 12 * time.Hour

// cutHalfDayBefore reads the words for AM and PM that stand before a time in Chinese, Japanese and Korean.
func cutHalfDayBefore(s string) (begins time.Duration, rest string, ok bool) {
	for _, words := range []struct {
		begins time.Duration
		words  []string
	}{{0, []string{"오전", "上午", "午前"}}, {halfDay, []string{"오후", "下午", "午後"}}} {
		for _, word := range words.words {
			if rest, ok := strings.CutPrefix(s, word); ok {
				return words.begins, strings.TrimLeft(rest, " \u00a0\u202f"), true
			}
		}
	}
	return 0, s, false
}

// halfDays are the marks of both halves of a day behind a time, the last two of them in Arabic.
var halfDays = []string{
	"AM", "PM", "am", "pm", "a.m.", "p.m.", "A.M.", "P.M.", "a. m.", "p. m.", "a.\u00a0m.", "p.\u00a0m.", "ص", "م",
}

// cutHalfDay reads "AM" or "PM" after a time, and returns when that half of the day begins.
func cutHalfDay(s string) (begins time.Duration, rest string, ok bool) {
	const spaces = " \u00a0\u202f"
	for _, mark := range halfDays {
		after, found := strings.CutPrefix(strings.TrimLeft(s[:min(len(s), 16)], spaces), mark)
		if !found {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(after); after != "" && isWordRune(next) {
			return 0, s, false
		}
		if mark[0] == 'P' || mark[0] == 'p' || mark == "م" {
			begins = 12 * time.Hour
		}
		return begins, s[min(len(s), 16)-len(after):], true
	}
	return 0, s, false
}

func isWordRune(r rune) bool {
	return !plain.IsNotLetter(r) || r < utf8.RuneSelf && plain.IsDigit(byte(r))
}

// cutZone removes the zone after a time: "Z", "+01:00", " UTC".
func cutZone(s string) string {
	for _, zone := range []string{"Z", " UTC", " GMT"} {
		if rest, ok := strings.CutPrefix(s, zone); ok {
			return rest
		}
	}
	if len(s) > 4 && (s[0] == '+' || s[0] == '-') && plain.IsDigit(s[1]) && plain.IsDigit(s[2]) {
		rest := strings.TrimPrefix(s[3:], ":")
		if len(rest) > 1 && plain.IsDigit(rest[0]) && plain.IsDigit(rest[1]) {
			return rest[2:]
		}
	}
	return s
}
