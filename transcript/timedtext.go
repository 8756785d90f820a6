package transcript

import (
	"encoding/xml"
	"strconv"
	"strings"
	"time"

	"research/transcript/internal/clock"
	"research/transcript/internal/format"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
	"research/transcript/internal/xmldoc"
)

// isTimedText reports whether a text is what YouTube's page loads as captions, which is not the Timed Text of
// the W3C: <transcript> with <text start="1.2" dur="3.4">, or <timedtext> with <p t="1200" d="3400">.
func isTimedText(text string) bool {
	head := text[:min(len(text), 4<<10)]
	if !strings.HasPrefix(strings.TrimSpace(head), "<") {
		return false
	}
	return strings.Contains(head, "<timedtext") && strings.Contains(text, "<p ") ||
		strings.Contains(head, "<transcript>") && strings.Contains(head, "<text start=")
}

// readTimedText reads these captions.
func readTimedText(text string) (turn.List, error) {
	var p timedTextParser
	err := xmldoc.Read(text, func(token xml.Token) bool {
		p.add(token)
		return len(p.cues) <= turn.Max
	})
	if err != nil {
		return turn.List{}, format.Unsupported("It is a file of captions (timedtext) that is damaged. " +
			"Please download it again.")
	}
	if len(p.cues) > turn.Max {
		return turn.List{Exceeded: true}, nil
	}
	return captionTurns(p.cues), nil
}

type timedTextParser struct {
	cues  []cue
	text  strings.Builder
	inCue bool
}

func (p *timedTextParser) add(token xml.Token) {
	switch t := token.(type) {
	case xml.StartElement:
		switch t.Name.Local {
		case "text":
			p.begin(cueTimes(xmldoc.Attribute(t, "start"), xmldoc.Attribute(t, "dur"), time.Second))
		case "p":
			p.begin(cueTimes(xmldoc.Attribute(t, "t"), xmldoc.Attribute(t, "d"), time.Millisecond))
		case "br":
			p.text.WriteByte('\n')
		}
	case xml.CharData:
		if p.inCue {
			p.text.Write(t)
		}
	case xml.EndElement:
		if t.Name.Local == "text" || t.Name.Local == "p" {
			p.end()
		}
	}
}

func (p *timedTextParser) begin(start, end time.Duration) {
	p.end()
	p.cues = append(p.cues, cue{start: start, end: end})
	p.inCue = true
}

// end records the text of a cue, whose entities are escaped twice.
func (p *timedTextParser) end() {
	if p.inCue {
		p.cues[len(p.cues)-1].text = strings.TrimSpace(plain.UnescapeEntities(p.text.String()))
	}
	p.inCue = false
	p.text.Reset()
}

// cueTimes reads the start and the length of a cue. Those that are no numbers are zero.
func cueTimes(start, length string, unit time.Duration) (from, to time.Duration) {
	read := func(s string) time.Duration {
		n, err := strconv.ParseFloat(s, 64)
		if at, ok := clock.FromSeconds(n * unit.Seconds()); err == nil && ok {
			return at
		}
		return 0
	}
	from = read(start)
	return from, from + read(length)
}
