package refine

import (
	"slices"
	"strings"
	"time"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// A timeMark is a time in brackets among the words of a turn, such as "[00:01:06]".
type timeMark struct {
	turn     int
	from, to int // bytes of the turn's text
	at       time.Duration
	opens    bool // a paragraph
}

// markSlack is how far a mark may be outside of the times of its turn.
const markSlack = time.Second

// stripTimeMarks removes the times that transcribers and services put among the words, each minute or so:
// several, in order, and where the turns have times, between these. A mark before a paragraph of a turn with
// a time begins a turn of its own, and one before all words of a turn without a time is its time.
func stripTimeMarks(l *turn.List) {
	marks := findTimeMarks(l)
	if len(marks) < 2 || !areTimes(l, marks) {
		return
	}
	turns := make([]turn.Turn, 0, len(l.Turns)+len(marks))
	for i, t := range l.Turns {
		n := 0
		for n < len(marks) && marks[n].turn == i {
			n++
		}
		turns = append(turns, divideAtMarks(t, marks[:n])...)
		marks = marks[n:]
	}
	l.Turns = turns
}

// findTimeMarks returns the times in brackets in the texts of all turns.
func findTimeMarks(l *turn.List) []timeMark {
	var marks []timeMark
	for i, t := range l.Turns {
		opens, last := true, 0 // nothing is on the line up to last
		for from := 0; from < len(t.Text); {
			next := strings.IndexAny(t.Text[from:], "[(")
			if next < 0 {
				break
			}
			from += next
			before := t.Text[last:from]
			if line := strings.LastIndexByte(before, '\n'); line >= 0 {
				opens, before = true, before[line+1:]
			}
			opens = opens && plain.IsBlank(before)
			last = from
			h, ok := clock.ReadBracketed(t.Text[from:])
			to := len(t.Text) - len(h.Rest)
			if !ok || h.Ended || !isClearMark(t.Text[from:to], opens) {
				from++
				continue
			}
			marks = append(marks, timeMark{i, from, to, h.Start, opens})
			from = to
		}
	}
	return marks
}

// isClearMark reports whether a time in brackets is no verse or score, as in "(3:16)".
func isClearMark(mark string, opens bool) bool {
	colons := strings.Count(mark, ":")
	seconds := mark[strings.LastIndexByte(mark, ':')+1:]
	return (colons == 2 || colons == 1 && (opens || mark[0] == '[')) && len(seconds) > 2
}

// areTimes reports whether marks may be times of the recording: they do not go back, stand between the times
// of the turns, and leave people enough time to talk.
func areTimes(l *turn.List, marks []timeMark) bool {
	ends := make([]time.Duration, len(l.Turns)) // when the next turn begins, at the latest
	next := clock.MaxChat
	for i, t := range slices.Backward(l.Turns) {
		ends[i] = next
		if t.Timed {
			next = t.Start
		}
	}
	last := timeMark{}
	for i, m := range marks {
		t := l.Turns[m.turn]
		if m.at < last.at || t.Timed && m.at+markSlack < t.Start || m.at > ends[m.turn]+markSlack {
			return false
		}
		if i > 0 && wordsBetween(l, last, m) > clock.FastestPace*(m.at-last.at+markSlack).Seconds() {
			return false
		}
		last = m
	}
	return true
}

// wordsBetween counts the words between two marks.
func wordsBetween(l *turn.List, a, b timeMark) float64 {
	if a.turn == b.turn {
		return plain.CountWords(l.Turns[a.turn].Text[a.to:b.from])
	}
	words := plain.CountWords(l.Turns[a.turn].Text[a.to:]) + plain.CountWords(l.Turns[b.turn].Text[:b.from])
	for _, t := range l.Turns[a.turn+1 : b.turn] {
		words += plain.CountWords(t.Text)
	}
	return words
}

// divideAtMarks removes the marks from a turn, and divides it at those that open paragraphs.
func divideAtMarks(t turn.Turn, marks []timeMark) []turn.Turn {
	if len(marks) == 0 {
		return []turn.Turn{t}
	}
	var turns []turn.Turn
	var text strings.Builder
	from, begun := 0, false // words are in text
	for _, m := range marks {
		before := t.Text[from:m.from]
		text.WriteString(before)
		begun = begun || !plain.IsBlank(before)
		rest := strings.TrimLeft(t.Text[m.to:], " \t")
		if m.opens {
			rest = strings.TrimPrefix(rest, ":")
		}
		from = len(t.Text) - len(rest)
		switch {
		case m.opens && t.Timed && begun:
			part := t
			part.Text, part.End, part.Ended = text.String(), m.at, m.at > t.Start
			turns = append(turns, part)
			t.Start, t.Doubtful = m.at, false
			text.Reset()
			begun = false
		case !t.Timed && !begun:
			t.Start, t.Timed = m.at, true
		}
	}
	text.WriteString(t.Text[from:])
	t.Text = text.String()
	return append(turns, t)
}
