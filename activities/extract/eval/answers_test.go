package eval_test

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/eval"
	"research/outcome"
)

var qmsum = flag.String("qmsum", "", "a folder with test.jsonl of QMSum")

// An answerer writes the lines that compose returns.
type answerer struct {
	extract.Answerer

	compose func(extract.ComposeRequest) ([]extract.AnswerLine, error)
}

func (a answerer) Model() string               { return "scripted" }
func (a answerer) AnswerPromptVersion() string { return "ask1" }

func (a answerer) Compose(
	_ context.Context, r extract.ComposeRequest, each func(extract.AnswerLine) error,
) (extract.Usage, error) {
	lines, err := a.compose(r)
	for _, line := range lines {
		if err := each(line); err != nil {
			return extract.Usage{}, err
		}
	}
	return extract.Usage{InputTokens: 1000, OutputTokens: 10}, err
}

// firstWords returns words of a participant of a source.
func firstWords(r extract.ComposeRequest, s extract.AnswerSource) string {
	for _, u := range r.Transcripts[s.Transcript].Utterances[s.From:s.To] {
		if fields := strings.Fields(u.Text); len(fields) >= 6 && !strings.ContainsAny(u.Text, "0123456789") {
			return strings.Join(fields[:6], " ")
		}
	}
	return ""
}

// longest returns the longest utterance of a source.
func longest(r extract.ComposeRequest, s extract.AnswerSource) string {
	text := ""
	for _, u := range r.Transcripts[s.Transcript].Utterances[s.From:s.To] {
		if len(u.Text) > len(text) {
			text = u.Text
		}
	}
	return text
}

// bluffs says that all is answered, and proves nothing.
func bluffs() answerer {
	return answerer{compose: func(r extract.ComposeRequest) ([]extract.AnswerLine, error) {
		source := r.Sources[0]
		return []extract.AnswerLine{
			{Text: "They decided to build it.", Cites: []extract.Cite{
				{ID: source.ID, Quote: "we all decided long ago to build it exactly like that"},
			}},
			{Text: "It is what people usually do."},
			{Text: "They said so.", Cites: []extract.Cite{{ID: "p999", Quote: firstWords(r, source)}}},
			{
				Text:  "7 of 9 participants said so.",
				Cites: []extract.Cite{{ID: source.ID, Quote: firstWords(r, source)}},
			},
			{Text: "Most users want it.", Cites: []extract.Cite{{ID: source.ID, Quote: firstWords(r, source)}}},
			{Result: "answered"},
		}, nil
	}}
}

func checkBluffs(t *testing.T, cases []eval.Case) eval.AnswerReport {
	t.Helper()
	report, err := eval.Answers(t.Context(), bluffs(), cases, eval.Options{})
	require.NoError(t, err)
	for _, score := range []eval.AnswerScore{report.Own, report.Other} {
		require.Zero(t, score.Answered)
		require.Zero(t, score.Partly)
		require.Zero(t, score.Sentences)
		require.Equal(t, score.Questions, score.NotFound)
	}
	return report
}

func TestBluffsAreNoAnswers(t *testing.T) {
	t.Parallel()
	cases, err := eval.Load(eval.Set(), ".")
	require.NoError(t, err)
	report := checkBluffs(t, cases)
	require.Positive(t, report.Own.Unsupported)
	require.Positive(t, report.Usage.InputTokens)
}

func TestBluffsToQuestionsOfOtherMeetingsAreNoAnswers(t *testing.T) {
	t.Parallel()
	if *qmsum == "" {
		t.Skip("the meetings are not ours to ship: give -qmsum FOLDER")
	}
	cases, err := eval.Load(os.DirFS(*qmsum), "test.jsonl")
	require.NoError(t, err)
	report := checkBluffs(t, cases)
	require.Equal(t, 244, report.Other.Questions)
	require.Greater(t, report.Other.Unsupported, 4*200)
}

func TestProvenAnswersAreCounted(t *testing.T) {
	t.Parallel()
	cases, err := eval.Load(eval.Set(), ".")
	require.NoError(t, err)
	honest := answerer{compose: func(r extract.ComposeRequest) ([]extract.AnswerLine, error) {
		s := r.Sources[0]
		text := longest(r, s)
		return []extract.AnswerLine{
			{Text: text, Cites: []extract.Cite{{ID: s.ID, Quote: text}}}, {Result: "answered"},
		}, nil
	}}
	report, err := eval.Answers(t.Context(), honest, cases[:2], eval.Options{})
	require.NoError(t, err)
	require.Equal(t, report.Own.Answered, report.Own.Sentences)
	require.Positive(t, report.Own.Answered)
	require.Positive(t, report.Own.Marked)
	require.Zero(t, report.Other.Marked)
	var table strings.Builder
	require.NoError(t, report.Table(&table))
	require.Contains(t, table.String(), "other meetings")
}

func TestCallsOfAnswersThatFail(t *testing.T) {
	t.Parallel()
	cases, err := eval.Load(eval.Set(), ".")
	require.NoError(t, err)
	fails := func(code outcome.Code) answerer {
		return answerer{compose: func(extract.ComposeRequest) ([]extract.AnswerLine, error) {
			return nil, &extract.Error{Code: code}
		}}
	}
	report, err := eval.Answers(t.Context(), fails(outcome.CodeModelBadAnswer), cases, eval.Options{})
	require.NoError(t, err)
	require.Positive(t, report.Own.Failed)
	require.Zero(t, report.Own.Answered)
	_, err = eval.Answers(t.Context(), fails(outcome.CodeModelUnavailable), cases, eval.Options{})
	require.Error(t, err)
	_, err = eval.Answers(t.Context(), bluffs(), cases, eval.Options{Budget: &eval.Budget{MaxTokens: 1}})
	require.ErrorIs(t, err, eval.ErrTokenLimit)
}
