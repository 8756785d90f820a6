package activities

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/activities/extract/ask"
	"research/db"
	"research/outcome"
)

// maxFindings bounds the findings from which an answer is composed: some 10,000 words, which fit the context
// of small models.
const maxFindings = 120

// listPartResponses lists the responses about the chunks that were read for an answer.
func listPartResponses(
	ctx context.Context, q *db.Queries, parts []db.PrivateAnswerPart,
) ([]db.ListPartResponsesRow, error) {
	params := db.ListPartResponsesParams{Imports: []uuid.UUID{}, Keys: [][]byte{}}
	for _, part := range parts {
		params.Imports = append(params.Imports, part.ImportID)
		params.Keys = append(params.Keys, part.ResponseKeys...)
	}
	return q.ListPartResponses(ctx, params)
}

// A finding is what a chunk says about a question, proven by its quote.
type finding struct {
	extract.Evidence
	transcript int
}

// findingsOf returns what the chunks of a thorough answer say as sources: of each interview the most relevant
// first, and then further ones. Findings whose quotes are not proven are left out. cut reports that others
// are left out because they are too many.
func findingsOf(
	all []interview, parts []db.PrivateAnswerPart, responses []db.ListPartResponsesRow,
) (sources []extract.AnswerSource, cut bool, err error) {
	stored := newResponsesOfImports(responses)
	results := make([][]extract.ChunkResult, len(all))
	for _, part := range parts {
		i := indexOf(all, part.ImportID)
		if i < 0 {
			continue
		}
		ofPart, err := stored.of(part)
		if err != nil {
			return nil, false, err
		}
		results[i] = append(results[i], ofPart...)
	}
	sources, cut = sourcesOf(all, results)
	return sources, cut, nil
}

// sourcesOf proves the findings of interviews, and chooses those that fit. cut reports that not all do.
func sourcesOf(
	all []interview, results [][]extract.ChunkResult,
) (sources []extract.AnswerSource, cut bool) {
	question := []extract.Hypothesis{{ID: extract.QuestionID}}
	var found [][]finding // of each interview, the most relevant first
	for i, of := range all {
		evidence, _ := extract.Merge(of.text.Transcript, results[i], question, of.interviewers)
		findings := make([]finding, len(evidence))
		for j, e := range evidence {
			findings[j] = finding{e, i}
		}
		slices.SortStableFunc(findings, func(a, b finding) int { return a.compare(b) })
		found = append(found, findings)
	}
	chosen, cut := chooseFindings(found)
	slices.SortStableFunc(chosen, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.transcript, b.transcript), cmp.Compare(a.ByteStart, b.ByteStart))
	})
	sources = make([]extract.AnswerSource, len(chosen))
	for i, f := range chosen {
		sources[i] = extract.AnswerSource{
			ID: "p" + strconv.Itoa(i+1), Transcript: f.transcript, Claim: f.Summary,
			From: max(f.UtteranceFrom-1, 0), // an answer is understood after what was asked
			To:   f.UtteranceTo + 1,
		}
	}
	return sources, cut
}

// compare orders findings, the most relevant first.
func (f finding) compare(other finding) int {
	strength := func(f finding) int { return slices.Index(outcome.Strengths, f.Strength) }
	return cmp.Or(cmp.Compare(strength(other), strength(f)), cmp.Compare(other.Confidence, f.Confidence))
}

// chooseFindings chooses maxFindings of the findings of interviews: first some of each interview, and then
// the most relevant of the others. cut reports that there are more.
func chooseFindings(found [][]finding) (chosen []finding, cut bool) {
	var first, rest []finding
	for _, of := range found {
		some := min(len(of), ask.PassagesOfOne)
		first, rest = append(first, of[:some]...), append(rest, of[some:]...)
	}
	for _, findings := range [][]finding{first, rest} {
		slices.SortStableFunc(findings, func(a, b finding) int { return a.compare(b) })
	}
	chosen = append(first, rest...)
	return chosen[:min(len(chosen), maxFindings)], len(chosen) > maxFindings
}
