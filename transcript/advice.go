package transcript

import "maps"

// Advice is what a model says of labels in doubt, as the file has them. It makes readings more likely and
// decides nothing: what a person has decided holds.
type Advice struct {
	People []string          `json:"people,omitempty"`
	Nobody []string          `json:"nobody,omitempty"`
	Same   map[string]string `json:"same,omitempty"` // labels of the same person as another label

	// Voice says who says the lines without a label; Speaker is the label of VoiceOf.
	Voice   Voice  `json:"voice,omitempty"`
	Speaker string `json:"speaker,omitempty"`
}

// A Voice is who says lines without a label.
type Voice string

// The voices; "" is unknown.
const (
	VoiceOf      Voice = "of"      // the speaker with a label
	VoiceAnother Voice = "another" // somebody whom no label names
	VoiceAbove   Voice = "above"   // the speaker above
	VoiceNobody  Voice = "nobody"
)

// IsEmpty reports whether it says nothing.
func (a Advice) IsEmpty() bool {
	return len(a.People) == 0 && len(a.Nobody) == 0 && len(a.Same) == 0 && a.Voice == ""
}

// ReadAdvised does what Read does, with the advice of a model.
func ReadAdvised(data []byte, decided Reading, advice Advice) (*Transcript, error) {
	src, err := detect(data)
	if err != nil {
		return nil, err
	}
	return src.read(decided, advice)
}

// adviceWeight is how much an answer of a model adds to the sum of the readings that agree with it: models
// are taken to be right fifty times as often as not. A reading for which much else speaks stays the likely one.
const adviceWeight = 4

// advised returns a plan that follows all of its advice about what nobody has decided, or false if that is
// the same plan.
func (p plan) advised() (plan, bool) {
	before := len(p.labels.people) + len(p.labels.nobody) + len(p.same)
	isOpen := func(label string) bool {
		return !p.labels.people[label] && !p.labels.nobody[label] && p.same[label] == ""
	}
	followed := p
	followed.same = maps.Clone(p.same)
	for label, other := range p.advice.Same {
		if !isOpen(label) {
			continue
		}
		if followed.same == nil {
			followed.same = map[string]string{}
		}
		followed.same[label] = other
		followed = followed.with(labelChange{label, true})
	}
	for _, label := range p.advice.People {
		if isOpen(label) {
			followed = followed.with(labelChange{label, true})
		}
	}
	for _, label := range p.advice.Nobody {
		if isOpen(label) {
			followed = followed.with(labelChange{label, false})
		}
	}
	return followed, len(followed.labels.people)+len(followed.labels.nobody)+len(followed.same) > before
}

// agreement counts the answers of a model with which a reading agrees, about labels that the file has.
func (c *candidate) agreement(rules *labelFacts) float64 {
	advice, n := c.plan.advice, 0.0
	isPerson := func(label string) bool {
		f := c.facts.byLabel[label]
		return f != nil && f.isPerson()
	}
	for _, label := range advice.People {
		if isPerson(label) {
			n++
		}
	}
	for _, label := range advice.Nobody {
		if !isPerson(label) {
			n++
		}
	}
	for label, other := range advice.Same {
		switch {
		case rules.byLabel[label] == nil || rules.byLabel[other] == nil:
		case c.plan.same[label] == other:
			n++
		case isPerson(label):
			n += 0.5
		}
	}
	isVoice := c.plan.voice.rule != voiceNone
	switch advice.Voice {
	case VoiceAbove:
		isVoice = !isVoice
	case VoiceOf:
		isVoice = isVoice && c.plan.voice.speaker == advice.Speaker
	case VoiceAnother, VoiceNobody:
		isVoice = isVoice && c.plan.voice.speaker == ""
	default:
		isVoice = false
	}
	if isVoice {
		n++
	}
	return n
}
