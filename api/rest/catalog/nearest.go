package catalog

import (
	"slices"
	"strings"
)

// longestCompared bounds the names that are compared, since the time of a comparison is proportional to the
// product of their lengths. PostgreSQL's own names have at most 63 bytes; lists of parameters are longer.
const longestCompared = 200

// Nearest returns the most similar name, for a hint, or "" if none reaches the threshold. The threshold is
// the share of characters that need no edit, from 0 to 1.
func Nearest(name string, names []string, threshold float64) string {
	best, bestScore := "", 0.0
	for _, candidate := range slices.SortedFunc(slices.Values(names), strings.Compare) {
		longest := max(len(name), len(candidate))
		if longest == 0 || longest > longestCompared {
			continue
		}
		score := 1 - float64(editDistance(name, candidate))/float64(longest)
		if score > bestScore {
			best, bestScore = candidate, score
		}
	}
	if bestScore < threshold {
		return ""
	}
	return best
}

// editDistance is the Levenshtein distance.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			diagonal, row[j] = row[j], min(row[j]+1, row[j-1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
