package transcript

import (
	"slices"
	"strings"
	"time"

	"research/transcript/internal/plain"
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

// stripTimeMarks removes the times that transcribers and services put among the words, each minute or so: several,
// in order, and where the turns have times, between these. A mark before a paragraph of a turn with a time begins a
// turn of its own, and one before all words of a turn without a time is its time.
func stripTimeMarks(l *turnList) {
	marks := findTimeMarks(l)
	if len(marks) < 2 || !areTimes(l, marks) {
		return
	}
	turns := make([]turn, 0, len(l.turns)+len(marks))
	for i, t := range l.turns {
		n := 0
		for n < len(marks) && marks[n].turn == i {
			n++
		}
		turns = append(turns, divideAtMarks(t, marks[:n])...)
		marks = marks[n:]
	}
	l.turns = turns
}

// findTimeMarks returns the times in brackets in the texts of all turns.
func findTimeMarks(l *turnList) []timeMark {
	var marks []timeMark
	for i, t := range l.turns {
		opens, last := true, 0 // nothing is on the line up to last
		for from := 0; from < len(t.text); {
			next := strings.IndexAny(t.text[from:], "[(")
			if next < 0 {
				break
			}
			from += next
			before := t.text[last:from]
			if line := strings.LastIndexByte(before, '\n'); line >= 0 {
				opens, before = true, before[line+1:]
			}
			opens = opens && plain.IsBlank(before)
			last = from
			h, ok := bracketedTimestamp(t.text[from:])
			to := len(t.text) - len(h.rest)
			if !ok || h.ended || !isClearMark(t.text[from:to], opens) {
				from++
				continue
			}
			marks = append(marks, timeMark{i, from, to, h.start, opens})
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

// areTimes reports whether marks may be times of the recording: they do not go back, stand between the times of the
// turns, and leave people enough time to talk.
func areTimes(l *turnList, marks []timeMark) bool {
	ends := make([]time.Duration, len(l.turns)) // when the next turn begins, at the latest
	next := maxTimestamp
	for i, t := range slices.Backward(l.turns) {
		ends[i] = next
		if t.timed {
			next = t.start
		}
	}
	last := timeMark{}
	for i, m := range marks {
		t := l.turns[m.turn]
		if m.at < last.at || t.timed && m.at+markSlack < t.start || m.at > ends[m.turn]+markSlack {
			return false
		}
		if i > 0 && wordsBetween(l, last, m) > fastestPace*(m.at-last.at+markSlack).Seconds() {
			return false
		}
		last = m
	}
	return true
}

// wordsBetween counts the words between two marks.
func wordsBetween(l *turnList, a, b timeMark) float64 {
	if a.turn == b.turn {
		return plain.CountWords(l.turns[a.turn].text[a.to:b.from])
	}
	words := plain.CountWords(l.turns[a.turn].text[a.to:]) + plain.CountWords(l.turns[b.turn].text[:b.from])
	for _, t := range l.turns[a.turn+1 : b.turn] {
		words += plain.CountWords(t.text)
	}
	return words
}

// divideAtMarks removes the marks from a turn, and divides it at those that open paragraphs.
func divideAtMarks(t turn, marks []timeMark) []turn {
	if len(marks) == 0 {
		return []turn{t}
	}
	var turns []turn
	var text strings.Builder
	from, begun := 0, false // words are in text
	for _, m := range marks {
		before := t.text[from:m.from]
		text.WriteString(before)
		begun = begun || !plain.IsBlank(before)
		rest := strings.TrimLeft(t.text[m.to:], " \t")
		if m.opens {
			rest = strings.TrimPrefix(rest, ":")
		}
		from = len(t.text) - len(rest)
		switch {
		case m.opens && t.timed && begun:
			part := t
			part.text, part.end, part.ended = text.String(), m.at, m.at > t.start
			turns = append(turns, part)
			t.start, t.doubtful = m.at, false
			text.Reset()
			begun = false
		case !t.timed && !begun:
			t.start, t.timed = m.at, true
		}
	}
	text.WriteString(t.text[from:])
	t.text = text.String()
	return append(turns, t)
}
