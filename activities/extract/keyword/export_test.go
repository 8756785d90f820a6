package keyword

import "research/transcript"

// RankUtterances orders the utterances of a transcript by how well they match each statement, as the keyword
// extractor does.
func RankUtterances(mode Retrieval, t *transcript.Transcript, statements []string) [][]int {
	index := newUtteranceIndex(t)
	var all [][]int
	for _, s := range statements {
		var order []int
		for _, r := range index.rank(index.query(s), mode.method()) {
			order = append(order, r.utterance)
		}
		all = append(all, order)
	}
	return all
}
