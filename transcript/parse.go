package transcript

import (
	"math"

	"research/transcript/internal/format"
	"research/transcript/internal/language"
	"research/transcript/internal/plain"
	"research/transcript/internal/refine"
	"research/transcript/internal/turn"
)

// Parse reads a transcript, whose format and encoding it detects by the content. Its error is a *FormatError,
// for a file in no known format or without words.
//
// It takes time and memory in proportion to the size of the file, whatever its content. The same bytes always
// have the same transcript.
func Parse(data []byte) (*Transcript, error) { return Read(data, Reading{}) }

// Read does what Parse does, with what a person has decided. Its error is also ErrReading, for a text at
// which the interview is said to begin or end and that the file does not have.
func Read(data []byte, decided Reading) (*Transcript, error) {
	src, err := detect(data)
	if err != nil {
		return nil, err
	}
	return src.read(decided, Advice{})
}

// read parses a source, with what a person has decided, and the advice of a model.
func (s source) read(decided Reading, advice Advice) (*Transcript, error) {
	whole := s
	s, isCut := s.cut(decided)
	p := planOf(decided)
	p.advice = advice
	list := s.turns(p)
	edges := whole.edgesOf(list)
	notes := s.notes(&list)
	if p.labels = p.labels.withNotes(notes); len(p.labels.notes) > 0 {
		list = s.turns(p)
	}
	if !isCut {
		if err := cutTurns(&list, cleanText(decided.From), cleanText(decided.To)); err != nil {
			return nil, err
		}
	}
	t, err := s.weigh(p, list)
	if err != nil {
		return nil, err
	}
	t.Edges = edges
	t.listDecided(s, p)
	t.describeNotes(notes, p.labels)
	t.joinCues()
	return t, nil
}

// transcript returns the transcript with these turns.
func (s source) transcript(list turn.List) (*Transcript, error) {
	t, err := normalize(s.format, list)
	if err != nil {
		return nil, err
	}
	t.warn(s, list)
	if t.Language = s.language; t.Language == "" {
		t.Language = language.Guess(t.Text)
	}
	return t, nil
}

// A plan is a way to read a source: which labels are people, and whose the lines without a label are.
type plan struct {
	labels decidedLabels
	same   map[string]string
	voice  voice
	advice Advice
	joined int // changes of labels that were made as one
}

func planOf(decided Reading) plan {
	p := plan{labels: newDecidedLabels(decided.People, decided.Nobody)}
	if len(decided.Same) > 0 {
		p.same = map[string]string{}
		for label, other := range decided.Same {
			p.same[cleanName(label)] = cleanName(other)
		}
	}
	if decided.Unlabelled != nil {
		p.voice = voice{rule: voiceDecided, speaker: cleanName(*decided.Unlabelled)}
	}
	return p
}

// turns returns the turns of a source as planned.
func (s source) turns(p plan) turn.List {
	list := s.labelled(p.labels)
	unify(&list, p.same)
	if p.voice.rule == voiceDecided {
		p.voice = s.likelyVoice(p, list)
	}
	p.voice.give(&list)
	return list
}

// likelyVoice returns the most likely rule for a voice that somebody has said there is.
func (s source) likelyVoice(p plan, list turn.List) voice {
	best, most := voice{rule: voiceLast, speaker: p.voice.speaker}, math.Inf(-1)
	if isTooLarge(list) {
		return best
	}
	for _, rule := range voiceRules {
		v := voice{rule: rule, speaker: p.voice.speaker, blocks: plain.WrapWidth(s.lines) > 0}
		given := list
		if v.give(&given) == 0 {
			continue
		}
		if c := s.candidate(plan{voice: v}, given, nil); c.sum > most {
			best, most = v, c.sum
		}
	}
	return best
}

// labelled returns the turns of a source, with decisions about labels.
func (s source) labelled(labels decidedLabels) turn.List {
	list := s.decide(labels).parse()
	if s.lines != "" {
		refine.Turns(&list, s.text)
	}
	labels.decide(&list)
	return list
}

// decide returns a source of lines with the layout that fits decisions about its labels.
func (s source) decide(labels decidedLabels) source {
	if s.lines == "" || s.dated || labels.empty() {
		return s
	}
	marked := s.marked
	marked.decided = labels
	return s.again(s.lines, marked)
}

// again returns a source with other lines, or other labels, whose layout is chosen again.
func (s source) again(lines string, marked markedLabels) source {
	chosen, _ := detectTurns(lines, marked)
	s.parse, s.canonical, s.lines, s.marked = chosen.parse, chosen.canonical, chosen.lines, chosen.marked
	switch s.format {
	case format.Text, format.Otter, format.Rev, format.Fireflies, format.ZoomChat:
		s.format = chosen.format
	}
	return s
}

// cut returns a source without the lines before and after the interview. It returns false if the source has
// no such lines, so that its turns must be cut.
func (s source) cut(decided Reading) (cut source, ok bool) {
	from, to := cleanText(decided.From), cleanText(decided.To)
	if from == "" && to == "" {
		return s, true
	}
	if s.lines == "" || s.dated {
		return s, false
	}
	lines, ok := cutLines(s.lines, from, to)
	if !ok {
		return s, false
	}
	s = s.again(lines, s.marked)
	if s.text != "" {
		s.text = lines
	}
	return s, true
}
