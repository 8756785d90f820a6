package transcript

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"research/transcript/internal/plain"
	"research/transcript/internal/score"
	"research/transcript/internal/turn"
)

// A candidate is one of the readings among which the most likely one is chosen.
type candidate struct {
	plan  plan
	list  turn.List
	facts *labelFacts
	found int // lines of another voice

	features score.Vector
	sum      float64
	share    float64 // how likely it is, among all candidates
}

// Bounds on the candidates of a file.
const (
	maxToggled    = 8       // labels that are read in another way, one at a time
	maxWeighed    = 1 << 20 // bytes of turns that are weighed
	maxManyWeighs = 1 << 17 // bytes of turns of which many candidates are made

	maxWeighedTurns = 20_000
)

// candidates returns the readings of a source, the one by the rules first.
func (s source) candidates(p plan, base turn.List) []*candidate {
	first := s.candidate(p, base, nil)
	all := []*candidate{first}
	size := 0
	for _, t := range base.Turns {
		size += len(t.Text)
	}
	toggled := maxToggled
	if size > maxManyWeighs {
		toggled = 2
	}
	best := first
	for _, change := range first.doubtfulLabels(p.labels, toggled) {
		c := s.candidate(p.with(change), s.turns(p.with(change)), first.facts)
		all = append(all, c)
		if c.sum > first.sum {
			best = s.better(best, p, change, first.facts)
			if best != first {
				all = append(all, best)
			}
		}
	}
	if c, ok := s.withoutFields(p, first); ok {
		all = append(all, c)
		if c.sum > best.sum {
			best = c
		}
	}
	if advised, ok := p.advised(); ok {
		c := s.candidate(advised, s.turns(advised), first.facts)
		all = append(all, c)
		if c.sum > best.sum {
			best = c
		}
	}
	for _, from := range unique(first, best) {
		all = append(all, s.voices(from, first.facts)...)
	}
	return all
}

// unique returns the candidates without the second, if it is the first.
func unique(first, second *candidate) []*candidate {
	if first == second {
		return []*candidate{first}
	}
	return []*candidate{first, second}
}

// better returns a candidate that also has a change, or the best one if it is worse with it.
func (s source) better(best *candidate, p plan, change labelChange, rules *labelFacts) *candidate {
	p.labels = best.plan.labels
	p = p.with(change)
	if c := s.candidate(p, s.turns(p), rules); c.sum > best.sum {
		return c
	}
	return best
}

// voices returns a candidate with each rule for lines without a label, which may be another voice.
func (s source) voices(from *candidate, rules *labelFacts) []*candidate {
	if from.plan.voice.rule != voiceNone || s.dated || s.lines == "" {
		return nil
	}
	var found []*candidate
	last := 0
	for _, rule := range voiceRules {
		p := from.plan
		p.voice = voice{rule: rule, blocks: plain.WrapWidth(s.lines) > 0}
		if p.advice.Voice == VoiceOf {
			p.voice.speaker = p.advice.Speaker
		}
		list := from.list
		n := p.voice.give(&list)
		if n == last {
			continue
		}
		last = n
		c := s.candidate(p, list, rules)
		c.found = n
		found = append(found, c)
	}
	return found
}

// A labelChange reads one label in another way than the rules.
type labelChange struct {
	label  string
	person bool
}

// with returns a plan with a change.
func (p plan) with(change labelChange) plan {
	people, nobody := slices.Clone(p.labels.forced), []string(nil)
	for label := range p.labels.nobody {
		nobody = append(nobody, label)
	}
	if change.person {
		people = append(people, change.label)
	} else {
		nobody = append(nobody, change.label)
	}
	notes := p.labels.notes
	p.labels = newDecidedLabels(people, nobody)
	p.labels.notes = notes
	return p
}

// maxCertain is the logarithm of the odds at which a label is not read in another way.
const maxCertain = 5

// doubtfulLabels returns changes of the labels that are the least certain, and not decided.
func (c *candidate) doubtfulLabels(decided decidedLabels, most int) []labelChange {
	type doubt struct {
		change labelChange
		sum    float64
	}
	var doubts []doubt
	for _, f := range c.facts.list {
		if decided.people[f.label] || decided.nobody[f.label] || decided.notes[f.label] || f.label == "" {
			continue
		}
		var v score.Vector
		c.facts.add(&v, f, f.isPerson())
		if sum := v.Sum(); math.Abs(sum) < maxCertain || sum > 0 != f.isPerson() {
			if f.isPerson() {
				sum = -sum
			}
			doubts = append(doubts, doubt{labelChange{f.label, !f.isPerson()}, sum})
		}
	}
	slices.SortStableFunc(doubts, func(a, b doubt) int { return cmp.Compare(b.sum, a.sum) })
	var changes []labelChange
	for _, d := range doubts[:min(len(doubts), most)] {
		changes = append(changes, d.change)
	}
	return changes
}

