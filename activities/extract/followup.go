package extract

import (
	"cmp"
	"slices"

	"research/internal/words"
)

// MaxFollowUps is how many questions are kept of one response. The prompt asks for that number.
const MaxFollowUps = 3

// maxSuggested is how many questions are suggested for one hypothesis from one transcript.
const maxSuggested = 3

// Suggest selects follow-up questions from the responses: a few for each hypothesis, without repetition.
// Every chunk contributes its first question before any contributes its second, so that early chunks do not
// crowd out the others.
func Suggest(results []ChunkResult) []FollowUp {
	results = slices.Clone(results)
	slices.SortStableFunc(results, func(a, b ChunkResult) int {
		return cmp.Compare(a.Chunk.ByteStart, b.Chunk.ByteStart)
	})
	var selected []FollowUp
	seen := map[string]bool{}
	count := map[string]int{}
	for n := range MaxFollowUps {
		for _, r := range results {
			if n >= len(r.Response.FollowUps) {
				continue
			}
			f := r.Response.FollowUps[n]
			key := f.HypothesisID
			for _, tok := range words.Tokenize(f.Text) {
				key += " " + tok.Norm
			}
			if seen[key] || count[f.HypothesisID] == maxSuggested {
				continue
			}
			seen[key] = true
			count[f.HypothesisID]++
			selected = append(selected, f)
		}
	}
	return selected
}
