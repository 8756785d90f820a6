// Package clock reads times in the notations that people and tools write, and finds them on the lines of a
// text.
//
// It knows timestamps, times of day, dates and stretches of seconds, and how fast people speak. It knows no
// speakers: whose time a line has belongs to package transcript.
package clock

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/lexicon"
	"research/transcript/internal/plain"
)

// A Time is a time in a notation of its own: with a date, AM or PM, frames, or as F4 and Whisper write it.
// ParseTimestamp reads the usual notations.
type Time struct {
	At       time.Duration
	notation Notation
	Wall     bool // a time of day
	Date     [3]int
	DateKind dateKind
}

// A Notation is a way to write a clock.
type Notation int

// The notations.
const (
	f4Notation      Notation = iota // #00:01:23-4#
	secondsNotation                 // 1.20s
	frameNotation                   // 00:01:23:14
	upperHalfDay                    // 10:02 AM
	lowerHalfDay                    // 10:02 am
	dateNotation                    // 2024-03-05 10:02
	dayNotation                     // 10:02 as a time of day
	Notations                       // their number
)

// A Func reads a clock at the start of s, and returns what follows it.
type Func func(s string) (c Time, rest string, ok bool)

// A dateKind says in which order the numbers of a date are.
type dateKind int

// The kinds of dates.
const (
	NoDate    dateKind = iota
	YearFirst          // 2024-03-05
	yearLast           // 05/03/2024: day or month first
)

// Parse reads a clock at the start of s, and returns what follows it.
func Parse(s string) (c Time, rest string, ok bool) {
	if begins, rest, ok := cutHalfDayBefore(s); ok {
		at, after, ok := ParseTimeOfDay(rest)
		return Time{At: at%halfDay + begins, Wall: true, notation: upperHalfDay}, after, ok
	}
	if s == "" || s[0] != '#' && !plain.IsDigit(s[0]) {
		if date, kind, rest := parseNamedDate(s); kind != NoDate {
			return parseDated(date, kind, rest, s)
		}
		return Time{}, s, false
	}
	if s[0] == '#' {
		return ParseF4(s)
	}
	if c, rest, ok := parseSeconds(s); ok {
		return c, rest, true
	}
	if c, rest, ok := parseFrames(s); ok {
		return c, rest, true
	}
	date, kind, rest := ParseDate(s)
	if kind == NoDate {
		date, kind, rest = parseNamedDate(s)
	}
	return parseDated(date, kind, rest, s)
}

// parseDated reads the time of day after a date, or after none.
func parseDated(date [3]int, kind dateKind, rest, s string) (c Time, after string, ok bool) {
	c = Time{Date: date, DateKind: kind, Wall: true, notation: dateNotation}
	if begins, after, ok := cutHalfDayBefore(rest); ok {
		c.At, rest, ok = ParseTimeOfDay(after)
		c.At = c.At%halfDay + begins
		return c, rest, ok
	}
	if c.At, after, ok = ParseTimeOfDay(rest); !ok && kind != NoDate {
		c.At, after, ok = parseDottedTime(rest)
	}
	if !ok {
		return Time{}, s, false
	}
	rest = after
	switch half, after, found := CutHalfDay(rest); {
	case found:
		if kind == NoDate {
			c.notation = lowerHalfDay
			if plain.IsAllCaps(rest[:len(rest)-len(after)]) {
				c.notation = upperHalfDay
			}
		}
		c.At, rest = c.At%halfDay+half, after
	case kind != NoDate:
		rest = cutZone(rest)
	default:
		return Time{}, s, false
	}
	return c, rest, c.At < 24*time.Hour
}

// ParseF4 reads F4's "#00:01:23-4#", whose last digit are tenths of a second.
func ParseF4(s string) (c Time, rest string, ok bool) {
	at, rest, ok := ParseTimestamp(s[1:])
	if !ok {
		return Time{}, s, false
	}
	if len(rest) > 2 && rest[0] == '-' && plain.IsDigit(rest[1]) {
		at += time.Duration(rest[1]-'0') * 100 * time.Millisecond
		rest = rest[2:]
	}
	rest, ok = strings.CutPrefix(rest, "#")
	return Time{At: at}, rest, ok
}

