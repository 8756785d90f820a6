package imports

import (
	"slices"
	"sort"
	"strings"
	"unicode"
)

// An edit replaces a range of bytes of a text.
type edit struct {
	start, end int
	with       string
	respelled  bool // the same word, in another spelling
}

// edits are in order, and do not overlap.
type edits []edit

// apply returns the edited text.
func (es edits) apply(s string) string {
	var out strings.Builder
	at := 0
	for _, e := range es {
		out.WriteString(s[at:e.start])
		out.WriteString(e.with)
		at = e.end
	}
	out.WriteString(s[at:])
	return out.String()
}

// grown returns by how many bytes a text has grown before each edit, and after the last one.
func (es edits) grown() []int {
	sums := make([]int, len(es)+1)
	for i, e := range es {
		sums[i+1] = sums[i] + len(e.with) - (e.end - e.start)
	}
	return sums
}

// place returns where a range of bytes is in the edited text, which has grown by these sums. A replacement
// that the range has a part of belongs to it; what is inserted beside it does not.
func (es edits) place(start, end int, grown []int) (from, to int) {
	first, next := es.within(start, end)
	from, to = start+grown[first], end+grown[next]
	if first < next && es[first].start < start {
		from += es[first].start - start
	}
	if next > 0 && es[next-1].end > end {
		last := es[next-1]
		to = end + grown[next-1] + last.start + len(last.with) - end
	}
	return from, to
}

// within returns the range of edits that end after start and begin before end.
func (es edits) within(start, end int) (first, next int) {
	first = sort.Search(len(es), func(i int) bool { return es[i].end > start })
	next = sort.Search(len(es), func(i int) bool { return es[i].start >= end })
	return first, max(first, next)
}

// kept counts the letters of a range that are not replaced.
func (es edits) kept(s string, start, end int) int {
	kept := letters(s[start:end])
	first, next := es.within(start, end)
	for _, e := range es[first:next] {
		if from, to := max(e.start, start), min(e.end, end); from < to && !e.respelled {
			kept -= letters(s[from:to])
		}
	}
	return kept
}

// letters counts what is no white space.
func letters(s string) int {
	n := 0
	for _, r := range s {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

// maxCompared bounds the work of comparing two texts. The middle of longer ones is replaced as a whole.
const maxCompared = 1 << 20

// difference returns edits of whole words that make one text another. They begin at offset.
func difference(before, after string, offset int) edits {
	a, b := pieces(before), pieces(after)
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		offset += len(a[head])
		head++
	}
	a, b = a[head:], b[head:]
	tail := 0
	for tail < min(len(a), len(b)) && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	a, b = a[:len(a)-tail], b[:len(b)-tail]
	if len(a) == 0 && len(b) == 0 {
		return nil
	}
	if len(a)*len(b) > maxCompared {
		return edits{{start: offset, end: offset + len(strings.Join(a, "")), with: strings.Join(b, "")}}
	}
	return compare(a, b, offset)
}

// compare returns edits that keep the longest common subsequence of pieces.
func compare(a, b []string, offset int) (es edits) {
	foldedA, foldedB := foldPieces(a), foldPieces(b)
	common := make([][]int32, len(a)+1) // from a[i] and b[j] on
	for i := range common {
		common[i] = make([]int32, len(b)+1)
	}
	for i, x := range slices.Backward(foldedA) {
		for j, y := range slices.Backward(foldedB) {
			if x == y {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	change := func(removed, with string) {
		if n := len(es); n > 0 && es[n-1].end == offset && !es[n-1].respelled {
			es[n-1].end += len(removed)
			es[n-1].with += with
		} else {
			es = append(es, edit{start: offset, end: offset + len(removed), with: with})
		}
		offset += len(removed)
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && foldedA[i] == foldedB[j]:
			if a[i] != b[j] {
				es = append(es, edit{offset, offset + len(a[i]), b[j], true})
			}
			offset += len(a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			change(a[i], "")
			i++
		default:
			change("", b[j])
			j++
		}
	}
	return es
}

// pieces splits a text into words and the white space between them.
func pieces(s string) (all []string) {
	for start := 0; start < len(s); {
		isSpace := func(r rune) bool { return unicode.IsSpace(r) }
		end := strings.IndexFunc(s[start:], isSpace)
		if end == 0 {
			end = strings.IndexFunc(s[start:], func(r rune) bool { return !unicode.IsSpace(r) })
		}
		if end < 0 {
			end = len(s) - start
		}
		all = append(all, s[start:start+end])
		start += end
	}
	return all
}

// foldPieces returns pieces by which spellings of one word are equal: without case, accents and punctuation.
func foldPieces(all []string) []string {
	folded := make([]string, len(all))
	for i, s := range all {
		folded[i] = strings.TrimFunc(foldWord(s), func(r rune) bool { return !isWordRune(r) })
		switch {
		case strings.TrimSpace(s) == "":
			folded[i] = " "
		case folded[i] == "":
			folded[i] = s
		}
	}
	return folded
}
