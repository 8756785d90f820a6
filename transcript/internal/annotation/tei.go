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

// IsTEI reports whether a text is a transcription of speech in TEI.
func IsTEI(text string) bool {
	head := text[:min(len(text), 4<<10)]
	return strings.HasPrefix(strings.TrimSpace(head), "<") &&
		(strings.Contains(head, "<TEI") || strings.Contains(head, "<teiCorpus")) && strings.Contains(text, "<u")
}

// ReadTEI reads a transcription of speech (https://tei-c.org/release/doc/tei-p5-doc/en/html/TS.html):
// utterances of the people that the header names. Notes, and descriptions of sounds and gestures, are not
// read.
func ReadTEI(text string) (turn.List, error) {
	p := teiParser{names: map[string]string{}, times: map[string]time.Duration{}}
	err := xmldoc.Read(text, func(token xml.Token) bool {
		p.add(token)
		return !p.list.Exceeded
	})
	switch {
	case err != nil:
		return turn.List{}, format.Unsupported("It is a TEI document that is damaged. Please export it again.")
	case len(p.list.Turns) == 0:
		return turn.List{},
			format.Unsupported("It is a TEI document without utterances (<u>). " + format.UploadInstead)
	}
	return p.list, nil
}

// A teiParser is between two tokens of a document.
type teiParser struct {
	hidden  xmldoc.Skipper
	names   map[string]string        // of people by id
	times   map[string]time.Duration // by id
	person  string                   // whose name is read
	inName  bool
	block   turn.Turn // what the annotation block around an utterance says of it
	current turn.Turn
	inTurn  bool
	text    strings.Builder
	list    turn.List
}

func (p *teiParser) add(token xml.Token) {
	if p.hidden.Skips(token) {
		return
	}
	switch t := token.(type) {
	case xml.StartElement:
		p.start(t)
	case xml.EndElement:
		p.end(t.Name.Local)
	case xml.CharData:
		switch {
		case p.inTurn:
			p.text.Write(t)
		case p.inName && p.names[p.person] == "":
			p.names[p.person] = xmldoc.ShortName(string(t))
		}
	}
}

func (p *teiParser) start(t xml.StartElement) {
	switch t.Name.Local {
	case "person":
		p.person = xmldoc.Attribute(t, "id")
	case "persName", "name", "abbr", "idno":
		p.inName = p.person != "" && !p.inTurn
	case "when":
		p.addTime(t)
	case "annotationBlock":
		p.block = p.turnOf(t)
	case "u":
		p.finish()
		p.current, p.inTurn = p.turnOf(t), true
		p.current.Speaker = cmp.Or(p.current.Speaker, p.block.Speaker)
		if !p.current.Timed {
			p.current.Start, p.current.Timed = p.block.Start, p.block.Timed
			p.current.End, p.current.Ended = p.block.End, p.block.Ended
		}
	case "w", "lb", "p", "s", "seg":
		p.text.WriteByte(' ')
	case "note", "desc", "vocal", "kinesic", "incident", "spanGrp":
		p.hidden.Hidden = 1
	}
}

// turnOf reads who speaks, and when, from the attributes of an element.
func (p *teiParser) turnOf(t xml.StartElement) (u turn.Turn) {
	u.Speaker = strings.Join(xmldoc.NamesOf(xmldoc.Attribute(t, "who"), p.names), " & ")
	u.Start, u.Timed = p.times[strings.TrimPrefix(xmldoc.Attribute(t, "start"), "#")]
	u.End, u.Ended = p.times[strings.TrimPrefix(xmldoc.Attribute(t, "end"), "#")]
	return u
}

// addTime reads a point of the timeline: a time, or how many seconds it is after another point.
func (p *teiParser) addTime(t xml.StartElement) {
	if len(p.times) > 2*turn.Max {
		return
	}
	id := xmldoc.Attribute(t, "id")
	if at, rest, ok := clock.ParseTimestamp(xmldoc.Attribute(t, "absolute")); ok && rest == "" {
		p.times[id] = at
		return
	}
	seconds, err := strconv.ParseFloat(strings.TrimSuffix(xmldoc.Attribute(t, "interval"), "s"), 64)
	after, ok := clock.FromSeconds(seconds)
	since := xmldoc.Attribute(t, "since")
	switch {
	case err == nil && ok:
		p.times[id] = min(p.times[strings.TrimPrefix(since, "#")]+after, clock.Max)
	case since == "": // the origin
		p.times[id] = 0
	}
}

func (p *teiParser) end(element string) {
	switch element {
	case "person":
		p.person = ""
	case "persName", "name", "abbr", "idno":
		p.inName = false
	case "u":
		p.finish()
	case "annotationBlock":
		p.block = turn.Turn{}
	}
}

// finish ends an utterance.
func (p *teiParser) finish() {
	if p.inTurn {
		p.current.Text = strings.Join(strings.Fields(p.text.String()), " ")
		p.list.Add(p.current)
	}
	p.current, p.inTurn = turn.Turn{}, false
	p.text.Reset()
}
