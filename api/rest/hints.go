package rest

import "slices"

// nearest finds the name that is most alike, at least as much as the threshold from 0 to 1: the share of edits that they do not need.
func nearest(name string, names []string, threshold float64) string {
	best, bestScore := "", 0.0
	slices.Sort(names)
	for _, candidate := range names {
		longest := max(len(name), len(candidate))
		if longest == 0 || longest > 200 {
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