// parseSeconds reads "1.20s" or "63s".
func parseSeconds(s string) (c Time, rest string, ok bool) {
	if at, rest, ok := parseUnits(s); ok {
		return Time{At: at, notation: secondsNotation}, rest, true
	}
	n, size := plain.ParseDigits(s, 6)
	if size == 0 {
		return Time{}, s, false
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
	if !ok || rest != "" && !strings.ContainsRune(" \t])-:", rune(rest[0])) || at > Max {
		return Time{}, s, false
	}
	return Time{At: at, notation: secondsNotation}, rest, true
}

// timeUnits are the units of times in words.
var timeUnits = lexicon.Map("time-units")

// A Part is a number with its unit, as in "7 seconds" and "7s".
type Part struct {
	Length   time.Duration
	unit     string // h, m or s
	IsLetter bool   // the unit is one of these letters
	isSpaced bool   // the unit does not follow the number directly
}

// CutPart reads a number and its unit at the start of s. Characters of gap may stand between them.
func CutPart(s, gap string) (p Part, rest string, ok bool) {
	n, size := plain.ParseDigits(s, 3)
	if size == 0 {
		return Part{}, s, false
	}
	word := strings.TrimLeft(s[size:], gap)
	end := strings.IndexFunc(word, plain.IsNotLetter)
	if end < 0 {
		end = len(word)
	}
	p.unit, ok = timeUnits[strings.ToLower(word[:end])]
	p.Length = time.Duration(n) * unitLength(p.unit)
	p.IsLetter, p.isSpaced = end == 1, len(word) < len(s)-size
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
		part, after, found := CutPart(rest, " ")
		if !found || part.IsLetter && part.isSpaced {
			break
		}
		rest = after
		at += part.Length
		if part.unit == "s" {
			isSimple := part.IsLetter && at < time.Minute && !strings.Contains(s[:len(s)-len(rest)], "m")
			return at, rest, !isSimple && at <= Max
		}
		rest = strings.TrimLeft(rest, " ,")
	}
	return 0, s, false
}

// parseFrames reads "00:01:23:14" or "00:01:23;14". The frame rate is unknown; thirty are close enough.
func parseFrames(s string) (c Time, rest string, ok bool) {
	size, colons := 0, 0
	for size < len(s) && colons < 3 {
		if s[size] == ':' || s[size] == ';' && colons == 2 {
			colons++
		} else if !plain.IsDigit(s[size]) {
			return Time{}, s, false
		}
		size++
	}
	if colons < 3 {
		return Time{}, s, false
	}
	at, after, ok := ParseTimestamp(s[:size-1])
	frames, digits := plain.ParseDigits(s[size:], 2)
	if !ok || after != "" || digits != 2 || frames > 59 {
		return Time{}, s, false
	}
	at += min(time.Duration(frames)*time.Second/30, 999*time.Millisecond)
	return Time{At: at.Truncate(time.Millisecond), notation: frameNotation}, s[size+digits:], true
}

// dateUnits are what stands behind the year, the month and the day in Korean, and in Chinese and Japanese.
var dateUnits = [][3]string{{"년 ", "월 ", "일"}, {"年", "月", "日"}, {". ", ". ", "."}}

// ParseUnitDate reads "2013년 5월 4일", "2013年5月4日" and "2013. 5. 4.".
func ParseUnitDate(s string) (date [3]int, rest string, ok bool) {
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

// ParseDate reads a date of numbers, and what separates it from the time. The kind is NoDate without one.
func ParseDate(s string) (date [3]int, kind dateKind, rest string) {
	if date, rest, ok := ParseUnitDate(s); ok {
		return date, YearFirst, strings.TrimPrefix(rest, " ")
	}
	rest = s
	var sizes [3]int
	for i := range date {
		limit := 4
		date[i], sizes[i] = plain.ParseDigits(rest, limit)
		if sizes[i] == 0 {
			return date, NoDate, s
		}
		rest = rest[sizes[i]:]
		if i == 2 {
			break
		}
		if rest == "" || !strings.ContainsRune("/.-", rune(rest[0])) {
			return date, NoDate, s
		}
		rest = rest[1:]
	}
	switch {
	case sizes[0] == 4 && sizes[1] <= 2 && sizes[2] <= 2:
		kind = YearFirst
	case sizes[0] <= 2 && sizes[1] <= 2 && (sizes[2] == 2 || sizes[2] == 4):
		kind = yearLast
	default:
		return date, NoDate, s
	}
	for _, separator := range []string{"T", ", ", "، ", " at ", " um ", " à ", ",", " "} {
		if after, ok := strings.CutPrefix(rest, separator); ok {
			return date, kind, after
		}
	}
	return date, NoDate, s
}

// ParseTimeOfDay reads "10:02" or "10:02:15".
func ParseTimeOfDay(s string) (at time.Duration, rest string, ok bool) {
	hours, size := plain.ParseDigits(s, 2)
	if size == 0 || hours > 23 {
		return 0, s, false
	}
	if at, rest, ok = ParseTimestamp(s); !ok {
		return 0, s, false
	}
	if strings.Count(s[:len(s)-len(rest)], ":") == 1 {
		at *= 60 // hours and minutes, which ParseTimestamp reads as minutes and seconds
	}
	return at, rest, true
}

// parseDottedTime reads "10.02" or "10.02.15", as times are written behind a date in some countries.
func parseDottedTime(s string) (at time.Duration, rest string, ok bool) {
	end := strings.IndexFunc(s, func(r rune) bool { return r != '.' && !unicode.IsDigit(r) })
	if end < 0 {
		end = len(s)
	}
	at, after, ok := ParseTimeOfDay(strings.ReplaceAll(strings.TrimSuffix(s[:end], "."), ".", ":"))
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
	"AM", "PM", "am", "pm", "a.m.", "p.m.", "A.M.", "P.M.", "a. m.", "p. m.",
	"a.\u00a0m.", "p.\u00a0m.", "ص", "م",
}

// CutHalfDay reads "AM" or "PM" after a time, and returns when that half of the day begins.
func CutHalfDay(s string) (begins time.Duration, rest string, ok bool) {
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
