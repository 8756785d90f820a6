package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// stampHead reads a time before what was said: "[00:01:23] Dana: …", "(1:23) …", "00:01:23 …", "[0:03 - 0:07] …" and whisper.cpp's
// "[00:00:00.000 --> 00:00:04.000]   …". The speaker is still in the rest.
func stampHead(line string) (head, bool) {
	h, ok := bracketed(line)
	if !ok {
		at, rest, isClock := clock(line)
		if !isClock {
			return head{}, false
		}
		h = head{start: at, rest: rest}
		if end, after, ok := rangeEnd(rest); ok {
			h.end, h.ended, h.rest = end, true, after
		}
		if r, _ := utf8.DecodeRuneInString(h.rest); h.rest != "" && !unicode.IsSpace(r) && !strings.HasPrefix(h.rest, ":") {
			return head{}, false
		}
	}
	rest := strings.TrimLeft(strings.TrimPrefix(h.rest, ":"), " \t")
	if after, ok := cutDash(rest); ok {
		rest = after
	}
	h.rest = strings.TrimLeft(rest, " \t")
	return h, true
}

// parseStamped reads a text of such lines. Turns between two times that stand alone (Meet's headings) lie between them.
func parseStamped(text string, bold map[string]bool) turns {
	var (
		ts    turns
		lines = reader{text: text}
		now   head
		who   string
		begun bool
		from  int
		open  int // the first turn whose end the next time tells
	)
	known := tallyStamped(text, bold).accept()
	carry := known.share < 0.7
	flush := func(to int) {
		switch {
		case !begun:
			exportHead(&ts, text[from:to])
		case !blank(text[from:to]):
			ts.add(turn{speaker: who, start: now.start, end: now.end, timed: true, ended: now.ended, text: text[from:to]})
		}
	}
	for {
		line, start, ok := lines.next()
		if !ok {
			break
		}
		trimmed := strings.TrimSpace(line)
		end := start + strings.Index(line, trimmed) + len(trimmed)
		if boilerplate(trimmed) {
			flush(start)
			from = lines.pos
			continue
		}
		rest := trimmed
		h, stamped := stampHead(trimmed)
		if stamped {
			flush(start)
			for ; open < len(ts.list) && ts.list[open].timed; open++ {
				if t := &ts.list[open]; !t.ended && h.start > t.start {
					t.end, t.ended = h.start, true
				}
			}
			open = len(ts.list)
			if !carry {
				who = ""
			}
			now, begun, rest = h, true, h.rest
			from = end - len(rest)
		}
		if name, said, ok := label(rest); ok && begun && known.has(name) {
			if !stamped {
				flush(start)
			}
			who, from = name, end-len(said)
		}
	}
	flush(len(text))
	return ts
}

// tallyStamped counts the labels behind the times, or those below times that stand alone.
func tallyStamped(text string, bold map[string]bool) *tally {
	behind, below := newTally(), newTally()
	begun := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		switch h, ok := stampHead(line); {
		case ok && h.rest != "":
			behind.see(h.rest)
		case ok:
			begun = true
		case begun && !boilerplate(line):
			below.see(line)
		}
	}
	t := behind
	if behind.units < below.units {
		below.merge(behind)
		t = below
	}
	t.bold = bold
	return t
}

// stampNameHead reads "[00:01:23] Dana Weber", the words below, as Descript and Trint write it.
func stampNameHead(line string) (head, bool) {
	if len(line) > maxLabel {
		return head{}, false
	}
	h, ok := stampHead(line)
	if !ok || shapeOf(h.rest) != fullName {
		return head{}, false
	}
	h.speaker, h.rest = strings.TrimSuffix(h.rest, ":"), ""
	return h, true
}

// spokenBelow counts the heads that have a name behind the time, and words in the line below.
func spokenBelow(text string) int {
	n, named := 0, false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		_, stamped := stampHead(line)
		if named && line != "" && !stamped {
			n++
		}
		_, named = stampNameHead(line)
	}
	return n
}

// joinClocks puts a name and the time below it (or above it) on one line, as Otter has them, if nearly all times of the text stand
// alone beside a name, and the names recur.
func joinClocks(text string) (joined string, ok bool) {
	for _, nameFirst := range []bool{true, false} {
		var (
			out           strings.Builder
			held          string
			has           bool
			clocks, pairs int
			seen          = map[string]int{}
		)
		out.Grow(len(text))
		for line := range strings.SplitSeq(text, "\n") {
			trimmed := strings.TrimSpace(line)
			if isClock(trimmed) {
				clocks++
			}
			name, stamp := trimmed, held
			if nameFirst {
				name, stamp = held, trimmed
			}
			if has && isClock(stamp) && len(name) <= maxLabel && shapeOf(name) == fullName {
				out.WriteString(name + "  " + stamp + "\n")
				has = false
				pairs++
				if n := seen[name]; n > 0 || len(seen) < maxCandidates {
					seen[name] = n + 1
				}
				continue
			}
			if has {
				out.WriteString(held + "\n")
			}
			held, has = trimmed, true
		}
		if has {
			out.WriteString(held)
		}
		recurring := 0
		for _, n := range seen {
			if n > 1 {
				recurring += n
			}
		}
		if pairs > 1 && pairs*10 >= clocks*8 && recurring*10 >= pairs*6 {
			return out.String(), true
		}
	}
	return "", false
}

// isClock holds for a line that is a time and nothing else.
func isClock(line string) bool {
	_, rest, ok := clock(line)
	return ok && rest == ""
}
