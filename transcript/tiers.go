package transcript

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"research/transcript/internal/plain"
	"research/transcript/internal/speaker"
	"research/transcript/internal/turn"
)

// minTierRows is how many rows a table must have for its columns to be those of speakers.
const minTierRows = 4

// speakerColumns finds the columns of a table that has one of words for each speaker, named by the heading,
// as ELAN and typists write. Nearly every row has words in one of them.
func (t table) speakerColumns() (tableColumns, bool) {
	c := tableColumns{speaker: -1, text: -1, start: -1, end: -1, first: 1, tiers: map[int]string{}}
	if len(t) <= minTierRows {
		return c, false
	}
	for i, cell := range t[0][:min(len(t[0]), maxTableColumns)] {
		heading, name := normalHeading(cell), trimName(cell)
		heading, _, _ = strings.Cut(heading, " - ") // ELAN: "Begin Time - hh:mm:ss.ms"
		switch column := columnHeadings[heading]; {
		case column == "start" && c.start < 0:
			c.start = i
		case column == "end" && c.end < 0:
			c.end = i
		case column == "" && heading != "duration" && t[1:].isTier(i) && speaker.ShapeOf(name) != speaker.NotName:
			c.tiers[i] = name
		case column == "speaker" && t[1:].isTier(i):
			c.tiers[i] = name
		}
	}
	if len(c.tiers) < 2 {
		return c, false
	}
	single, filled := 0, 0
	for _, row := range t[1:] {
		n := 0
		for i := range c.tiers {
			if i < len(row) && !plain.IsBlank(row[i]) {
				n++
			}
		}
		if n > 0 {
			filled++
		}
		if n == 1 {
			single++
		}
	}
	return c, filled >= minTierRows && single*10 >= filled*9
}

// isTier reports whether a column has words in some rows, and nothing in others.
func (t table) isTier(column int) bool {
	filled, empty, words := 0, 0, 0.0
	for _, row := range t {
		if column >= len(row) || plain.IsBlank(row[column]) {
			empty++
			continue
		}
		if isTimeCell(strings.TrimSpace(row[column])) {
			return false
		}
		filled++
		words += plain.CountWords(row[column])
	}
	return filled > 0 && empty > 0 && words >= 1.5*float64(filled)
}

// joinTiers returns the rows of a table with a column for each speaker as rows with a speaker and words.
func (t table) joinTiers(c tableColumns) (table, tableColumns) {
	joined := tableColumns{speaker: 0, text: 1, start: -1, end: -1}
	if c.start >= 0 {
		joined.start = 2
	}
	if c.end >= 0 {
		joined.end = 3
	}
	var rows table
	for _, row := range t[c.first:] {
		cell := func(i int) string {
			if i < 0 || i >= len(row) {
				return ""
			}
			return row[i]
		}
		for i := range row {
			if name, ok := c.tiers[i]; ok && !plain.IsBlank(row[i]) {
				rows = append(rows, []string{name, row[i], cell(c.start), cell(c.end)})
			}
		}
	}
	return rows, joined
}

// tierKinds are what the names of tiers have behind those of the speakers.
var tierKinds = map[string]bool{
	"text": true, "words": true, "word": true, "ortho": true, "orth": true, "utterance": true, "utt": true,
	"speech": true, "transcript": true, "transcription": true, "tx": true, "default": true,
}

// hasTierNames reports whether the first cells of all rows are words without spaces that recur, and at least
// two of them: the names of tiers, which need not look like those of people.
func (t table) hasTierNames() bool {
	counts := map[string]int{}
	for _, row := range t {
		if len(row) == 0 {
			return false
		}
		cell := strings.TrimSpace(row[0])
		if cell == "" || len(cell) > plain.MaxWord || strings.ContainsAny(cell, " ./\\") || isTimeCell(cell) ||
			!strings.ContainsFunc(cell, unicode.IsLetter) || len(counts) > maxTableColumns {
			return false
		}
		counts[cell]++
	}
	return len(counts) > 1 && sumRecurring(counts)*10 >= len(t)*9
}

// orderTiers puts the rows of tiers into the order of their times, if each speaker's are in order and those
// of all are not: exports list one tier below the other.
func orderTiers(l *turn.List) {
	last, ordered, all := map[string]time.Duration{}, true, time.Duration(0)
	for _, t := range l.Turns {
		if !t.Timed || t.Speaker == "" || t.Start < last[t.Speaker] {
			return
		}
		ordered = ordered && t.Start >= all
		last[t.Speaker], all = t.Start, t.Start
	}
	if !ordered && len(last) > 1 {
		slices.SortStableFunc(l.Turns, func(a, b turn.Turn) int { return cmp.Compare(a.Start, b.Start) })
	}
}
