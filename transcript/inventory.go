package transcript

import (
	"cmp"
	"slices"
	"strings"

	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// maxInventory is how many labels a person is shown, at most.
const maxInventory = 200

// describe adds what a person can be asked about a reading.
func (t *Transcript) describe(chosen *candidate, all []*candidate) {
	for _, f := range chosen.facts.list {
		if !f.isPerson() && !isShownLabel(f, chosen) {
			continue
		}
		l := Label{Label: f.label, Kind: LabelNobody, Count: f.count(), First: f.context}
		if f.isPerson() {
			l.Kind = LabelPerson
		} else {
			l.Same = chosen.facts.knownForm(f.label)
		}
		l.Share = f.words / max(1, chosen.facts.words)
		for _, c := range all {
			theirs := c.facts.byLabel[f.label]
			if (theirs != nil && theirs.isPerson()) != f.isPerson() {
				l.Doubt += c.share
			}
		}
		t.Labels = append(t.Labels, l)
	}
	slices.SortStableFunc(t.Labels, func(a, b Label) int { return cmp.Compare(b.Doubt, a.Doubt) })
	t.Labels = t.Labels[:min(len(t.Labels), maxInventory)]
	t.describeVoice(chosen, all)
}

// listDecided adds the labels about which a person has decided and that the reading no longer has.
func (t *Transcript) listDecided(s source, p plan) {
	if p.labels.empty() && len(p.same) == 0 {
		return
	}
	listed := map[string]bool{}
	for _, l := range t.Labels {
		listed[l.Label] = true
	}
	list := s.parse()
	facts := factsOf(&list)
	for _, f := range facts.list {
		other, isSame := p.same[f.label]
		if listed[f.label] || !isSame && !p.labels.nobody[f.label] {
			continue
		}
		l := Label{Label: f.label, Kind: LabelNobody, Count: f.count(), First: f.context}
		if l.Share = f.words / max(1, facts.words); isSame {
			l.Kind, l.Same = LabelPerson, other
		}
		t.Labels = append(t.Labels, l)
	}
}

// isShownLabel reports whether a label that is no person is worth a question: it recurs, was decided, is
// above the turns, or is another form of a speaker.
func isShownLabel(f *labelFact, c *candidate) bool {
	if f.label == "" || f.lines == 0 {
		return false
	}
	return f.lines > 1 || f.first <= 0 || c.plan.labels.nobody[f.label] || c.facts.knownForm(f.label) != "" ||
		len(strings.Fields(f.label)) <= 4
}

// describeVoice says which lines without a label may be another voice.
func (t *Transcript) describeVoice(chosen *candidate, all []*candidate) {
	best := chosen
	if chosen.found == 0 {
		for _, c := range all {
			if c.found > 0 && (best.found == 0 || c.sum > best.sum) {
				best = c
			}
		}
	}
	if best.found == 0 {
		return
	}
	u := &Unlabelled{Count: best.found}
	for _, c := range all {
		if (c.found > 0) != (chosen.found > 0) {
			u.Doubt += c.share
		}
	}
	u.In, u.First = mostDivided(&best.list)
	if chosen.found > 0 {
		u.Speaker = chosen.plan.voice.speaker
	} else {
		u.Speaker = u.In
	}
	u.Suggest = suggestVoice(best, u.In)
	t.Unlabelled = u
}

// mostDivided returns the speaker behind whom most turns without a speaker are, and the first of these.
func mostDivided(l *turn.List) (name string, first Context) {
	counts, most := map[string]int{}, 0
	for i := 1; i < len(l.Turns); i++ {
		above, t := l.Turns[i-1], l.Turns[i]
		if t.Speaker != "" || above.Speaker == "" {
			continue
		}
		if counts[above.Speaker]++; counts[above.Speaker] > most {
			name, most = above.Speaker, counts[above.Speaker]
		}
		if first.Line == "" {
			first = Context{
				above.Speaker + ": " + lastLine(strings.TrimSpace(above.Text)), firstLine(t.Text), "",
			}
			if i+1 < len(l.Turns) {
				first.After = l.Turns[i+1].Speaker + ": " + firstLine(l.Turns[i+1].Text)
			}
		}
	}
	return name, first.cut()
}

// suggestVoice returns who is likely to say the lines without a label: the only other speaker who asks, or a
// name for who asks, or answers.
func suggestVoice(c *candidate, in string) string {
	asked, turns := map[string]int{}, map[string]int{}
	unnamedAsk, unnamed := 0, 0
	for _, t := range c.list.Turns {
		switch {
		case t.Speaker == "" || t.Speaker == c.plan.voice.speaker:
			unnamed++
			if asks(t.Text) {
				unnamedAsk++
			}
		case t.Speaker != in:
			turns[t.Speaker]++
			if asks(t.Text) {
				asked[t.Speaker]++
			}
		}
	}
	if unnamedAsk*2 < unnamed {
		return "Interviewee"
	}
	if len(turns) == 1 {
		for name, n := range turns {
			if asked[name]*2 >= n {
				return name
			}
		}
	}
	return "Interviewer"
}

// Bounds on the lines from which a person chooses where the interview begins and ends.
const maxEdge = 20

// edgesOf returns the first and the last lines of a source, or its turns.
func (s source) edgesOf(list turn.List) (e Edges) {
	var lines []string
	if s.lines != "" && !s.dated {
		lines = edgeLines(s.lines)
	} else {
		for i, t := range list.Turns {
			if i < maxEdge || i >= len(list.Turns)-maxEdge {
				lines = append(lines, cleanText(t.Text))
			}
		}
	}
	cut := func(lines []string) []string {
		var shown []string
		for _, line := range lines {
			shown = append(shown, cutText(line))
		}
		return shown
	}
	n := min(maxEdge, len(lines))
	return Edges{Head: cut(lines[:n]), Tail: cut(lines[len(lines)-n:])}
}

// edgeLines returns the lines of a text that are not blank, but those far from its ends.
func edgeLines(text string) []string {
	var head, tail []string
	lines := plain.Lines{Text: text}
	for len(head) < 2*maxEdge {
		line, _, ok := lines.Next()
		if !ok {
			return head
		}
		if !plain.IsBlank(line) {
			head = append(head, line)
		}
	}
	rest := text[lines.Pos:]
	for len(tail) < maxEdge && rest != "" {
		trimmed := strings.TrimRight(rest, "\n")
		line := lastLine(trimmed)
		rest = trimmed[:len(trimmed)-len(line)]
		if !plain.IsBlank(line) {
			tail = append(tail, line)
		}
	}
	slices.Reverse(tail)
	return append(head, tail...)
}
