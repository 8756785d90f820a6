package transcript

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A stampStyle is a way to write a time before what was said.
type stampStyle int

const (
	anyStamp       stampStyle = iota
	bracketedStamp            // "[0:03] Dana: …"
	bareStamp                 // "0:03 Dana: …"
	loneStamp                 // a line of its own
)

// header reads a time in one style. A time that stands alone belongs to all styles.
func (s stampStyle) header(line string) (turnHeader, bool) {
	h, ok := timestampHeader(line)
	if !ok || h.rest == "" || s == anyStamp {
		return h, ok
	}
	bracketed := line[0] == '[' || line[0] == '('
	return h, s != loneStamp && bracketed == (s == bracketedStamp)
}

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
	if again, ok := bracketedTimestamp(rest); ok && again.start == h.start {
		rest = strings.TrimLeft(again.rest, " \t") // a mark of the minute before the time of the turn
	}
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
func parseTimestamped(text string, style stampStyle, marked markedLabels) turnList {
	counts, below := countTimestampedLabels(text, style, marked)
	p := timestampedParser{text: text, style: style, speakers: counts.speakers(), below: below}
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
	style    stampStyle
	speakers speakerSet
	below    bool // the labels are below the times, so that some may be above the first time
	list     turnList

	header   turnHeader // of the current turn
	speaker  string
	doubtful bool // the turn may begin with a name
	begun    bool
	from     int // where the current turn starts
	open     int // the first turn that ends at the next timestamp
}

// addLine reads a trimmed line that starts and ends at the given bytes.
func (p *timestampedParser) addLine(line string, start, end int) {
	rest := line
	h, stamped := p.style.header(line)
	if stamped {
		p.endTurn(start)
		p.closeOpen(h)
		if p.speakers.share >= carryShare || p.doubtful {
			p.speaker, p.doubtful = "", false
		}
		p.header, p.begun, rest = h, true, h.rest
		p.from = end - len(rest)
	}
	name, said, ok := splitLabel(rest)
	switch {
	case !ok || !p.begun && !p.below:
	case p.speakers.has(name):
		if !stamped {
			p.endTurn(start)
		}
		p.speaker, p.doubtful, p.from = name, false, end-len(said)
	case p.speakers.doubtful[name]:
		if !stamped {
			p.endTurn(start)
			p.from = start
		}
		p.speaker, p.doubtful = "", true
	}
}

func (p *timestampedParser) endTurn(to int) {
	switch {
	case !p.begun && p.speaker == "":
		p.list.addPreamble(p.text[p.from:to])
	case !isBlank(p.text[p.from:to]):
		p.list.add(turn{
			speaker:  p.speaker,
			start:    p.header.start,
			end:      p.header.end,
			timed:    p.begun,
			ended:    p.header.ended,
			text:     p.text[p.from:to],
			doubtful: p.doubtful,
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

// countTimestampedLabels counts the labels after timestamps, or those below timestamps that stand alone. Then those
// that recur before the first timestamp count as well.
func countTimestampedLabels(
	text string, style stampStyle, marked markedLabels,
) (counts *labelCounts, areBelow bool) {
	after, below, first := newLabelCounts(), newLabelCounts(), newLabelCounts()
	begun := false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		switch h, ok := style.header(line); {
		case ok && h.rest != "":
			after.addUnit(h.rest)
		case ok:
			begun = true
		case isBoilerplate(line):
		case begun:
			below.addUnit(line)
		default:
			first.addUnit(line)
		}
	}
	counts = after
	if after.units < below.units {
		below.merge(after)
		for name, n := range first.labels {
			if n > 1 { // one that occurs once may be the field of a form
				below.labels[name] += n
			}
		}
		counts, areBelow = below, true
	}
	counts.marked = marked
	return counts, areBelow
}

// timestampNameHeader reads "[00:01:23] Dana Weber" with the words below, as in Descript and Trint.
func timestampNameHeader(line string) (turnHeader, bool) {
	if len(line) > maxLabel {
		return turnHeader{}, false
	}
	h, ok := timestampHeader(line)
	if !ok || nameShapeOf(strings.TrimSuffix(h.rest, ":")) == notName {
		return turnHeader{}, false
	}
	h.speaker, h.rest, h.believed = strings.TrimSuffix(h.rest, ":"), "", true
	return h, true
}

// stampedHeader reads the same, and a time that stands alone, as Word has it where it does not know who speaks.
func stampedHeader(line string) (turnHeader, bool) {
	if h, ok := timestampHeader(line); ok && h.rest == "" && len(line) <= maxLabel {
		h.believed = true
		return h, true
	}
	return timestampNameHeader(line)
}

// dashedNameHeader reads Happy Scribe's "[00:00:03.000] - Dana Weber", whose name need not recur.
func dashedNameHeader(line string) (turnHeader, bool) {
	stamp, ok := bracketedTimestamp(line[:min(len(line), maxLabel)])
	isFine := strings.Contains(strings.TrimSuffix(line, stamp.rest), ".")
	if !ok || !isFine || !hasAnyPrefix(stamp.rest, " - ", " – ") {
		return turnHeader{}, false
	}
	h, ok := timestampNameHeader(line)
	return h, ok && !endsSentence(h.speaker)
}

// countNamesAboveWords counts the lines with a timestamp and a name that have words in the line below.
func countNamesAboveWords(text string) int {
	n, named := 0, false
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		_, isName := timestampNameHeader(line)
		if named && !isName {
			n++
		}
		named = isName
	}
	return n
}

var blankLines = regexp.MustCompile(`\n[ \t]*(\n[ \t]*)+`)

// joinTimestamps puts names and timestamps that are on separate lines on one line, as Otter has them. It
// returns false unless nearly all timestamps stand beside a name and most names recur.
func joinTimestamps(text string) (joined string, ok bool) {
	for _, nameFirst := range []bool{true, false} {
		if joined, _ := joinTimestampLines(text, nameFirst); joined != "" {
			return joined, true
		}
	}
	// Names and times may be paragraphs of their own.
	text = blankLines.ReplaceAllString(text, "\n")
	joined, named := joinTimestampLines(text, true)
	if other, more := joinTimestampLines(text, false); more > named {
		joined = other
	}
	return joined, joined != ""
}

// isLoneStamp reports whether a line is a time, or a range of times, and nothing else.
func isLoneStamp(line string) bool {
	h, ok := timestampHeader(line)
	return ok && h.rest == ""
}

// joinTimestampLines does so where names come first, or times. It returns how often names that recur stand beside a
// time, and "" unless most do.
func joinTimestampLines(text string, nameFirst bool) (joined string, recurring int) {
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
		if isLoneStamp(line) {
			stamps++
		}
		name, stamp := line, held
		if nameFirst {
			name, stamp = held, line
		}
		name = strings.TrimSuffix(name, ":")
		if isHeld && isLoneStamp(stamp) && len(name) <= maxLabel && nameShapeOf(name) != notName {
			h, _ := timestampHeader(stamp)
			out.WriteString(name + "  " + formatTimestamp(h.start) + "\n")
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
	recurring = sumRecurring(names)
	if pairs < 2 || pairs*10 < stamps*8 || recurring*10 < pairs*6 {
		return "", 0
	}
	return out.String(), recurring
}
