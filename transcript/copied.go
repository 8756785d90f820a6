package transcript

import (
	"strings"
	"time"
	"unicode/utf8"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
)

// joinCopiedHeads joins the heads of turns that people copy from the page of Teams: a name, a time in words,
// the same time in digits, and often the name again. "Dana", "1 minute 7 seconds", "1:07" and "Dana" become
// "Dana 1:07".
func joinCopiedHeads(text string) string {
	if !hasSpokenTime(text) {
		return text
	}
	lines := strings.Split(text, "\n")
	var found []copiedHead
	for i := range lines {
		if head, ok := copiedHeadAt(lines, i); ok {
			found = append(found, head)
		}
	}
	if len(found) < 2 {
		return text
	}
	names := map[string]bool{}
	for _, h := range found {
		name := strings.TrimSpace(lines[h.name])
		if again := nextText(lines, h.stamp); again < len(lines) && isNameAgain(lines[again], name) {
			lines[again] = ""
		}
		lines[h.name] = name + "  " + clock.Format(h.at)
		lines[h.words], lines[h.stamp] = "", ""
		names[name] = true
	}
	for i, line := range lines {
		if name, at, ok := cutSpokenTime(line); ok && names[name] { // within a long turn
			lines[i] = name + "  " + clock.Format(at)
		}
	}
	return strings.Join(lines, "\n")
}

// cutSpokenTime reads a name with a time in words behind it, such as "Dana 1 minute 7 seconds".
func cutSpokenTime(line string) (name string, at time.Duration, ok bool) {
	line = strings.TrimSpace(line)
	if len(line) > plain.MaxLabel {
		return "", 0, false
	}
	for i := 1; i < len(line); i++ {
		if line[i-1] != ' ' || !plain.IsDigit(line[i]) {
			continue
		}
		if at, rest, ok := spokenTime(line[i:]); ok && rest == "" {
			return strings.TrimSpace(line[:i]), at, true
		}
	}
	return "", 0, false
}

// A copiedHead has the indexes of the lines of a head. The time in words may be on the line of the digits.
type copiedHead struct {
	name, words, stamp int
	at                 time.Duration
}

// hasSpokenTime reports whether a line of a text begins with a time in words, or is a name with one.
func hasSpokenTime(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			continue
		}
		_, _, ok := cutSpokenTime(line)
		if !ok && plain.IsDigit(line[0]) {
			_, _, ok = spokenTime(line)
		}
		if ok {
			return true
		}
	}
	return false
}

// copiedHeadAt reads the head whose time in words is on line i.
func copiedHeadAt(lines []string, i int) (h copiedHead, ok bool) {
	at, rest, ok := spokenTime(strings.TrimSpace(lines[i]))
	if !ok {
		return copiedHeadAbove(lines, i)
	}
	h = copiedHead{name: previousText(lines, i), words: i, stamp: i, at: at}
	if rest == "" {
		if h.stamp = nextText(lines, i); h.stamp == len(lines) {
			return copiedHead{}, false
		}
		rest = strings.TrimSpace(lines[h.stamp])
	}
	digits, rest, ok := clock.ParseTimestamp(rest)
	if !ok || rest != "" || digits != at || h.name < 0 {
		return copiedHead{}, false
	}
	name := strings.TrimSpace(lines[h.name])
	return h, len(name) <= plain.MaxLabel && speaker.ShapeOf(name) != speaker.NotName
}

// copiedHeadAbove reads the head whose name is on line i again, with the time in words: "Dana", "1:07" and
// "Dana 1 minute 7 seconds".
func copiedHeadAbove(lines []string, i int) (h copiedHead, ok bool) {
	name, at, ok := cutSpokenTime(lines[i])
	if !ok {
		return copiedHead{}, false
	}
	stamp := previousText(lines, i)
	if stamp < 1 {
		return copiedHead{}, false
	}
	digits, rest, ok := clock.ParseTimestamp(strings.TrimSpace(lines[stamp]))
	above := previousText(lines, stamp)
	isHead := ok && rest == "" && digits == at && above >= 0 && strings.TrimSpace(lines[above]) == name
	return copiedHead{name: above, words: i, stamp: stamp, at: at}, isHead
}

