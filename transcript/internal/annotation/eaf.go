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

// IsEAF reports whether a text is an annotation document of ELAN.
func IsEAF(text string) bool {
	head := text[:min(len(text), 1<<10)]
	return strings.HasPrefix(strings.TrimSpace(head), "<") && strings.Contains(head, "<ANNOTATION_DOCUMENT")
}

// ReadEAF reads an annotation document of ELAN (https://www.mpi.nl/tools/elan/EAFv3.0.xsd). The tiers that
// have times are those of the speakers, named by their participants or themselves. Tiers that refer to others
// have translations, glosses and comments, and are not read.
func ReadEAF(text string) (turn.List, error) {
	p := eafParser{slots: map[string]time.Duration{}}
	if err := xmldoc.Read(text, p.add); err != nil {
		return turn.List{}, format.Unsupported("It is an annotation document of ELAN that is damaged. " +
			"Please export it again.")
	}
	return turnsOfTiers(p.tiers)
}

// An eafParser is between two tokens of a document.
type eafParser struct {
	slots   map[string]time.Duration // times by id
	tiers   []tier
	current turn.Turn
	isTimed bool // the annotation has times of its own
	inValue bool
	value   strings.Builder
	skipped bool // the tier refers to another one
}

func (p *eafParser) add(token xml.Token) (more bool) {
	switch t := token.(type) {
	case xml.StartElement:
		p.start(t)
	case xml.EndElement:
		p.end(t.Name.Local)
	case xml.CharData:
		if p.inValue {
			p.value.Write(t)
		}
	}
	return true
}

func (p *eafParser) start(t xml.StartElement) {
	attributes := map[string]string{}
	for _, a := range t.Attr {
		attributes[a.Name.Local] = a.Value
	}
	switch t.Name.Local {
	case "TIME_SLOT":
		ms, err := strconv.ParseFloat(attributes["TIME_VALUE"], 64)
		if at, ok := clock.FromSeconds(ms / 1000); err == nil && ok && len(p.slots) <= 2*turn.Max {
			p.slots[attributes["TIME_SLOT_ID"]] = at
		}
	case "TIER":
		p.skipped = attributes["PARENT_REF"] != ""
		name := cmp.Or(strings.TrimSpace(attributes["PARTICIPANT"]), strings.TrimSpace(attributes["TIER_ID"]))
		p.tiers = append(p.tiers, tier{name: name})
	case "ALIGNABLE_ANNOTATION":
		p.isTimed = !p.skipped && len(p.tiers) > 0
		p.current = turn.Turn{}
		p.current.Start, p.current.Timed = p.slots[attributes["TIME_SLOT_REF1"]]
		p.current.End, p.current.Ended = p.slots[attributes["TIME_SLOT_REF2"]]
	case "ANNOTATION_VALUE":
		p.inValue = true
		p.value.Reset()
	}
}

func (p *eafParser) end(element string) {
	switch element {
	case "ANNOTATION_VALUE":
		p.inValue = false
		if p.isTimed {
			p.current.Text = p.value.String()
			last := &p.tiers[len(p.tiers)-1]
			last.turns = append(last.turns, p.current)
		}
	case "ALIGNABLE_ANNOTATION":
		p.isTimed = false
	}
}
