package clock

import (
	"time"

	"research/transcript/internal/plain"
)

// Max bounds every time. A transcript is shorter, and the milliseconds fit a 32-bit column.
const Max = 500 * time.Hour

// ParseTimestamp reads a time at the start of s: mm:ss or h:mm:ss, with an optional fraction after "." or
// ",". It returns the time and what follows it. The first number has one to three digits; the others have one
// or two and are below 60.
func ParseTimestamp(s string) (d time.Duration, rest string, ok bool) {
	n, size := plain.ParseDigits(s, 3)
	if size == 0 || size == len(s) || s[size] != ':' {
		return 0, s, false
	}
	total, at := time.Duration(n), size
	parts := 1
	for parts < 3 && at+1 < len(s) && s[at] == ':' {
		n, size = plain.ParseDigits(s[at+1:], 2)
		if parts == 2 && size == 0 {
			n, size = parsePaddedSeconds(s[at+1:])
		}
		if size == 0 || n > 59 {
			break
		}
		total = total*60 + time.Duration(n)
		at += 1 + size
		parts++
	}
	if parts == 1 || at < len(s) &&
		(plain.IsDigit(s[at]) || s[at] == ':' && at+1 < len(s) && plain.IsDigit(s[at+1])) {
		return 0, s, false
	}
	total *= time.Second
	if at+1 < len(s) && (s[at] == '.' || s[at] == ',') && plain.IsDigit(s[at+1]) {
		at++
		for unit := 100 * time.Millisecond; at < len(s) && plain.IsDigit(s[at]); at++ {
			total += time.Duration(s[at]-'0') * unit
			unit /= 10
		}
	}
	if total > Max {
		return 0, s, false
	}
	return total, s[at:], true
}

// parsePaddedSeconds reads "004" before a fraction: some scripts pad the whole part of the seconds.
func parsePaddedSeconds(s string) (n, size int) {
	n, size = plain.ParseDigits(s, 3)
	if size < 3 || s[0] != '0' || size == len(s) || s[size] != '.' {
		return 0, 0
	}
	return n, size
}

// IsTimestamp reports whether a line is a timestamp and nothing else.
func IsTimestamp(line string) bool {
	_, rest, ok := ParseTimestamp(line)
	return ok && rest == ""
}

// FromSeconds converts a number of seconds. It returns false for numbers that are not times.
func FromSeconds(s float64) (time.Duration, bool) {
	if !(s >= 0 && s <= Max.Seconds()) {
		return 0, false
	}
	return time.Duration(s*1000+0.5) * time.Millisecond, true
}
