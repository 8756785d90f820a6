package qdpx_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/refi/qdpx"
)

// selected returns the words of selections, "" for those that are nowhere.
func selected(text string, c qdpx.Counting, selections []qdpx.Selection) []string {
	var words []string
	for _, s := range c.Spans(text, selections) {
		if s.Start < 0 {
			words = append(words, "")
			continue
		}
		words = append(words, text[s.Start:s.End])
	}
	return words
}

func TestPositionsInTheUnitsOfOtherPrograms(t *testing.T) {
	t.Parallel()
	const windows = "Ana: hello\r\nBo: 😀 yes indeed\r\nAna: fine then"
	const plain = "Ana: hello\nBo: 😀 yes indeed\nAna: fine then"
	words := []string{"hello", "yes indeed", "fine then"}
	for name, c := range map[string]struct {
		text, origin string
		positions    []int
		want         qdpx.Counting
	}{
		"code points": {plain, "QualCoder", []int{5, 10, 17, 27, 33, 42}, qdpx.Counting{}},
		"UTF-16":      {plain, "MAXQDA 2022", []int{5, 10, 18, 28, 34, 43}, qdpx.Counting{UTF16: true}},
		"two of a break": {
			windows, "NVivo 12", []int{5, 10, 18, 28, 35, 44}, qdpx.Counting{},
		},
		"one of a break": {
			windows, "ATLAS.ti 9", []int{5, 10, 17, 27, 33, 42}, qdpx.Counting{Break: qdpx.BreaksAsOne},
		},
		"one of a break, by a program that counts two": {
			windows, "Other", []int{5, 10, 17, 27, 33, 42}, qdpx.Counting{Break: qdpx.BreaksAsOne},
		},
		"two of a break that is one in the text": {
			plain, "NVivo 12", []int{5, 10, 18, 28, 35, 44}, qdpx.Counting{Break: qdpx.BreaksAsTwo},
		},
		"two of a break, and UTF-16": {
			windows, "NVivo 12", []int{5, 10, 19, 29, 36, 45}, qdpx.Counting{UTF16: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var selections []qdpx.Selection
			for i := 0; i < len(c.positions); i += 2 {
				selections = append(selections, qdpx.Selection{
					Start: qdpx.Position(c.positions[i]), End: qdpx.Position(c.positions[i+1]),
				})
			}
			guessed := qdpx.GuessCounting(c.text, c.origin, selections)
			require.Equal(t, words, selected(c.text, guessed, selections), "%+v", guessed)
			require.Equal(t, c.want, guessed)
		})
	}
}

func TestNamesOfSelectionsTellThePositions(t *testing.T) {
	t.Parallel()
	const text = "one a b c d e\r\na b c d e f g"
	named := []qdpx.Selection{{Name: "b c d", Start: 16, End: 21}}
	c := qdpx.GuessCounting(text, "Other", named)
	require.Equal(t, []string{"b c d"}, selected(text, c, named))
	require.Equal(t, qdpx.BreaksAsOne, c.Break)
}

func TestSelectionsThatAreNowhere(t *testing.T) {
	t.Parallel()
	selections := []qdpx.Selection{
		{Start: 2, End: 9}, {Start: 2, End: 2}, {Start: 3, End: 1}, {Start: -1, End: 1},
	}
	require.Equal(t, []string{"", "", "", ""}, selected("short", qdpx.Counting{}, selections))
	require.Equal(t, []string{"hort"}, selected("short", qdpx.Counting{}, []qdpx.Selection{{Start: 1, End: 5}}))
}
