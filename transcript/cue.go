package transcript

import (
	"strings"
	"time"
)

// cueTimes reads `00:00:04.120 --> 00:00:07.000 align:start`: hours may be left out or have one digit, the fraction may
// follow a comma or be missing.
func cueTimes(line string) (start, end time.Duration, ok bool) {
	before, after, found := strings.Cut(line, "-->")
	if !found {
		return 0, 0, false
	}
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return 0, 0, false
	}
	start, ok = clock(strings.TrimSpace(before))
	if !ok {
		return 0, 0, false
	}
	end, ok = clock(fields[0])
	return start, end, ok
}

// clock reads 1:02:03.450, 02:03,45, 02:03 or 0:3.
func clock(s string) (time.Duration, bool) {
	whole, fraction := s, ""
	if i := strings.IndexAny(s, ".,"); i >= 0 {
		whole, fraction = s[:i], s[i+1:]
		if fraction == "" {
			return 0, false
		}
	}
	parts := strings.Split(whole, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return 0, false
	}
	var total time.Duration
	for i, part := range parts {
		n, ok := digits(part, 1, 4)
		if !ok || i > 0 && n > 59 {
			return 0, false
		}
		total = total*60 + time.Duration(n)*time.Second
	}
	if fraction != "" {
		if len(fraction) > 9 {
			return 0, false
		}
		n, ok := digits(fraction, 1, 9)
		if !ok {
			return 0, false
		}
		unit := time.Second
		for range fraction {
			unit /= 10
		}
		total += time.Duration(n) * unit
	}
	return total.Truncate(time.Millisecond), true
}

func digits(s string, least, most int) (int, bool) {
	if len(s) < least || len(s) > most {
		return 0, false
	}
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

// A cue is a block of captions: its lines, still with the format's markup.
type cue struct {
	start, end time.Duration
	lines      []string
}

// undouble removes what rolling captions repeat: YouTube shows each line twice, first as it is spoken, then as the upper
// line of the next cue, with cues of a few milliseconds between.
func undouble(cues []cue) []cue {
	if !rolling(cues) {
		return cues
	}
	out := cues[:0:0]
	var last []string
	for _, c := range cues {
		fresh := c.lines
		// The longest end of what was shown last that begins this cue has been read already.
		for n := min(len(last), len(fresh)); n > 0; n-- {
			if equalLines(last[len(last)-n:], fresh[:n]) {
				fresh = fresh[n:]
				break
			}
		}
		last = c.lines
		if len(fresh) > 0 {
			out = append(out, cue{c.start, c.end, fresh})
		}
	}
	return out
}

// rolling tells whether most cues begin with the line that ended the one before: a person who says "yes" twice does not make it so.
func rolling(cues []cue) bool {
	repeats, pairs := 0, 0
	for i := 1; i < len(cues); i++ {
		before, now := cues[i-1].lines, cues[i].lines
		if len(before) == 0 || len(now) == 0 {
			continue
		}
		pairs++
		if before[len(before)-1] == now[0] {
			repeats++
		}
	}
	return pairs >= 2 && repeats*2 > pairs
}

func equalLines(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
