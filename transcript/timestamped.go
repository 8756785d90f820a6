package transcript

import (
	"strings"

	"research/transcript/internal/boilerplate"
	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// parseTimestamped reads a text whose lines begin with timestamps. Turns between two timestamps that stand
// alone, such as Meet's headings, lie between them.
func parseTimestamped(text string, style clock.Style, marked markedLabels) turn.List {
	counts, below := countTimestampedLabels(text, style, marked)
	p := timestampedParser{text: text, style: style, speakers: counts.speakers(), below: below}
	lines := plain.Lines{Text: text}
	for {
		line, start, ok := lines.Next()
		if !ok {
			break
		}
		trimmed := strings.TrimSpace(line)
		if boilerplate.Is(trimmed) {
			p.endTurn(start)
			p.from = lines.Pos
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
	style    clock.Style
	speakers speakerSet
	below    bool // the labels are below the times, so that some may be above the first time
	list     turn.List

	header   clock.Stamp // of the current turn
	speaker  string
	doubtful bool // the turn may begin with a name
	begun    bool
	from     int // where the current turn starts
	open     int // the first turn that ends at the next timestamp
}

// addLine reads a trimmed line that starts and ends at the given bytes.
func (p *timestampedParser) addLine(line string, start, end int) {
	rest := line
	h, stamped := p.style.Read(line)
	if stamped {
		p.endTurn(start)
		p.closeOpen(h)
		if !p.speakers.hold() || p.doubtful {
			p.speaker, p.doubtful = "", false
		}
		p.header, p.begun, rest = h, true, h.Rest
		p.from = end - len(rest)
	}
	name, said, ok := speaker.SplitLabel(rest)
	if person, after, forced := p.speakers.decided.cutPerson(rest); forced && !(ok && name == person) {
		name, said, ok = person, after, true
	}
	switch {
	case p.begun && p.speakers.decided.isNobody(rest):
		if !stamped {
			p.endTurn(start)
			p.from = start
		}
		p.speaker, p.doubtful = "", false
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
		boilerplate.AddPreamble(&p.list, p.text[p.from:to])
	case !plain.IsBlank(p.text[p.from:to]):
		p.list.Add(turn.Turn{
			Speaker:  p.speaker,
			Start:    p.header.Start,
			End:      p.header.End,
			Timed:    p.begun,
			Ended:    p.header.Ended,
			Text:     p.text[p.from:to],
			Doubtful: p.doubtful,
		})
	}
}

// closeOpen sets the ends of the turns before a timestamp.
func (p *timestampedParser) closeOpen(h clock.Stamp) {
	for ; p.open < len(p.list.Turns) && p.list.Turns[p.open].Timed; p.open++ {
		if t := &p.list.Turns[p.open]; !t.Ended && h.Start > t.Start {
			t.End, t.Ended = h.Start, true
		}
	}
	p.open = len(p.list.Turns)
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
