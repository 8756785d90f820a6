package annotation

import (
	"encoding/xml"
	"strconv"
	"strings"
	"time"

	"research/transcript/internal/clock"
	"research/transcript/internal/format"
	"research/transcript/internal/turn"
	"research/transcript/internal/xmldoc"
)

// IsTRS reports whether a text is a transcription of Transcriber.
func IsTRS(text string) bool {
	head := text[:min(len(text), 1<<10)]
	return strings.HasPrefix(strings.TrimSpace(head), "<") && strings.Contains(head, "<Trans ")
}

// ReadTRS reads a transcription of Transcriber (trans-14.dtd): turns, with points in time between which
// somebody speaks. Where several people speak in one turn, a number before the words says who.
func ReadTRS(text string) (turn.List, error) {
	p := trsParser{names: map[string]string{}}
	err := xmldoc.Read(text, func(token xml.Token) bool {
		p.add(token)
		return !p.list.Exceeded
	})
	switch {
	case err != nil:
		return turn.List{},
			format.Unsupported("It is a transcription of Transcriber that is damaged. Please save it again.")
	case len(p.list.Turns) == 0:
		return turn.List{},
			format.Unsupported("It is a transcription of Transcriber without words. Please save it again.")
	}
	return p.list, nil
}

// A trsParser is between two tokens of a transcription.
type trsParser struct {
	names    map[string]string // of speakers by id
	speakers []string          // of the turn, by number
	end      time.Duration     // of the turn
	isEnded  bool
	current  turn.Turn
	inTurn   bool
	text     strings.Builder
	list     turn.List
}

func (p *trsParser) add(token xml.Token) {
	switch t := token.(type) {
	case xml.StartElement:
		p.start(t)
	case xml.EndElement:
		if t.Name.Local == "Turn" {
			p.finish(p.end, p.isEnded)
			p.inTurn = false
		}
	case xml.CharData:
		if p.inTurn {
			p.text.Write(t)
		}
	}
}

func (p *trsParser) start(t xml.StartElement) {
	switch t.Name.Local {
	case "Speaker":
		p.names[xmldoc.Attribute(t, "id")] = xmldoc.ShortName(xmldoc.Attribute(t, "name"))
	case "Turn":
		p.speakers = xmldoc.NamesOf(xmldoc.Attribute(t, "speaker"), p.names)
		p.end, p.isEnded = trsTime(t, "endTime")
		p.current, p.inTurn = turn.Turn{Speaker: strings.Join(p.speakers, " & ")}, true
		p.current.Start, p.current.Timed = trsTime(t, "startTime")
	case "Sync":
		at, ok := trsTime(t, "time")
		p.finish(at, ok)
		p.current.Start, p.current.Timed = at, ok
	case "Who":
		p.finish(p.end, p.isEnded)
		if n, err := strconv.Atoi(xmldoc.Attribute(t, "nb")); err == nil && n > 0 && n <= len(p.speakers) {
			p.current.Speaker = p.speakers[n-1]
		}
	}
}

// finish closes the part of one speaker, at a time that may be known. Text up to the next <Who> belongs to
// all speakers of the turn.
func (p *trsParser) finish(at time.Duration, known bool) {
	if text := strings.Join(strings.Fields(p.text.String()), " "); p.inTurn && text != "" {
		p.current.Text, p.current.End, p.current.Ended = text, at, known
		p.list.Add(p.current)
	}
	p.current.Speaker = strings.Join(p.speakers, " & ")
	p.text.Reset()
}

func trsTime(t xml.StartElement, name string) (at time.Duration, ok bool) {
	seconds, err := strconv.ParseFloat(xmldoc.Attribute(t, name), 64)
	at, ok = clock.FromSeconds(seconds)
	return at, ok && err == nil
}