// candidate describes a reading by its features. The facts of the reading by the rules say which labels the
// rules read as people; they are its own if nil.
func (s source) candidate(p plan, list turn.List, rules *labelFacts) *candidate {
	c := &candidate{plan: p, list: list, facts: factsOf(&list)}
	if rules == nil {
		rules = c.facts
	}
	for _, f := range c.facts.list {
		if f.isPerson() {
			by := rules.byLabel[f.label]
			c.facts.add(&c.features, f, by != nil && by.isPerson())
		}
	}
	c.features[score.LabelRules] += float64(max(0, p.joined-1))
	if p.voice.rule != voiceNone {
		c.features[score.Voice] = 1
	}
	c.describeTurns(s.lines != "" && !s.dated, plain.WrapWidth(s.lines) > 0)
	c.sum = c.features.Sum() + adviceWeight*c.agreement(rules)
	return c
}

// residue is what stays of marks among words.
var residue = regexp.MustCompile(`<[/a-zA-Z][^<>]*>|>>|\[?\b\d{1,2}:\d\d:\d\d\b|` +
	`^(?:Reacted to|Replying to) "|\[\d\d\.\d\d\.\d\d\]`)

// describeTurns adds the features of turns. Those of alternation are for lines with labels.
func (c *candidate) describeTurns(labelled, wrapped bool) {
	named, pairs, repeats, gaps, marked, unnamed, inside, total := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	answers := map[string]float64{}
	var last *turn.Turn
	at := time.Duration(0)
	for i := range c.list.Turns {
		t := &c.list.Turns[i]
		if t.Timed {
			at = max(at, t.Start)
		}
		if residue.MatchString(t.Text) {
			marked++
		}
		if t.Speaker == "" {
			unnamed += plain.CountWords(t.Text)
			last = nil
			continue
		}
		named++
		if t.Doubtful {
			inside++
		}
		if last != nil {
			pairs++
			if last.Speaker == t.Speaker {
				repeats++
				if labelled && len(paragraphStarts(last.Text)) > 1 {
					gaps++
				}
			}
		}
		if labelled {
			n := selfAnswers(t.Text, nextSpeaker(&c.list, i) == t.Speaker, wrapped)
			answers[t.Speaker] += n
			total += n
		}
		last = t
	}
	if named == 0 {
		return
	}
	if labelled && repeats > 0 && repeats*4 < pairs {
		c.features[score.Repeats] = min(1, (repeats+2*gaps)/3)
	}
	for name, n := range answers {
		turns := 1
		if f := c.facts.byLabel[cleanName(name)]; f != nil {
			turns = max(1, f.turns)
		}
		share := min(1, 1.5*n/float64(turns))
		if n < 2 {
			share *= 0.3
		}
		c.features[score.SelfAnswers] = max(c.features[score.SelfAnswers], share)
	}
	if total > 2 {
		c.features[score.SelfAnswers] = max(c.features[score.SelfAnswers], min(1, 1.2*total/named))
	}
	c.features[score.Residue] = marked / float64(len(c.list.Turns))
	c.features[score.Unnamed] = unnamed / max(1, c.facts.words)
	c.features[score.NameInside] = min(1, inside/3)
}

// selfAnswers returns how often a turn answers its own questions: a paragraph that asks is above one that
// does not, or at the end if the next turn has the same speaker.
func selfAnswers(text string, repeats, wrapped bool) float64 {
	if !strings.ContainsAny(text, "?？؟;") || !strings.Contains(strings.TrimSpace(text), "\n") {
		return 0
	}
	starts := paragraphStarts(text)
	if wrapped && !strings.Contains(strings.TrimSpace(text), "\n\n") {
		return 0
	}
	starts = append(starts, len(text))
	n, asked := 0.0, false
	for i := range len(starts) - 1 {
		is := asks(text[starts[i]:starts[i+1]])
		if asked && !is {
			n++
		}
		asked = is
	}
	if asked && len(starts) > 2 && repeats {
		n++
	}
	return n
}

// adviceWeight is how much an answer of a model adds to the sum of the readings that agree with it: models
// are taken to be right fifty times as often as not. A reading for which much else speaks stays the likely
// one.
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
