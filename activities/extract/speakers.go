package extract

import (
	"cmp"
	"slices"
	"strings"

	"research/transcript"
)

// A SpeakerQuestion asks who speaks, where the reading of a file is in doubt. It has the doubtful labels with
// a few lines around their first places, and never the whole transcript.
type SpeakerQuestion struct {
	Transcript *transcript.Transcript // for the names in it, which are masked
	Labels     []DoubtfulLabel        // the most doubtful first
	Known      []string               // labels of people without doubt
	Unlabelled *UnlabelledLines       // nil if no such lines are in doubt
}

// A DoubtfulLabel may be a person or not.
type DoubtfulLabel struct {
	Label string
	Count int // how often it occurs
	Lines []ContextLine
}

// UnlabelledLines may be those of another voice than the speaker above.
type UnlabelledLines struct {
	Count int
	In    string // the label in whose turns most of them are
	Lines []ContextLine
}

// A ContextLine is a line of the file, cut to a few words.
type ContextLine struct {
	Text  string
	Asked bool // it has the label, or none; the others are around it
}

// Bounds of a question: about a thousand tokens.
const (
	maxDoubtfulLabels = 12
	maxKnownLabels    = 24
	maxLabelRunes     = 80
	maxQuestionRunes  = 3000 // of all lines together
	minLineRunes      = 40
	maxLineRunes      = 160
	// leastDoubt is the doubt from which on a label is asked about. Turns with so much doubt are not confirmed.
	leastDoubt = 0.1
)

// AskAboutSpeakers returns the question about a transcript as it is read, or false if nothing is in doubt.
func AskAboutSpeakers(t *transcript.Transcript) (SpeakerQuestion, bool) {
	q := SpeakerQuestion{Transcript: t}
	doubtful := slices.Clone(t.Labels)
	slices.SortStableFunc(doubtful, func(a, b transcript.Label) int { return cmp.Compare(b.Doubt, a.Doubt) })
	for _, l := range doubtful {
		switch {
		case l.Doubt >= leastDoubt && len(q.Labels) < maxDoubtfulLabels:
			q.Labels = append(q.Labels, DoubtfulLabel{
				Label: l.Label, Count: l.Count, Lines: append(contextOf(l.First), secondPlace(t, l)...),
			})
		case l.Doubt < leastDoubt && l.Kind == transcript.LabelPerson && len(q.Known) < maxKnownLabels:
			q.Known = append(q.Known, l.Label)
		}
	}
	if u := t.Unlabelled; u != nil && u.Doubt >= leastDoubt {
		q.Unlabelled = &UnlabelledLines{
			Count: u.Count, In: u.In, Lines: append(contextOf(u.First), doubtfulTurn(t, *u)...),
		}
	}
	q.cut()
	return q, len(q.Labels) > 0 || q.Unlabelled != nil
}

// contextOf returns a line with its neighbours.
func contextOf(c transcript.Context) []ContextLine {
	return withText([]ContextLine{{Text: c.Before}, {Text: c.Line, Asked: true}, {Text: c.After}})
}

// secondPlace returns the second turn of a label with its neighbours, if it has one.
func secondPlace(t *transcript.Transcript, l transcript.Label) []ContextLine {
	seen := 0
	for i, u := range t.Utterances {
		if u.Speaker != l.Label {
			continue
		}
		if seen++; seen == 2 {
			return turnsAround(t, i)
		}
	}
	return nil
}

// doubtfulTurn returns the most doubtful turn in which unlabelled lines stand, with its neighbours.
func doubtfulTurn(t *transcript.Transcript, lines transcript.Unlabelled) []ContextLine {
	for _, d := range t.Doubts {
		if d.Ordinal < 0 || d.Ordinal >= len(t.Utterances) {
			continue
		}
		u := t.Utterances[d.Ordinal]
		if u.Speaker == lines.In && !strings.HasPrefix(u.Text, lines.First.Line) {
			return turnsAround(t, d.Ordinal)
		}
	}
	return nil
}

// turnsAround returns a turn with the one before and the one after it.
func turnsAround(t *transcript.Transcript, at int) []ContextLine {
	var lines []ContextLine
	for i := max(at-1, 0); i <= min(at+1, len(t.Utterances)-1); i++ {
		u := t.Utterances[i]
		text := cutRunes(u.Text, maxLineRunes) // turns may be long
		if u.Speaker != "" {
			text = u.Speaker + ": " + text
		}
		lines = append(lines, ContextLine{Text: text, Asked: i == at})
	}
	return withText(lines)
}

func withText(lines []ContextLine) []ContextLine {
	return slices.DeleteFunc(lines, func(l ContextLine) bool { return strings.TrimSpace(l.Text) == "" })
}

// cut shortens the texts to the bounds of a question. The fewer lines it has, the longer they may be.
func (q *SpeakerQuestion) cut() {
	all := 0
	for _, l := range q.Labels {
		all += len(l.Lines)
	}
	if q.Unlabelled != nil {
		all += len(q.Unlabelled.Lines)
	}
	size := min(max(maxQuestionRunes/max(all, 1), minLineRunes), maxLineRunes)
	cutAll := func(lines []ContextLine) {
		for i := range lines {
			lines[i].Text = cutRunes(lines[i].Text, size)
		}
	}
	for _, l := range q.Labels {
		cutAll(l.Lines)
	}
	if q.Unlabelled != nil {
		cutAll(q.Unlabelled.Lines)
	}
}

// cutRunes returns the beginning of a text.
func cutRunes(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}

// ShownLabel returns a label as a question shows it.
func ShownLabel(label string) string { return cutRunes(label, maxLabelRunes) }
