package qdpx

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Counting is how a program counts the characters of a text. The zero value is that of REFI-QDA: Unicode
// code points, line breaks as they are in the text.
type Counting struct {
	UTF16 bool // characters beyond the Basic Multilingual Plane, such as emoji, count as two
	Break BreakCounting
}

// A BreakCounting is how a program counts line breaks.
type BreakCounting int

// The ways to count line breaks.
const (
	BreaksAsTheyAre BreakCounting = iota
	BreaksAsOne                   // "\r\n" counts as one character, as in ATLAS.ti
	BreaksAsTwo                   // "\n" counts as two, where a program has replaced its "\r\n"
)

// A Span is a part of a text, in bytes.
type Span struct{ Start, End int }

// nowhere is the span of a selection that the text does not have.
var nowhere = Span{-1, -1}

// Spans returns the spans of selections. Those that are empty or not in the text have a negative start.
func (c Counting) Spans(text string, selections []Selection) []Span {
	wanted := make([]int, 0, 2*len(selections))
	for _, s := range selections {
		wanted = append(wanted, int(s.Start), int(s.End))
	}
	slices.Sort(wanted)
	offsets := c.offsets(text, slices.Compact(wanted))
	spans := make([]Span, len(selections))
	for i, s := range selections {
		start, isStart := offsets[int(s.Start)]
		end, isEnd := offsets[int(s.End)]
		if spans[i] = (Span{start, end}); !isStart || !isEnd || start >= end {
			spans[i] = nowhere
		}
	}
	return spans
}

// offsets returns the bytes at which positions are. Those are sorted. A position within a character has none.
func (c Counting) offsets(text string, positions []int) map[int]int {
	found := make(map[int]int, len(positions))
	at := 0
	for i := 0; ; {
		for len(positions) > 0 && positions[0] <= at {
			if positions[0] == at {
				found[at] = i
			}
			positions = positions[1:]
		}
		if i >= len(text) || len(positions) == 0 {
			return found
		}
		size, width := c.character(text[i:])
		i, at = i+size, at+width
	}
}

// character returns the bytes of the first character of a text, and as how many it counts.
func (c Counting) character(text string) (size, width int) {
	switch {
	case c.Break == BreaksAsOne && strings.HasPrefix(text, "\r\n"):
		return 2, 1
	case c.Break == BreaksAsTwo && text[0] == '\n':
		return 1, 2
	}
	r, size := utf8.DecodeRuneInString(text)
	if c.UTF16 && r > 0xffff {
		return size, 2
	}
	return size, 1
}

// GuessCounting returns how the positions of selections are most likely counted: the way in which most of
// them begin and end with a word, and have the words that they are named after. origin is the program that
// wrote the file; its way is taken unless another one fits clearly better.
func GuessCounting(text, origin string, selections []Selection) Counting {
	candidates := countings(text, origin)
	best := candidates[0]
	usual := fit(text, selections, best.Spans(text, selections))
	most := usual + max(0, usual)/4
	for _, c := range candidates[1:] {
		if score := fit(text, selections, c.Spans(text, selections)); score > most {
			best, most = c, score
		}
	}
	return best
}

// countings returns the ways in which the characters of a text may be counted, the most likely first.
func countings(text, origin string) []Counting {
	breaks := []BreakCounting{BreaksAsTheyAre}
	switch {
	case strings.Contains(text, "\r\n") && strings.Contains(strings.ToLower(origin), "atlas"):
		breaks = []BreakCounting{BreaksAsOne, BreaksAsTheyAre}
	case strings.Contains(text, "\r\n"):
		breaks = []BreakCounting{BreaksAsTheyAre, BreaksAsOne}
	case strings.Contains(text, "\n"):
		breaks = []BreakCounting{BreaksAsTheyAre, BreaksAsTwo}
	}
	if strings.Contains(strings.ToLower(origin), "qualcoder") {
		return []Counting{{}} // Python counts code points, and what it reads has no "\r\n"
	}
	hasPairs := strings.ContainsFunc(text, func(r rune) bool { return r > 0xffff })
	var all []Counting
	for _, b := range breaks {
		all = append(all, Counting{Break: b})
	}
	for _, b := range breaks {
		if hasPairs {
			all = append(all, Counting{UTF16: true, Break: b})
		}
	}
	return all
}

// fit says how well spans fit the words of a text.
func fit(text string, selections []Selection, spans []Span) int {
	score := 0
	for i, s := range spans {
		if s == nowhere {
			score -= 3
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:s.Start])
		first, _ := utf8.DecodeRuneInString(text[s.Start:])
		last, _ := utf8.DecodeLastRuneInString(text[:s.End])
		after, _ := utf8.DecodeRuneInString(text[s.End:])
		if !isWord(before) && !unicode.IsSpace(first) {
			score++
		}
		if !isWord(after) && !unicode.IsSpace(last) {
			score++
		}
		if isNamedAfter(selections[i].Name, text[s.Start:s.End]) {
			score += 4
		}
	}
	return score
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// isNamedAfter reports whether a selection has the name of its first words, as several programs name them.
func isNamedAfter(name, words string) bool {
	name = strings.TrimSpace(strings.TrimRight(strings.Join(strings.Fields(name), " "), ".…"))
	return len(name) >= 3 && BeginsWith(words, name)
}

// BeginsWith reports whether words begin with a name, whose white space is single spaces. It looks no further
// than it must: words may be a whole interview.
func BeginsWith(words, name string) bool {
	const gaps = 1000 // bytes of white space that count as one space
	return strings.HasPrefix(strings.Join(strings.Fields(words[:min(len(words), len(name)+gaps)]), " "), name)
}
