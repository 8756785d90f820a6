// Package annotation reads the files of linguists: transcriptions and annotations of ELAN, EXMARaLDA, Praat,
// Transcriber, CLAN and TEI.
//
// Each format has a function that recognizes it, and one that returns its turns.
package annotation

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"research/transcript/internal/format"
	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// A tier is a line of annotations in a file for linguists: the words of one speaker, or notes.
type tier struct {
	name  string
	turns []turn.Turn
}

// Bounds on the tiers that are those of speakers.
const (
	minTierWords   = 1.5 // a turn; fewer are words or sounds with times of their own
	maxTierOverlap = 1.3 // how much longer all annotations are than the time that has some
)

// turnsOfTiers returns the turns of all tiers in the order of their times. Tiers named for notes have no
// speaker. Rejected are tiers that annotate the same speech, since their names would be taken for speakers,
// and tiers of words or sounds.
func turnsOfTiers(tiers []tier) (turn.List, error) {
	const advice = "Please export the tiers of the speakers as a table with the columns Speaker, Start and " +
		"Text (CSV or TSV), and upload that."
	var list turn.List
	words := 0.0
	for _, t := range tiers {
		if speaker.HeadsRemark(t.name) && !speaker.IsRole(t.name) {
			t.name = ""
		}
		for _, u := range t.turns {
			if strings.ContainsFunc(u.Text, unicode.IsLetter) {
				u.Speaker = t.name
				words += plain.CountWords(u.Text)
				list.Add(u)
			}
		}
	}
	slices.SortStableFunc(list.Turns, func(a, b turn.Turn) int { return cmp.Compare(a.Start, b.Start) })
	switch n := len(list.Turns); {
	case n == 0:
		return turn.List{}, format.Unsupported("It is a file of annotations without words. " + advice)
	case words < minTierWords*float64(n):
		return turn.List{},
			format.Unsupported("It is a file of annotations of words or sounds rather than turns. " + advice)
	case overlap(&list) > maxTierOverlap:
		return turn.List{},
			format.Unsupported("It is a file with several annotations of the same speech. " + advice)
	}
	return list, nil
}

// overlap returns how much longer the turns, which are in order, are together than the time that they cover.
func overlap(l *turn.List) float64 {
	all, covered, last := time.Duration(0), time.Duration(0), time.Duration(0)
	for _, t := range l.Turns {
		all += max(0, t.End-t.Start)
		covered += max(0, t.End-max(last, t.Start))
		last = max(last, t.End)
	}
	if covered == 0 {
		return 1
	}
	return all.Seconds() / covered.Seconds()
}
