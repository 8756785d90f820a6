package transcript

import (
	"fmt"
	"strings"
	"time"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// canonicalClocks rewrites the clocks of a text as timestamps. Those at the ends of turns move before them.
func canonicalClocks(text string, hours bool) string {
	text = clock.StripDayWords(text)
	if marks := countEndMarks(text); marks.areUsed(plain.CountParagraphs(text)) {
		return moveEndMarks(text, marks)
	}
	return clock.Rewrite(text, hours)
}

// endMarks counts the marks at the ends of turns: F4's "#00:01:23-4#", or times in brackets.
type endMarks struct {
	f4, bracketed int
	ordered       int // bracketed ones that do not go back in time
	starts        int // lines that begin with a time, or have one behind the name
}

// areUsed reports whether the marks are the ends of turns.
func (m endMarks) areUsed(paragraphs int) bool {
	if m.f4 > 1 {
		return m.f4 > m.starts
	}
	return m.bracketed > 2 && m.bracketed*10 >= paragraphs*6 && m.ordered*10 >= m.bracketed*8
}

func countEndMarks(text string) endMarks {
	var marks endMarks
	last := time.Duration(0)
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		before, at, isF4, ok := cutEndMark(line)
		if _, stamped := clock.ReadStamp(line); stamped {
			marks.starts++
		} else if t, _, labelled := timedLabel(line); labelled && t.Timed {
			marks.starts++
		} else if _, inline := inlineHeader(line); inline {
			marks.starts++
		} else if m := clock.Find(line); m.F4 && m.Place == clock.Bracketed {
			marks.starts++
		}
		switch {
		case ok && isF4:
			marks.f4++
		case ok && before != "":
			marks.bracketed++
			if at >= last {
				marks.ordered++
			}
			last = at
		}
	}
	return marks
}

// cutEndMark divides a line before the mark at its end. Behind a name alone, a time in brackets is the time
// of the words below. Trint writes the length of the turn behind the mark, as in "[00:01:23][4.5]".
func cutEndMark(line string) (before string, at time.Duration, isF4, ok bool) {
	if m := clock.Find(line); m.Place == clock.AtEnd && m.F4 {
		return strings.TrimRight(line[:m.From], " \t"), m.Start.At, true, true
	}
	hasLength := false
	for range 2 {
		from := strings.LastIndexAny(line, "[(")
		if from <= 0 || len(line)-from > 16 {
			return "", 0, false, false
		}
		h, isTime := clock.ReadBracketed(line[from:])
		before = strings.TrimRight(line[:from], " \t")
		switch {
		case isTime && h.Rest == "":
			_, rest, labelled := speaker.SplitLabel(before)
			isSpeech := labelled && !plain.IsBlank(rest) ||
				len(strings.Fields(before)) > speaker.MaxNameWords || hasLength
			return before, h.Start, false, isSpeech
		case !isNumberInBrackets(line[from:]):
			return "", 0, false, false
		}
		line, hasLength = before, true
	}
	return "", 0, false, false
}

// isNumberInBrackets reports whether s is "[4.5]".
func isNumberInBrackets(s string) bool {
	inner := strings.Trim(s, "[]")
	return len(inner) == len(s)-2 && inner != "" && strings.Trim(inner, "0123456789.") == ""
}

// moveEndMarks puts the marks before the turns, as ranges of two times. Where turns also have a time at their
// start, the marks are removed.
func moveEndMarks(text string, marks endMarks) string {
	var out strings.Builder
	out.Grow(len(text) + len(text)/8)
	last := time.Duration(0)
	isF4 := marks.f4 > 1
	hasStarts := !isF4 && marks.starts*2 >= marks.bracketed
	var turn []string
	flush := func(stamp string) {
		for i, line := range turn {
			if i == 0 && stamp != "" {
				line = stamp + line
			}
			out.WriteString(line + "\n")
		}
		turn = turn[:0]
	}
	for line := range strings.SplitSeq(text, "\n") {
		if len(turn) == 0 && plain.IsBlank(line) {
			out.WriteByte('\n')
			continue
		}
		before, at, f4, ok := cutEndMark(strings.TrimRight(line, " \t"))
		if !ok || f4 != isF4 {
			turn = append(turn, line)
			continue
		}
		turn = append(turn, before)
		if hasStarts {
			flush("")
			continue
		}
		flush(fmt.Sprintf("[%s - %s] ", clock.Format(last), clock.Format(at)))
		last = at
	}
	flush("")
	return out.String()
}
