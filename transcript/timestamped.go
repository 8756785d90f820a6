package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// timestampHeader reads a time before what was said: "[00:01:23] Dana: …", "(1:23) …", "00:01:23 …", "[0:03 -
// 0:07] …" and whisper.cpp's "[00:00:00.000 --> 00:00:04.000]   …". The speaker's label is still in the rest.
func timestampHeader(line string) (turnHeader, bool) {
	h, ok := bracketedTimestamp(line)
	if !ok {
		if h, ok = bareTimestamp(line); !ok {
			return turnHeader{}, false
		}
	}
	rest := strings.TrimLeft(strings.TrimPrefix(h.rest, ":"), " \t")
	rest, _ = cutDash(rest)
	h.rest = strings.TrimLeft(rest, " \t")
	return h, true
}

// bareTimestamp reads a time or a range of times without brackets.
func bareTimestamp(line string) (turnHeader, bool) {
	at, rest, ok := parseTimestamp(line)
	if !ok {
		return turnHeader{}, false
	}
	h := turnHeader{start: at, rest: rest}
	if end, after, ok := rangeEnd(rest); ok {
		h.end, h.ended, h.rest = end, true, after
	}
	next, _ := utf8.DecodeRuneInString(h.rest)
	if h.rest != "" && !unicode.IsSpace(next) && !strings.HasPrefix(h.rest, ":") {
		return turnHeader{}, false
	}
	return h, true
}

// parseTimestamped reads a text whose lines begin with timestamps. Turns between two timestamps that stand
// alone, such as Meet's headings, lie between them.
func parseTimestamped(text string, bold map[string]bool) turnList {
	p := timestampedParser{text: text, speakers: countTimestampedLabels(text, bold).speakers()}
	lines := lineReader{text: text}
	for {
		line, start, ok := lines.next()
		if !ok {
			break
		}
		trimmed := strings.TrimSpace(line)
		if isBoilerplate(trimmed) {
			p.endTurn(start)
			p.from = lines.pos
			continue
		}
		p.addLine(trimmed, start, start+strings.Index(line, trimmed)+len(trimmed))
	}
	p.endTurn(len(text))
	return p.list
}

// A timestampedParser is between two lines of a text with timestamps.
type timestampedParser struct {
	text     string
	speakers speakerSet
	list     turnList

	header  turnHeader // of the current turn
	speaker string
	begun   bool
	from    int // where the current turn starts
	open    int // the first turn that ends at the next timestamp
}

// addLine reads a trimmed line that starts and ends at the given bytes.
func (p *timestampedParser) addLine(line string, start, end int) {
	rest := line
	h, stamped := timestampHeader(line)
	if stamped {
		p.endTurn(start)
		p.closeOpen(h)
		if p.speakers.share >= carryShare {
			p.speaker = ""
		}
		p.header, p.begun, rest = h, true, h.rest
		p.from = end - len(rest)
	}
	if name, said, ok := splitLabel(rest); ok && p.begun && p.speakers.has(name) {
		if !stamped {
			p.endTurn(start)
		}
		p.speaker, p.from = name, end-len(said)
	}
}

func (p *timestampedParser) endTurn(to int) {
	switch {
	case !p.begun:
		p.list.addPreamble(p.text[p.from:to])
	case !isBlank(p.text[p.from:to]):
		p.list.add(turn{
			speaker: p.speaker,
			start:   p.header.start,
			end:     p.header.end,
			timed:   true,
			ended:   p.header.ended,
			text:    p.text[p.from:to],
		})
	}
}

// closeOpen sets the ends of the turns before a timestamp.
func (p *timestampedParser) closeOpen(h turnHeader) {
	for ; p.open < len(p.list.turns) && p.list.turns[p.open].timed; p.open++ {
		if t := &p.list.turns[p.open]; !t.ended && h.start > t.start {
			t.end, t.ended = h.start, true
		}
	}
	p.open = len(p.list.turns)
}

// countTimestampedLabels counts the labels after timestamps, or those below timestamps that stand alone.
func countTimestampedLabels(text string, bold map[string]bool) *labelCounts {
	after, below := newLabelCounts(), newLabelCounts()
	begun := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		switch h, ok := timestampHeader(line); {
		case ok && h.rest != "":
			after.addUnit(h.rest)
		case ok:
			begun = true
		case begun && !isBoilerplate(line):
			below.addUnit(line)
		}
	}
	counts := after
	if after.units < below.units {
		below.merge(after)
		counts = below
	}
	counts.bold = bold
	return counts
}

// timestampNameHeader reads "[00:01:23] Dana Weber" with the words below, as in Descript and Trint.
func timestampNameHeader(line string) (turnHeader, bool) {
	if len(line) > maxLabel {
		return turnHeader{}, false
	}
	h, ok := timestampHeader(line)
	if !ok || nameShapeOf(h.rest) != fullName {
		return turnHeader{}, false
	}
	h.speaker, h.rest = strings.TrimSuffix(h.rest, ":"), ""
	return h, true
}

// countNamesAboveWords counts the lines with a timestamp and a name that have words in the line below.
func countNamesAboveWords(text string) int {
	n, named := 0, false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		_, stamped := timestampHeader(line)
		if named && line != "" && !stamped {
			n++
		}
		_, named = timestampNameHeader(line)
	}
	return n
}

// joinTimestamps puts names and timestamps that are on separate lines on one line, as Otter has them. It
// returns false unless nearly all timestamps stand beside a name and most names recur.
func joinTimestamps(text string) (joined string, ok bool) {
	for _, nameFirst := range []bool{true, false} {
		if joined, ok := joinTimestampLines(text, nameFirst); ok {
			return joined, true
		}
	}
	return "", false
}

func joinTimestampLines(text string, nameFirst bool) (joined string, ok bool) {
	var (
		out           strings.Builder
		held          string // the line before
		isHeld        bool
		stamps, pairs int
		names         = map[string]int{}
	)
	out.Grow(len(text))
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if isTimestamp(line) {
			stamps++
		}
		name, stamp := line, held
		if nameFirst {
			name, stamp = held, line
		}
		if isHeld && isTimestamp(stamp) && len(name) <= maxLabel && nameShapeOf(name) == fullName {
			out.WriteString(name + "  " + stamp + "\n")
			isHeld = false
			pairs++
			if n := names[name]; n > 0 || len(names) < maxLabels {
				names[name] = n + 1
			}
			continue
		}
		if isHeld {
			out.WriteString(held + "\n")
		}
		held, isHeld = line, true
	}
	if isHeld {
		out.WriteString(held)
	}
	recurring := headerCount{names: names}.recurring()
	if pairs < 2 || pairs*10 < stamps*8 || recurring*10 < pairs*6 {
		return "", false
	}
	return out.String(), true
}
