package transcript

import (
	"encoding/xml"
	"strings"
	"time"

	"research/transcript/internal/clock"
	"research/transcript/internal/format"
	"research/transcript/internal/language"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
	"research/transcript/internal/xmldoc"
)

// isTTML reports whether a text is Timed Text (TTML, DFXP, IMSC, Apple's iTT).
func isTTML(text string) bool {
	head := text[:min(len(text), 4<<10)]
	return strings.HasPrefix(strings.TrimSpace(text), "<") && (strings.Contains(head, "<tt ") ||
		strings.Contains(head, "<tt:tt") || strings.Contains(head, "<tt>"))
}

// readTTML reads Timed Text (https://www.w3.org/TR/ttml2/): the speaker of a paragraph is its agent, its
// role, or a label in its text.
func readTTML(text string) (list turn.List, declared string, err error) {
	p := ttmlParser{agents: map[string]string{}}
	err = xmldoc.Read(text, func(token xml.Token) bool {
		p.add(token)
		return len(p.turns) <= turn.Max
	})
	if err != nil {
		return turn.List{}, "",
			format.Unsupported("It is Timed Text (TTML) that is damaged. Please export it again.")
	}
	return p.list(), language.Code(p.language), nil
}

type ttmlParser struct {
	language string
	agents   map[string]string // names by id
	agent    string            // the id of the agent whose name is read
	turns    []turn.Turn
	current  *turn.Turn
	text     strings.Builder
	inName   bool
}

func (p *ttmlParser) add(token xml.Token) {
	switch t := token.(type) {
	case xml.StartElement:
		p.start(t)
	case xml.EndElement:
		switch t.Name.Local {
		case "p":
			p.endParagraph()
		case "name":
			p.inName = false
		case "agent":
			p.agent = ""
		}
	case xml.CharData:
		switch {
		case p.inName && p.agent != "" && len(p.agents) < plain.MaxLabels:
			p.agents[p.agent] += strings.TrimSpace(string(t))
		case p.current != nil:
			p.text.WriteString(strings.Join(strings.FieldsFunc(string(t), isBreak), " "))
		}
	}
}

func isBreak(r rune) bool { return r == '\n' || r == '\r' || r == '\t' }

func (p *ttmlParser) start(t xml.StartElement) {
	attributes := map[string]string{}
	for _, a := range t.Attr {
		attributes[a.Name.Local] = a.Value
	}
	switch t.Name.Local {
	case "tt":
		p.language = attributes["lang"]
	case "agent":
		p.agent = attributes["id"]
	case "name":
		p.inName = true
	case "br":
		p.text.WriteByte('\n')
	case "p":
		p.endParagraph()
		p.current = &turn.Turn{Speaker: attributes["agent"]}
		p.text.Reset()
		p.current.Start, p.current.Timed = parseTTMLTime(attributes["begin"])
		p.current.End, p.current.Ended = parseTTMLTime(attributes["end"])
		if length, ok := parseTTMLTime(attributes["dur"]); ok && !p.current.Ended {
			p.current.End, p.current.Ended = p.current.Start+length, true
		}
	case "span":
		if p.current != nil && p.current.Speaker == "" {
			p.current.Speaker = attributes["agent"]
		}
	}
}

func (p *ttmlParser) endParagraph() {
	if p.current == nil {
		return
	}
	p.current.Text = p.text.String()
	p.turns = append(p.turns, *p.current)
	p.current = nil
}

// list returns the turns. Without agents, labels in the text name the speakers.
func (p *ttmlParser) list() turn.List {
	var cues []cue
	named := false
	for i := range p.turns {
		t := &p.turns[i]
		if name := p.agents[t.Speaker]; name != "" {
			t.Speaker = name
		}
		named = named || t.Speaker != ""
		cues = append(cues, cue{start: t.Start, end: t.End, text: t.Text})
	}
	if named || len(p.turns) == 0 {
		return turn.List{Turns: p.turns, Exceeded: len(p.turns) > turn.Max}
	}
	return captionTurns(cues)
}

// parseTTMLTime reads "00:01:02.500", "00:01:02:12", "62.5s" and "620ms".
func parseTTMLTime(s string) (time.Duration, bool) {
	if at, rest, ok := clock.ParseTimestamp(s); ok && rest == "" {
		return at, true
	}
	if ms, ok := strings.CutSuffix(s, "ms"); ok {
		return clock.Milliseconds(ms)
	}
	at, rest, ok := clock.Parse(s)
	return at.At, ok && rest == "" && !at.Wall
}
