package eval_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/eval"
	"research/activities/extract/modeltest"
	"research/activities/extract/quote"
	"research/transcript"
)

// answerAllGold answers each transcript of the set with its gold.
func answerAllGold(t *testing.T, cases []eval.Case, change func(*modeltest.Finding)) modeltest.Behavior {
	t.Helper()
	answers := map[string]modeltest.Behavior{}
	for _, c := range cases {
		answers[c.Hypotheses[0].Statement] = answerGold(t, c, change)
	}
	return func(w http.ResponseWriter, x *modeltest.Exchange) {
		for statement, answer := range answers {
			if strings.Contains(x.User, statement) {
				answer(w, x)
			}
		}
	}
}

func TestTheListsNameWhatWasMissedWrongAndRefused(t *testing.T) {
	t.Parallel()
	c := set(t)[0]
	first := true
	m, _ := model(t, answerGold(t, c, func(f *modeltest.Finding) {
		switch {
		case first:
			f.Quote, first = "Nobody in this interview has ever said anything like that.", false
		case f.Stance == "contradicts":
			f.Stance = "supports"
		}
	}))
	r := run(t, m, []eval.Case{c})
	lists := map[string][]string{}
	for _, h := range r.Hypotheses {
		for _, p := range h.Missed {
			lists["missed"] = append(lists["missed"], p.Quote)
		}
		for _, p := range h.Wrong {
			lists["wrong"] = append(lists["wrong"], p.Reason)
		}
		for _, p := range h.Refused {
			lists["refused"] = append(lists["refused"], p.Reason)
		}
	}
	g := c.Hypotheses[0].Gold[0]
	require.Equal(t, []string{c.Transcript.Text[g.ByteStart:g.ByteEnd]}, lists["missed"])
	require.Contains(t, lists["wrong"], "another stance: supports")
	require.Equal(t, []string{string(quote.RejectNotFound)}, lists["refused"])

	var table bytes.Buffer
	require.NoError(t, r.Table(&table))
	require.Contains(t, table.String(), "\nmissed:\n  bakery, ")
	require.Contains(t, table.String(), "(another stance: supports)")
	require.Contains(t, table.String(), "\nrefused:\n")
}

func TestOverlapIsCountedByWords(t *testing.T) {
	t.Parallel()
	cases := set(t)
	perfect, _ := model(t, answerAllGold(t, cases, func(*modeltest.Finding) {}))
	full := run(t, perfect, cases)
	require.EqualValues(t, 1, *full.Total.F1)
	require.Equal(t, eval.Interval{Value: 1, Low: 1, High: 1}, *full.F1)

	halves, _ := model(t, answerAllGold(t, cases, func(f *modeltest.Finding) {
		said := strings.Fields(f.Quote)
		f.Quote = strings.Join(said[:(len(said)+1)/2], " ")
	}))
	half := run(t, halves, cases)
	require.Less(t, *half.Total.F1, 0.85, "part of the words is no full hit")
	require.Greater(t, *half.Total.F1, 0.5)
	require.Less(t, half.F1.Low, *half.Total.F1)
	require.Greater(t, half.F1.High, *half.Total.F1)
	require.Equal(t, half.F1, run(t, halves, cases).F1, "the same responses have the same interval")
}

func TestTwoModelsAreComparedByTheSameHypotheses(t *testing.T) {
	t.Parallel()
	cases := set(t)
	options := eval.Options{Concurrency: 2, RetryDelay: time.Millisecond}
	perfect, good := model(t, answerAllGold(t, cases, func(*modeltest.Finding) {}))
	honest, _ := model(t, modeltest.Honest())

	c, err := eval.Compare(t.Context(), honest, perfect, cases, options, 3)
	require.NoError(t, err)
	require.Equal(t, 12, good.Count(), "three times four transcripts")
	require.Equal(t, 12, c.B.Total.Calls)
	require.Less(t, c.P, 0.01)
	require.Contains(t, c.Verdict(), "B is better: its F1 is ")
	var table bytes.Buffer
	require.NoError(t, c.Table(&table))
	require.Contains(t, table.String(), "\nB: openai, model m")

	same, err := eval.Compare(t.Context(), honest, honest, cases, options, 1)
	require.NoError(t, err)
	require.EqualValues(t, 1, same.P)
	require.Contains(t, same.Verdict(), "No difference was shown")

	limited := options
	limited.Budget = &eval.Budget{MaxTokens: 100}
	_, err = eval.Compare(t.Context(), honest, perfect, cases, limited, 1)
	require.ErrorIs(t, err, eval.ErrTokenLimit)
}

