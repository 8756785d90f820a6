package eval

import (
	"unicode"

	"research/activities/extract"
)

// words are the beginnings of the words of a text, in bytes. Each character of a script without spaces is a
// word.
type words []int

func wordsOf(text string) words {
	var starts words
	inWord := false
	for i, r := range text {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			starts = append(starts, i)
			inWord = false
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r):
			inWord = inWord && (r == '\'' || r == '’')
		case !inWord:
			starts = append(starts, i)
			inWord = true
		}
	}
	return starts
}

// in counts the words that begin within ranges.
func (w words) in(ranges extract.Ranges) int {
	n := 0
	for _, start := range w {
		if ranges.Covers(extract.Range{Start: start, End: start + 1}) {
			n++
		}
	}
	return n
}

// common returns the intersection of a and b.
func common(a, b extract.Ranges) extract.Ranges { return a.Minus(a.Minus(b)) }

func rangesOf(gold []Gold) extract.Ranges {
	var parts []extract.Range
	for _, g := range gold {
		parts = append(parts, extract.Range{Start: g.ByteStart, End: g.ByteEnd})
	}
	return extract.NewRanges(parts...)
}

func evidenceRanges(evidence []extract.Evidence) extract.Ranges {
	var parts []extract.Range
	for _, e := range evidence {
		parts = append(parts, extract.Range{Start: e.ByteStart, End: e.ByteEnd})
	}
	return extract.NewRanges(parts...)
}
