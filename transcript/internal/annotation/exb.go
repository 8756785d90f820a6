package annotation

import (
	"cmp"
	"encoding/xml"
	"strconv"
	"strings"
	"time"

	"research/transcript/internal/clock"
	"research/transcript/internal/format"
	"research/transcript/internal/turn"
	"research/transcript/internal/xmldoc"
)

// IsEXB reports whether a text is a basic transcription of the EXMARaLDA Partitur-Editor.
func IsEXB(text string) bool {
	head := text[:min(len(text), 1<<10)]
	return strings.HasPrefix(strings.TrimSpace(head), "<") && strings.Contains(head, "<basic-transcription")
}

// ReadEXB reads a basic transcription (https://exmaralda.org/files/basic-transcription.dtd.txt). The tiers of
// type "t" have what a speaker says; those of other types have annotations and descriptions, and are not
// read.
func ReadEXB(text string) (turn.List, error) {
	p := exbParser{names: map[string]string{}, times: map[string]time.Duration{}}
	if err := xmldoc.Read(text, p.add); err != nil {
		return turn.List{},
			format.Unsupported("It is a transcription of EXMARaLDA that is damaged. Please save it again.")
	}
	return turnsOfTiers(p.tiers)
}

// An exbParser is between two tokens of a transcription.
type exbParser struct {
	names    map[string]string // abbreviations of speakers by id
	times    map[string]time.Duration
	last     time.Duration // of the timeline
	speaker  string        // the id
	inName   bool
	isSpoken bool // the tier has what a speaker says
	inEvent  bool
	tiers    []tier

	current  turn.Turn // events of a tier, each of which starts where the one before ends
	endPoint string    // of the last of these
	text     strings.Builder
}

func (p *exbParser) add(token xml.Token) (more bool) {
	switch t := token.(type) {
	case xml.StartElement:
		p.start(t)
	case xml.EndElement:
		p.end(t.Name.Local)
	case xml.CharData:
		if p.inName && p.names[p.speaker] == "" {
			p.names[p.speaker] = string(t)
		}
		if p.inEvent {
			p.text.Write(t)
		}
	}
	return true
}

func (p *exbParser) start(t xml.StartElement) {
	switch t.Name.Local {
	case "speaker":
		p.speaker = xmldoc.Attribute(t, "id")
	case "abbreviation":
		p.inName = true
	case "tli": // points without a time are between those that have one
		seconds, err := strconv.ParseFloat(xmldoc.Attribute(t, "time"), 64)
		if at, ok := clock.FromSeconds(seconds); err == nil && ok {
			p.last = at
		}
		if len(p.times) <= 2*turn.Max {
			p.times[xmldoc.Attribute(t, "id")] = p.last
		}
	case "tier":
		if p.isSpoken = xmldoc.Attribute(t, "type") == "t"; p.isSpoken {
			name := cmp.Or(strings.TrimSpace(p.names[xmldoc.Attribute(t, "speaker")]),
				xmldoc.Attribute(t, "display-name"))
			p.tiers = append(p.tiers, tier{name: name})
		}
	case "event":
		if p.inEvent = p.isSpoken; p.inEvent {
			p.begin(xmldoc.Attribute(t, "start"), xmldoc.Attribute(t, "end"))
		}
	}
}

// begin begins an event, which continues the one before it if that ends where it starts.
func (p *exbParser) begin(start, end string) {
	if start != p.endPoint {
		p.finish()
		p.current.Start, p.current.Timed = p.times[start]
	}
	p.current.End, p.current.Ended = p.times[end]
	p.endPoint = end
}

// finish ends a turn.
func (p *exbParser) finish() {
	if p.text.Len() > 0 {
		p.current.Text = p.text.String()
		last := &p.tiers[len(p.tiers)-1]
		last.turns = append(last.turns, p.current)
	}
	p.current, p.endPoint = turn.Turn{}, ""
	p.text.Reset()
}

func (p *exbParser) end(element string) {
	switch element {
	case "abbreviation":
		p.inName = false
	case "event":
		p.inEvent = false
	case "tier":
		p.finish()
		p.isSpoken = false
	}
}
