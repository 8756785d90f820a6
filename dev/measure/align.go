package main

import (
	"slices"
	"strings"
	"unicode"
)

// words divides a text into words in lower case, without punctuation. Scripts without spaces have a word for
// each letter.
func words(text string) []string {
	var found []string
	for _, run := range strings.FieldsFunc(strings.ToLower(text), isBetweenWords) {
		from, alone := 0, false
		for i, r := range run {
			wasAlone := alone
			alone = unicode.In(r, unspaced...)
			if i > from && (alone || wasAlone) {
				found = append(found, run[from:i])
				from = i
			}
		}
		found = append(found, run[from:])
	}
	return found
}

var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func isBetweenWords(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}

// align pairs the words of two texts in order, as a diff does. It returns for each word of a the index of its
// word in b, or -1. Words that occur once in both are anchors; between them the longest common subsequence
// decides.
func align(a, b []string) []int {
	pairs := slices.Repeat([]int{-1}, len(a))
	alignPart(a, b, 0, 0, pairs)
	return pairs
}

// tooLarge is the size of a part, words by words, that is left unpaired: it has no anchors.
const tooLarge = 4_000_000

func alignPart(a, b []string, atA, atB int, pairs []int) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		pairs[atA] = atB
		a, b, atA, atB = a[1:], b[1:], atA+1, atB+1
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		pairs[atA+len(a)-1] = atB + len(b) - 1
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 || len(b) == 0 {
		return
	}
	found := anchors(a, b)
	if len(found) == 0 {
		if len(a)*len(b) <= tooLarge {
			alignSubsequence(a, b, atA, atB, pairs)
		}
		return
	}
	i, j := 0, 0
	for _, f := range append(found, [2]int{len(a), len(b)}) {
		alignPart(a[i:f[0]], b[j:f[1]], atA+i, atB+j, pairs)
		if f[0] < len(a) {
			pairs[atA+f[0]] = atB + f[1]
		}
		i, j = min(f[0]+1, len(a)), min(f[1]+1, len(b))
	}
}

// anchors returns the places of words that occur once in a and once in b, in the longest order that both
// have.
func anchors(a, b []string) [][2]int {
	once := func(words []string) map[string]int {
		places := map[string]int{}
		for i, w := range words {
			if _, twice := places[w]; twice {
				i = -1
			}
			places[w] = i
		}
		return places
	}
	inA, inB := once(a), once(b)
	var common [][2]int
	for i, w := range a {
		if j, ok := inB[w]; ok && j >= 0 && inA[w] >= 0 {
			common = append(common, [2]int{i, j})
		}
	}
	return increasing(common)
}

// increasing returns the longest part of the pairs, which are in the order of their first places, in which
// the second ones increase, too.
func increasing(pairs [][2]int) [][2]int {
	var ends []int // ends[n] is the pair that ends the best part of length n+1
	before := make([]int, len(pairs))
	for i, p := range pairs {
		n, _ := slices.BinarySearchFunc(ends, p[1], func(end, place int) int { return pairs[end][1] - place })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		ends = append(ends[:n], append([]int{i}, ends[min(n+1, len(ends)):]...)...)
	}
	if len(ends) == 0 {
		return nil
	}
	var best [][2]int
	for i := ends[len(ends)-1]; i >= 0; i = before[i] {
		best = append(best, pairs[i])
	}
	slices.Reverse(best)
	return best
}

// alignSubsequence pairs the longest common subsequence of short parts.
func alignSubsequence(a, b []string, atA, atB int, pairs []int) {
	length := make([][]int32, len(a)+1)
	for i := range length {
		length[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			pairs[atA+i] = atB + j
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
}
