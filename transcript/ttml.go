package transcript

import (
	"encoding/xml"
	"strings"
	"time"

	"research/transcript/internal/format"
	"research/transcript/internal/plain"
)

// isTTML reports whether a text is Timed Text (TTML, DFXP, IMSC, Apple's iTT).
func isTTML(text string) bool {
	head := text[:min(len(text), 4<<10)]
	return strings.HasPrefix(strings.TrimSpace(text), "<") && (strings.Contains(head, "<tt ") ||
		strings.Contains(head, "<tt:tt") || strings.Contains(head, "<tt>"))
}

// readTTML reads Timed Text (https://www.w3.org/TR/ttml2/): the speaker of a paragraph is its agent, its
// role, or a label in its text.
func readTTML(text string) (list turnList, language string, err error) {
	p := ttmlParser{agents: map[string]string{}}
	err = readXML(text, func(token xml.Token) bool {
		p.add(token)
		return len(p.turns) <= maxUtterances
	})
	if err != nil {
		return turnList{}, "", format.Unsupported("It is Timed Text (TTML) that is damaged. Please export it again.")
	}
	return p.list(), languageCode(p.language), nil
}

type ttmlParser struct {
	language string
	agents   map[string]string // names by id
	agent    string            // the id of the agent whose name is read
	turns    []turn
	current  *turn
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
		p.current = &turn{speaker: attributes["agent"]}
		p.text.Reset()
		p.current.start, p.current.timed = parseTTMLTime(attributes["begin"])
		p.current.end, p.current.ended = parseTTMLTime(attributes["end"])
		if length, ok := parseTTMLTime(attributes["dur"]); ok && !p.current.ended {
			p.current.end, p.current.ended = p.current.start+length, true
		}
	case "span":
		if p.current != nil && p.current.speaker == "" {
			p.current.speaker = attributes["agent"]
		}
	}
}

func (p *ttmlParser) endParagraph() {
	if p.current == nil {
		return
	}
	p.current.text = p.text.String()
	p.turns = append(p.turns, *p.current)
	p.current = nil
}

// list returns the turns. Without agents, labels in the text name the speakers.
func (p *ttmlParser) list() turnList {
	var cues []cue
	named := false
	for i := range p.turns {
		t := &p.turns[i]
		if name := p.agents[t.speaker]; name != "" {
			t.speaker = name
		}
		named = named || t.speaker != ""
		cues = append(cues, cue{start: t.start, end: t.end, text: t.text})
	}
	if named || len(p.turns) == 0 {
		return turnList{turns: p.turns, exceeded: len(p.turns) > maxUtterances}
	}
	return captionTurns(cues)
}

// parseTTMLTime reads "00:01:02.500", "00:01:02:12", "62.5s" and "620ms".
func parseTTMLTime(s string) (time.Duration, bool) {
	if at, rest, ok := parseTimestamp(s); ok && rest == "" {
		return at, true
	}
	if ms, ok := strings.CutSuffix(s, "ms"); ok {
		return milliseconds(ms)
	}
	at, rest, ok := parseClock(s)
	return at.at, ok && rest == "" && !at.wall
}
