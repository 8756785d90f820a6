package extract

import "research/transcript"

// RankTurns orders the turns of a transcript by how well they match each statement, as the keyword extractor does.
func RankTurns(t *transcript.Transcript, statements []string) [][]int {
	index := newTurnIndex(t)
	var out [][]int
	for _, s := range statements {
		var order []int
		for _, r := range index.rank(index.query(s)) {
			order = append(order, r.turn)
		}
		out = append(out, order)
	}
	return out
}