func TestABudgetOfCostsIsShared(t *testing.T) {
	t.Parallel()
	m, server := model(t, modeltest.Honest())
	options := eval.Options{Budget: &eval.Budget{MaxCost: 0.004, InputPrice: 1, OutputPrice: 1}}
	r, err := eval.Repeat(t.Context(), m, set(t), options, 5)
	require.ErrorIs(t, err, eval.ErrCostLimit)
	r.Charge(1, 1)
	require.InDelta(t, 0.004, r.Total.Cost, 0.002)
	require.Less(t, server.Count(), 8)
}

func TestWordsOfInterviewersAreNoEvidence(t *testing.T) {
	t.Parallel()
	parsed, err := transcript.Parse([]byte(talk))
	require.NoError(t, err)
	at := func(said string) eval.JudgedQuote {
		start := strings.Index(parsed.Text, said)
		return eval.JudgedQuote{Stance: "supports", ByteStart: start, ByteEnd: start + len(said)}
	}
	cases, err := eval.JudgedSet{Imports: []eval.JudgedImport{{ID: "i1", Hypotheses: []eval.JudgedHypothesis{{
		Statement: "Copying takes long",
		Gold:      []eval.JudgedQuote{at("How do you do it?"), at("It takes two days.")},
	}}}}}.Cases(func(string) (*transcript.Transcript, []string, error) { return parsed, []string{"Ann"}, nil })
	require.NoError(t, err)
	require.Len(t, cases[0].Hypotheses[0].Gold, 1, "accepted before Ann was known as the interviewer")

	m, server := model(t, modeltest.Say(modeltest.Reply{Findings: []modeltest.Finding{
		{Hypothesis: "h1", Utterances: []string{"u0"}, Quote: "How do you do it?", Stance: "supports"},
		{Hypothesis: "h1", Utterances: []string{"u3"}, Quote: "It takes two days.", Stance: "supports"},
	}}.JSON()))
	r := run(t, m, cases)
	require.Contains(t, server.Calls()[0].User, "Interviewers: Ann")
	require.Equal(t, []int{1, 1, 1}, []int{r.Total.Evidence, r.Total.Right, r.Total.Found})
	require.Equal(t, 1, r.Total.RejectReasons[extract.RejectInterviewer])
	require.Equal(t, []eval.Passage{{Quote: "How do you do it?", Reason: "interviewer"}},
		r.Hypotheses[0].Refused)
}

func TestEvidenceThatNobodyJudgedIsNotCounted(t *testing.T) {
	t.Parallel()
	const text = "We copy every invoice by hand.\nIt takes two days.\nThe coffee is good.\n"
	judged := eval.JudgedSet{Imports: []eval.JudgedImport{{ID: "i1", Hypotheses: []eval.JudgedHypothesis{{
		Statement: "Copying takes long",
		Gold:      []eval.JudgedQuote{{Stance: "supports", ByteStart: 31, ByteEnd: 49}},
		Rejected:  []eval.JudgedQuote{{Stance: "supports", ByteStart: 50, ByteEnd: 69}},
	}}}}}
	parsed, err := transcript.Parse([]byte("Ben: " + text))
	require.NoError(t, err)
	load := func(string) (*transcript.Transcript, []string, error) { return parsed, nil, nil }
	quote := func(said string) modeltest.Finding {
		return modeltest.Finding{
			Hypothesis: "h1", Utterances: []string{"u0"}, Quote: said, Stance: "supports", Strength: "strong",
		}
	}
	at := func(said string) eval.JudgedQuote {
		start := strings.Index(parsed.Text, said)
		return eval.JudgedQuote{Stance: "supports", ByteStart: start, ByteEnd: start + len(said)}
	}
	judged.Imports[0].Hypotheses[0].Gold[0] = at("It takes two days.")
	judged.Imports[0].Hypotheses[0].Rejected[0] = at("The coffee is good.")
	cases, err := judged.Cases(load)
	require.NoError(t, err)
	m, _ := model(t, modeltest.Say(modeltest.Reply{Findings: []modeltest.Finding{
		quote("It takes two days."), quote("The coffee is good."), quote("We copy every invoice by hand."),
	}}.JSON()))
	total := run(t, m, cases).Total
	require.Equal(t, []int{2, 1, 1}, []int{total.Evidence, total.Right, total.Unjudged})
	require.Zero(t, total.Silent)

	judged.Imports[0].Hypotheses[0].Gold[0].ByteEnd = 1000
	_, err = judged.Cases(load)
	require.ErrorContains(t, err, "not within the transcript")
}
