package extract

import (
	"slices"

	"research/transcript"
)

// A LabelVerdict is what a model says of a label.
type LabelVerdict string

// The verdicts about labels.
const (
	VerdictPerson LabelVerdict = "person"
	VerdictNobody LabelVerdict = "nobody"  // a field, a heading, a note
	VerdictSame   LabelVerdict = "same_as" // the person whom another label names
	VerdictUnsure LabelVerdict = "unsure"
)

// A VoiceVerdict is what a model says of the lines without a label.
type VoiceVerdict string

// The verdicts about lines without a label.
const (
	VoiceLabel   VoiceVerdict = "label"         // somebody whom a label names says them
	VoiceAnother VoiceVerdict = "another_voice" // somebody whom no label names
	VoiceAbove   VoiceVerdict = "speaker_above"
	VoiceNobody  VoiceVerdict = "nobody" // they are not said
	VoiceUnsure  VoiceVerdict = "unsure"
)

// SpeakerAnswers are what a model says to a SpeakerQuestion. They are stored as JSON, so that a retry does
// not pay again; the names of the fields must not change.
type SpeakerAnswers struct {
	Labels     []LabelAnswer `json:"labels"`
	Unlabelled VoiceAnswer   `json:"unlabelled"`
	Usage      Usage         `json:"usage"`
}

// A LabelAnswer is the verdict about a label, which is as the question has it.
type LabelAnswer struct {
	Label   string       `json:"label"`
	Verdict LabelVerdict `json:"verdict"`
	Same    string       `json:"same,omitempty"` // the other label, for VerdictSame
}

// A VoiceAnswer is the verdict about the lines without a label. The zero value is no answer.
type VoiceAnswer struct {
	Verdict VoiceVerdict `json:"verdict,omitempty"`
	Label   string       `json:"label,omitempty"` // for VoiceLabel
}

// Settle keeps the answers that say something about what was asked, and contradict neither the question nor
// each other: what two answers say of one label, or of one that is nobody and a person as well, is dropped.
func (a SpeakerAnswers) Settle(q SpeakerQuestion) SpeakerAnswers {
	verdicts := map[string]LabelAnswer{}
	dropped := map[string]bool{}
	for _, answer := range a.Labels {
		before, known := verdicts[answer.Label]
		if !q.asksAbout(answer.Label) || known && before != answer || !answer.isValid(q) {
			dropped[answer.Label] = true
		}
		verdicts[answer.Label] = answer
	}
	for _, answer := range verdicts {
		if other := verdicts[answer.Same]; answer.Verdict == VerdictSame &&
			(other.Verdict == VerdictNobody || other.Verdict == VerdictSame) {
			dropped[answer.Label], dropped[answer.Same] = true, true
		}
	}
	settled := SpeakerAnswers{Usage: a.Usage}
	for _, l := range q.Labels {
		answer, answered := verdicts[l.Label]
		if answered && !dropped[l.Label] && answer.Verdict != VerdictUnsure {
			settled.Labels = append(settled.Labels, answer)
		}
	}
	voice := a.Unlabelled
	isKnown := q.names(voice.Label) && verdicts[voice.Label].Verdict != VerdictNobody
	switch {
	case q.Unlabelled == nil:
	case voice.Verdict == VoiceLabel && isKnown && !dropped[voice.Label]:
		settled.Unlabelled = voice
	case voice.Verdict == VoiceAnother, voice.Verdict == VoiceAbove, voice.Verdict == VoiceNobody:
		settled.Unlabelled = VoiceAnswer{Verdict: voice.Verdict}
	}
	return settled
}

func (a LabelAnswer) isValid(q SpeakerQuestion) bool {
	switch a.Verdict {
	case VerdictPerson, VerdictNobody, VerdictUnsure:
		return a.Same == ""
	case VerdictSame:
		return a.Same != a.Label && q.names(a.Same)
	}
	return false
}

func (q SpeakerQuestion) asksAbout(label string) bool {
	return slices.ContainsFunc(q.Labels, func(l DoubtfulLabel) bool { return l.Label == label })
}

// names reports whether a label is one of the question.
func (q SpeakerQuestion) names(label string) bool {
	return q.asksAbout(label) || slices.Contains(q.Known, label)
}

// Advice returns the answers as advice for reading the file again.
func (a SpeakerAnswers) Advice() transcript.Advice {
	advice := transcript.Advice{Voice: voices[a.Unlabelled.Verdict], Speaker: a.Unlabelled.Label}
	for _, answer := range a.Labels {
		switch answer.Verdict {
		case VerdictPerson:
			advice.People = append(advice.People, answer.Label)
		case VerdictNobody:
			advice.Nobody = append(advice.Nobody, answer.Label)
		case VerdictSame:
			if advice.Same == nil {
				advice.Same = map[string]string{}
			}
			advice.Same[answer.Label] = answer.Same
		case VerdictUnsure:
		}
	}
	return advice
}

var voices = map[VoiceVerdict]transcript.Voice{
	VoiceLabel: transcript.VoiceOf, VoiceAnother: transcript.VoiceAnother, VoiceAbove: transcript.VoiceAbove,
	VoiceNobody: transcript.VoiceNobody,
}
