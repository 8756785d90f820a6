package extract

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"research/transcript"
)

// A Range is a part of a transcript: the bytes from Start up to but not including End.
type Range struct{ Start, End int }

// Ranges are parts of a transcript in order. They neither overlap nor touch. The zero value is empty.
type Ranges []Range

// NewRanges returns the union of parts in any order. Empty parts are left out.
func NewRanges(parts ...Range) Ranges {
	sorted := slices.Clone(parts)
	slices.SortFunc(sorted, func(a, b Range) int { return cmp.Compare(a.Start, b.Start) })
	var union Ranges
	for _, r := range sorted {
		switch last := len(union) - 1; {
		case r.End <= r.Start:
		case last >= 0 && r.Start <= union[last].End:
			union[last].End = max(union[last].End, r.End)
		default:
			union = append(union, r)
		}
	}
	return union
}

// Union returns the union of a and b.
func (a Ranges) Union(b Ranges) Ranges { return NewRanges(slices.Concat(a, b)...) }

// Minus returns the ranges of a without those of b.
func (a Ranges) Minus(b Ranges) Ranges {
	var rest Ranges
	for _, r := range a {
		for _, cut := range b {
			if cut.End <= r.Start || cut.Start >= r.End {
				continue
			}
			if cut.Start > r.Start {
				rest = append(rest, Range{r.Start, cut.Start})
			}
			r.Start = cut.End
		}
		if r.Start < r.End {
			rest = append(rest, r)
		}
	}
	return rest
}

// Within returns the part of a that is in r.
func (a Ranges) Within(r Range) Ranges {
	var part Ranges
	for _, x := range a {
		if start, end := max(x.Start, r.Start), min(x.End, r.End); start < end {
			part = append(part, Range{start, end})
		}
	}
	return part
}

// Covers reports whether every byte of r is in a.
func (a Ranges) Covers(r Range) bool {
	return r.Start >= r.End ||
		slices.ContainsFunc(a, func(x Range) bool { return x.Start <= r.Start && r.End <= x.End })
}

// Bytes returns the number of bytes.
func (a Ranges) Bytes() int {
	n := 0
	for _, r := range a {
		n += r.End - r.Start
	}
	return n
}

// Coverage returns the part of total bytes that a covers, from 0 to 1 and in thousandths. It is 1 only if
// nothing is missing.
func (a Ranges) Coverage(total int) float64 {
	switch read := a.Bytes(); {
	case total == 0:
		return 0
	case read >= total:
		return 1
	default:
		return min(math.Round(1000*float64(read)/float64(total))/1000, 0.999)
	}
}

// ToWords returns the ranges as readings keep them: white space beside words that were read belongs to them,
// and white space alone is nothing to read. So a transcript of which every word was read is one range.
func (a Ranges) ToWords(t *transcript.Transcript) Ranges {
	var extended []Range
	for _, r := range a {
		if isBlank(t, r) {
			continue
		}
		r.Start = len(strings.TrimRightFunc(t.Text[:r.Start], unicode.IsSpace))
		r.End = len(t.Text) - len(strings.TrimLeftFunc(t.Text[r.End:], unicode.IsSpace))
		extended = append(extended, r)
	}
	return NewRanges(extended...)
}

func isBlank(t *transcript.Transcript, r Range) bool {
	return strings.TrimSpace(t.Text[r.Start:r.End]) == ""
}
