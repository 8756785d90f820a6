package transcript

import "time"

// maxClock bounds every time: a transcript is shorter, and its milliseconds still fit a 32-bit column.
const maxClock = 500 * time.Hour

// clock reads a time at the start of s: mm:ss, h:mm:ss, either with a fraction after "." or ",". It gives the time and
// what follows it. The leading number may be of one to three digits, each further one of one or two and below 60.
func clock(s string) (d time.Duration, rest string, ok bool) {
	n, size := number(s, 3)
	if size == 0 || size == len(s) || s[size] != ':' {
		return 0, s, false
	}
	total, at := time.Duration(n), size
	parts := 1
	for parts < 3 && at+1 < len(s) && s[at] == ':' {
		n, size = number(s[at+1:], 2)
		if size == 0 || n > 59 {
			break
		}
		total = total*60 + time.Duration(n)
		at += 1 + size
		parts++
	}
	if parts == 1 || at < len(s) && (isDigit(s[at]) || s[at] == ':' && at+1 < len(s) && isDigit(s[at+1])) {
		return 0, s, false
	}
	total *= time.Second
	if at+1 < len(s) && (s[at] == '.' || s[at] == ',') && isDigit(s[at+1]) {
		at++
		for unit := 100 * time.Millisecond; at < len(s) && isDigit(s[at]); at++ {
			total += time.Duration(s[at]-'0') * unit
			unit /= 10
		}
	}
	if total > maxClock {
		return 0, s, false
	}
	return total, s[at:], true
}

// number reads up to limit decimal digits at the start of s and says how many there were; none if there are more.
func number(s string, limit int) (n, size int) {
	for size < len(s) && isDigit(s[size]) {
		if size == limit {
			return 0, 0
		}
		n = n*10 + int(s[size]-'0')
		size++
	}
	return n, size
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// seconds turns a number of seconds into a time, where it is one.
func seconds(s float64) (time.Duration, bool) {
	if !(s >= 0 && s <= maxClock.Seconds()) {
		return 0, false
	}
	return time.Duration(s*1000+0.5) * time.Millisecond, true
}
