package refine

import (
	"strings"
	"time"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// takeTimes takes the times at the start of what was said, as in "[Dana] 0:03 - text", if nearly all turns
// with a speaker begin with one and no turn has a time of its own.
func takeTimes(l *turn.List) {
	named, stamped, ordered := 0, 0, 0
	last := time.Duration(0)
	for _, t := range l.Turns {
		if t.Timed {
			return
		}
		if t.Speaker == "" {
			continue
		}
		named++
		if h, ok := clock.ReadStamp(strings.TrimSpace(t.Text)); ok && !plain.IsBlank(h.Rest) {
			stamped++
			if h.Start >= last {
				ordered++
			}
			last = h.Start
		}
	}
	if stamped < 3 || stamped*10 < named*8 || ordered*10 < stamped*9 {
		return
	}
	for i := range l.Turns {
		t := &l.Turns[i]
		if h, ok := clock.ReadStamp(strings.TrimSpace(t.Text)); ok && t.Speaker != "" && !plain.IsBlank(h.Rest) {
			t.Start, t.End, t.Timed, t.Ended, t.Text = h.Start, h.End, true, h.Ended, h.Rest
		}
	}
}
