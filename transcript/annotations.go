package transcript

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"research/transcript/internal/format"
	"research/transcript/internal/plain"
)

// A tier is a line of annotations in a file for linguists: the words of one speaker, or notes.
type tier struct {
	name  string
	turns []turn
}

// Bounds on the tiers that are those of speakers.
const (
	minTierWords   = 1.5 // a turn; fewer are words or sounds with times of their own
	maxTierOverlap = 1.3 // how much longer all annotations are than the time that has some
)

// turnsOfTiers returns the turns of all tiers in the order of their times. Tiers named for notes have no speaker.
// Rejected are tiers that annotate the same speech, since their names would be taken for speakers, and tiers of words
// or sounds.
func turnsOfTiers(tiers []tier) (turnList, error) {
	const advice = "Please export the tiers of the speakers as a table with the columns Speaker, Start and Text " +
		"(CSV or TSV), and upload that."
	var list turnList
	words := 0.0
	for _, t := range tiers {
		if isNotSpeaker(t.name) && !isRole(t.name) {
			t.name = ""
		}
		for _, u := range t.turns {
			if strings.ContainsFunc(u.text, unicode.IsLetter) {
				u.speaker = t.name
				words += plain.CountWords(u.text)
				list.add(u)
			}
		}
	}
	slices.SortStableFunc(list.turns, func(a, b turn) int { return cmp.Compare(a.start, b.start) })
	switch n := len(list.turns); {
	case n == 0:
		return turnList{}, format.Unsupported("It is a file of annotations without words. " + advice)
	case words < minTierWords*float64(n):
		return turnList{}, format.Unsupported("It is a file of annotations of words or sounds rather than turns. " + advice)
	case overlap(&list) > maxTierOverlap:
		return turnList{}, format.Unsupported("It is a file with several annotations of the same speech. " + advice)
	}
	return list, nil
}

// overlap returns how much longer the turns, which are in order, are together than the time that they cover.
func overlap(l *turnList) float64 {
	all, covered, last := time.Duration(0), time.Duration(0), time.Duration(0)
	for _, t := range l.turns {
		all += max(0, t.end-t.start)
		covered += max(0, t.end-max(last, t.start))
		last = max(last, t.end)
	}
	if covered == 0 {
		return 1
	}
	return all.Seconds() / covered.Seconds()
}
