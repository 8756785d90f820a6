package clock

import (
	"time"

	"research/transcript/internal/plain"
)

// Bounds on times. A recording is shorter than Max; a chat may last for decades.
const (
	Max     = 10_000 * time.Hour
	MaxChat = 100 * 365 * 24 * time.Hour
)

// ParseTimestamp reads a time at the start of s: mm:ss or h:mm:ss, with an optional fraction after "." or
// ",". It returns the time and what follows it. The first number has one to three digits, or up to six
// hours before minutes and seconds; these have one or two digits and are below 60.
func ParseTimestamp(s string) (d time.Duration, rest string, ok bool) {
	n, size := plain.ParseDigits(s, 6)
	if size == 0 || size == len(s) || s[size] != ':' {
		return 0, s, false
	}
	isLong := size > 3
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
	if parts == 1 || isLong && parts < 3 || at < len(s) &&
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
	if total > MaxChat {
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

// FromSeconds converts a number of seconds. It returns false for numbers that are not times of a recording.
func FromSeconds(s float64) (time.Duration, bool) { return fromSeconds(s, Max) }

// FromChatSeconds does the same for seconds since the first message of a chat.
func FromChatSeconds(s float64) (time.Duration, bool) { return fromSeconds(s, MaxChat) }

func fromSeconds(s float64, longest time.Duration) (time.Duration, bool) {
	if !(s >= 0 && s <= longest.Seconds()) {
		return 0, false
	}
	return time.Duration(s*1000+0.5) * time.Millisecond, true
}
