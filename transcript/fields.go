package transcript

import (
	"slices"
	"strings"
	"unicode/utf8"

	"research/transcript/internal/plain"
)

// fieldsAbove returns the changes that read all fields of a form as nobody: the labels that occur once above
// all speakers who recur, or among nobody who recurs. It returns none for fewer than two.
func (f *labelFacts) fieldsAbove(decided decidedLabels) []labelChange {
	var changes []labelChange
	for _, fact := range f.list {
		if fact.turns != 1 || decided.people[fact.label] || decided.nobody[fact.label] {
			continue
		}
		isAbove := true
		for _, other := range f.again {
			isAbove = isAbove && fact.last < other.first
		}
		if isAbove {
			changes = append(changes, labelChange{fact.label, false})
		}
	}
	if len(changes) < 2 || len(changes) > maxFieldsOfForm {
		return nil
	}
	return changes
}

// maxFieldsOfForm is how many fields a form has, at most.
const maxFieldsOfForm = 40

// withoutFields returns a candidate in which all fields of a form are nobody. That the rules read one of them
// as a person says no more than that they do so for all.
func (s source) withoutFields(p plan, first *candidate) (*candidate, bool) {
	changes := first.facts.fieldsAbove(p.labels)
	if len(changes) == 0 {
		return nil, false
	}
	for _, change := range changes {
		p = p.with(change)
	}
	p.joined = len(changes)
	return s.candidate(p, s.turns(p), first.facts), true
}

// minTurns is how many turns a file has in which somebody should come back.
const minTurns = 20

// areHeadings reports whether the speakers who come back twice after others say less than half of the words,
// among three or more: the others may be fields, or headings of the words below.
func (f *labelFacts) areHeadings() bool {
	speakers, again := 0, 0.0
	for _, fact := range f.list {
		if fact.isPerson() {
			speakers++
			if fact.runs > 2 {
				again += fact.words
			}
		}
	}
	return f.turns >= minTurns && speakers > 2 && again*2 < f.words
}

// minOutline is how many different letters or numbers an outline has.
const minOutline = 3

// isOutline reports whether the speakers of a reading are letters or numbers that count up, and begin again.
func (c *candidate) isOutline() bool {
	seen, named, counted := map[string]bool{}, 0, 0
	last := rune(0)
	for _, t := range c.list.Turns {
		if t.Speaker == "" {
			continue
		}
		named++
		label := strings.Trim(t.Speaker, "().:")
		r, size := utf8.DecodeRuneInString(label)
		if size == 0 || size < len(label) && strings.Trim(label, "IVX") != "" {
			return false
		}
		if r == last+1 || last == 0 || r < last && seen[label] {
			counted++
		}
		seen[label], last = true, r
	}
	return len(seen) >= minOutline && counted*5 >= named*4
}

// hasTitle reports whether the first label of a source is the name of a speaker in capitals, who has small
// letters below: "DANA WEBER: An interview by Sam Okafor".
func (s source) hasTitle(facts *labelFacts) bool {
	for line := range strings.SplitSeq(s.lines, "\n") {
		label, rest, ok := looseLabel(strings.TrimSpace(strings.Trim(line, "#*_ ")))
		if !ok {
			continue
		}
		isSpeaker := func(f *labelFact) bool {
			return f.turns > 1 && strings.EqualFold(f.label, label) && !plain.IsAllCaps(f.label)
		}
		return rest != "" && strings.Contains(label, " ") && plain.IsAllCaps(label) &&
			slices.ContainsFunc(facts.list, isSpeaker)
	}
	return false
}
