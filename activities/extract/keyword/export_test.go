package keyword

import (
	"slices"

	"research/transcript"
)

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

// RankMatched orders the utterances of a transcript by how well they match a statement. It returns none if no
// utterance has a word of the statement.
func RankMatched(mode Retrieval, t *transcript.Transcript, statement string) []int {
	index := newUtteranceIndex(t)
	ranked := index.rank(index.query(statement), mode.method())
	if !slices.ContainsFunc(ranked, func(r rankedUtterance) bool { return r.own > 0 }) {
		return nil
	}
	var order []int
	for _, r := range ranked {
		order = append(order, r.utterance)
	}
	return order
}

// ThesaurusSize returns the size of the thesaurus as it is embedded, and how many meanings it has.
func ThesaurusSize() (compressed, loaded int) { return len(compressedThesaurus), len(meanings()) }

// VocabularySize returns how many words the thesaurus has of a language.
func VocabularySize(language string) int { return len(vocabularyOf(language)) }

// Query indexes a transcript, and returns a function that ranks it for a statement.
func Query(t *transcript.Transcript) func(statement string) {
	index := newUtteranceIndex(t)
	return func(statement string) { index.rank(index.query(statement), Precise.method()) }
}
