package transcript

import (
	"strings"
	"time"

	"research/transcript/internal/plain"
)

// takeTimes takes the times at the start of what was said, as in "[Dana] 0:03 - text", if nearly all turns with a
// speaker begin with one and no turn has a time of its own.
func takeTimes(l *turnList) {
	named, stamped, ordered := 0, 0, 0
	last := time.Duration(0)
	for _, t := range l.turns {
		if t.timed {
			return
		}
		if t.speaker == "" {
			continue
		}
		named++
		if h, ok := timestampHeader(strings.TrimSpace(t.text)); ok && !plain.IsBlank(h.rest) {
			stamped++
			if h.start >= last {
				ordered++
			}
			last = h.start
		}
	}
	if stamped < 3 || stamped*10 < named*8 || ordered*10 < stamped*9 {
		return
	}
	for i := range l.turns {
		t := &l.turns[i]
		if h, ok := timestampHeader(strings.TrimSpace(t.text)); ok && t.speaker != "" && !plain.IsBlank(h.rest) {
			t.start, t.end, t.timed, t.ended, t.text = h.start, h.end, true, h.ended, h.rest
		}
	}
}
