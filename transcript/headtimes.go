package transcript

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// Heads of turns whose times are written in a way of their own are rewritten as those of other tools.

var (
	// decimalRange is a range of two times in seconds, as scripts around pyannote and Whisper write it: "(0.00 -
	// 4.60)".
	decimalRange = regexp.MustCompile(
		`[\[(] ?(\d{1,8}\.\d{1,3}) ?(?:-->|->|-|–|—|to|,) ?(\d{1,8}\.\d{1,3}) ?[\])]`)

	// timeBetween is a time between a name and the words, as in "SPEAKER_00 1.87 Yes." and "Dana 00:00:21
	// Hello."
	timeBetween = regexp.MustCompile(`^(\S.{0,60}?) +(\d{1,6}\.\d{1,3}|(?:\d{1,2}:)?\d{1,2}:\d\d) +[^\s\d:|–—-]`)
)

// canonicalTimesBetween puts the times between names and words in brackets if most paragraphs have them, in
// order, and the names recur.
func canonicalTimesBetween(text string) string {
	names, ordered := newTally(), 0
	last := time.Duration(0)
	for line := range strings.SplitSeq(text, "\n") {
		if name, at, _, ok := cutTimeBetween(line); ok {
			names.add(name)
			if at >= last {
				ordered++
			}
			last = at
		}
	}
	_, recurring := names.recurring()
	if recurring < 3 || recurring*10 < plain.CountParagraphs(text)*6 || ordered*10 < recurring*8 {
		return text
	}
	return plain.RewriteLines(text, func(line string) string {
		if name, at, said, ok := cutTimeBetween(line); ok && names.labels[name] > 0 {
			return name + " [" + clock.Format(at) + "] " + said
		}
		return line
	})
}

func cutTimeBetween(line string) (name string, at time.Duration, said string, ok bool) {
	m := timeBetween.FindStringSubmatchIndex(line[:min(len(line), plain.MaxLabel)])
	if m == nil || speaker.ShapeOf(line[:m[3]]) == speaker.NotName {
		return "", 0, "", false
	}
	name, said = line[:m[3]], strings.TrimLeft(line[m[5]:], " ")
	isDate := strings.Contains(name, ",") || !strings.ContainsFunc(name, unicode.IsLetter)
	if _, _, isHalfDay := clock.CutHalfDay(line[m[5]:]); isDate || isHalfDay {
		return "", 0, "", false
	}
	if at, rest, ok := clock.ParseTimestamp(line[m[4]:m[5]]); ok && rest == "" {
		return name, at, said, true
	}
	seconds, err := strconv.ParseFloat(line[m[4]:m[5]], 64)
	at, ok = clock.FromSeconds(seconds)
	return name, at, said, ok && err == nil
}

// canonicalDecimals rewrites ranges of seconds at the starts of lines, or behind names, as ranges of
// timestamps, if at least every second paragraph has one and they are in order. They are read as
// milliseconds if seconds would imply impossibly slow speech.
func canonicalDecimals(text string) string {
	found, ordered := 0, 0
	last := time.Duration(0)
	for line := range strings.SplitSeq(text, "\n") {
		if r, ok := findDecimals(line); ok {
			if found++; r.start >= last {
				ordered++
			}
			last = r.start
		}
	}
	if found < 2 || ordered*10 < found*8 || found*2 < plain.CountParagraphs(text) {
		return text
	}
	unit := time.Duration(1)
	if last > slowestWord*time.Duration(len(strings.Fields(text))) {
		unit = 1000
	}
	return plain.RewriteLines(text, func(line string) string {
		r, ok := findDecimals(line)
		if !ok {
			return line
		}
		r.start, r.end = r.start/unit, r.end/unit
		return line[:r.from] + "[" + clock.Format(r.start) + " - " + clock.Format(r.end) + "]" + line[r.to:]
	})
}

// slowestWord is longer than the words of a whole conversation take on average.
const slowestWord = time.Minute

// A secondsRange is a range of seconds, and its bytes on the line.
type secondsRange struct {
	from, to   int
	start, end time.Duration
}

// findDecimals reads the range of seconds of a line: at its start, or behind what may be a name.
func findDecimals(line string) (r secondsRange, ok bool) {
	head := line[:min(len(line), plain.MaxLabel)]
	from := strings.IndexAny(head, "[(")
	if from < 0 || !strings.Contains(head[from:], ".") {
		return secondsRange{}, false
	}
	m := decimalRange.FindStringSubmatchIndex(head)
	if m == nil {
		return secondsRange{}, false
	}
	name, after := strings.TrimSpace(line[:m[0]]), line[m[1]:]
	if name != "" && (speaker.ShapeOf(name) == speaker.NotName ||
		after != "" && !plain.HasAnyPrefix(after, ":", " ")) {
		return secondsRange{}, false
	}
	start, _ := strconv.ParseFloat(line[m[2]:m[3]], 64)
	end, _ := strconv.ParseFloat(line[m[4]:m[5]], 64)
	r.from, r.to = m[0], m[1]
	r.start = time.Duration(start*1000+0.5) * time.Millisecond
	r.end = time.Duration(end*1000+0.5) * time.Millisecond
	return r, r.end >= r.start
}

// canonicalConnectedTimes puts two spaces in place of "at" between names and times, as in Avoma's "Dana Weber
// at 0:03", if most times at the ends of lines have it and the names recur.
func canonicalConnectedTimes(text string) string {
	if !strings.Contains(text, " at ") {
		return text
	}
	names, heads, others := newTally(), 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		if name, _, ok := cutConnectedTime(line); ok {
			names.add(name)
			heads++
		} else if clock.HasTrailing(line) {
			others++
		}
	}
	if distinct, labels := names.recurring(); distinct == 0 || labels*10 < heads*6 || others > heads {
		return text
	}
	return plain.RewriteLines(text, func(line string) string {
		if name, at, ok := cutConnectedTime(line); ok && names.labels[name] > 0 {
			return name + "  " + at
		}
		return line
	})
}

func cutConnectedTime(line string) (name, at string, ok bool) {
	line = strings.TrimSuffix(strings.TrimSpace(line), ":")
	before, gap, _, ok := clock.CutTrailing(line)
	if !ok || len(line) > plain.MaxLabel {
		return "", "", false
	}
	name, ok = strings.CutSuffix(before, " at")
	return name, line[len(before)+len(gap):], ok && speaker.ShapeOf(name) == speaker.FullName
}
