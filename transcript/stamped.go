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
		seen  = newTally()
	)
	seen.bold = bold
	// Labels stand behind the times, or below those that stand alone.
	alone := newTally()
	alone.bold = bold
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		switch h, ok := stampHead(line); {
		case ok && h.rest != "":
			seen.see(h.rest)
		case ok:
			begun = true
		case begun && !boilerplate(line):
			alone.see(line)
		}
	}
	begun = false
	if seen.units < alone.units {
		alone.merge(seen)
		seen = alone
	}
	known := seen.accept()
	carry := known.share < 0.7
	flush := func(to int) {
		switch {
		case begun && !blank(text[from:to]):
			ts.add(turn{speaker: who, start: now.start, end: now.end, timed: true, ended: now.ended, text: text[from:to]})
		case !begun && to > maxPreamble:
			prose(&ts, text[from:to])
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