// isNameAgain reports whether a line is a name, with or without a time in words behind it.
func isNameAgain(line, name string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), name)
	if rest == "" || !ok {
		return ok
	}
	_, rest, ok = spokenTime(strings.TrimSpace(rest))
	return ok && rest == ""
}

// spokenTime reads a time in words at the start of s, such as "1 minute 7 seconds".
func spokenTime(s string) (at time.Duration, rest string, ok bool) {
	rest = s
	for range 3 {
		part, after, found := clock.CutPart(rest, " \u00a0")
		if !found || part.IsLetter {
			break
		}
		at += part.Length
		rest, ok = strings.TrimLeft(after, " ,\u00a0"), true
	}
	return at, rest, ok && at <= clock.Max
}

// previousText returns the index of the line with text before line i, or -1.
func previousText(lines []string, i int) int {
	for i--; i >= 0 && plain.IsBlank(lines[i]); i-- {
	}
	return i
}

// nextText returns the index of the line with text after line i, or the number of lines.
func nextText(lines []string, i int) int {
	for i++; i < len(lines) && plain.IsBlank(lines[i]); i++ {
	}
	return i
}

// dropInitials removes the initials of avatars, which stand above names in what people copy from the pages of
// tools: where a time is beside or below the name, or between the two, or where the same initials stand above
// the same name again.
func dropInitials(text string) string {
	lines := strings.Split(text, "\n")
	var found, recurring []int
	pairs := map[string]int{}
	for i := range len(lines) - 1 {
		initials := strings.TrimSpace(lines[i])
		if initials == "" || len(initials) > speaker.MaxInitials {
			continue
		}
		below := nextText(lines, i)
		after := nextText(lines, min(below, len(lines)-1))
		if after >= len(lines) {
			break
		}
		name, next := strings.TrimSpace(lines[below]), strings.TrimSpace(lines[after])
		isTimed := clock.IsStamp(next) || clock.HasTrailing(name)
		switch {
		case speaker.AreInitialsOf(initials, name) && isTimed && after <= i+2,
			isAllInitialsOf(initials, name) && isTimed,
			clock.IsStamp(name) && isAllInitialsOf(initials, next):
			found = append(found, i)
		case isAllInitialsOf(initials, name) && below == i+1:
			recurring = append(recurring, i)
			pairs[initials+" "+name]++
		}
	}
	for _, i := range recurring {
		if pairs[strings.TrimSpace(lines[i])+" "+strings.TrimSpace(lines[i+1])] > 1 {
			found = append(found, i)
		}
	}
	if len(found) < 2 {
		return text
	}
	return plain.EmptyLines(lines, found)
}

// isAllInitialsOf reports whether a line has the first letters of all words of a full name, at least two.
func isAllInitialsOf(line, name string) bool {
	if before, _, _, ok := clock.CutTrailing(name); ok {
		name = strings.TrimRight(before, " |•·-–")
	}
	return len(line) > 1 && plain.IsAllCaps(line) && speaker.ShapeOf(name) == speaker.FullName &&
		speaker.AreInitialsOf(line, name) &&
		utf8.RuneCountInString(line) == len(strings.Fields(name))
}

// dropRepeatedNames removes the names that stand above themselves with a time, as in what people copy from
// Teams.
func dropRepeatedNames(text string) string {
	lines := strings.Split(text, "\n")
	var repeated []int
	for i := range len(lines) - 1 {
		name := strings.TrimSpace(lines[i])
		rest, ok := strings.CutPrefix(strings.TrimSpace(lines[i+1]), name+" ")
		if ok && name != "" && len(name) <= plain.MaxLabel && clock.IsStamp(strings.TrimSpace(rest)) {
			repeated = append(repeated, i)
		}
	}
	if len(repeated) < 2 {
		return text
	}
	return plain.EmptyLines(lines, repeated)
}
