package ask_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/ask"
	"research/transcript"
)

// An askedQuestion is a question to all the interviews of the embedded set and of the demonstration. Without
// quotes, no interview answers it.
type askedQuestion struct {
	Question string
	In       string   // the name of the interview that answers it
	Quotes   []string // of its answer
	Disagree bool     // whether the quotes have two answers
	Missed   bool     // whether it has other words than its answer, and finds something else
}

// knownInterviews returns the interviews by name, and their names in order.
func knownInterviews(t *testing.T) (names []string, transcripts []*transcript.Transcript) {
	t.Helper()
	for _, path := range []string{
		"../eval/gold/bakery.txt", "../eval/gold/lager.md", "../eval/gold/reservas.srt", "../eval/gold/rota.vtt",
		"../../../dev/demo/interview-jonas.txt", "../../../dev/demo/interview-maya.vtt",
	} {
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		parsed, err := transcript.Parse(raw)
		require.NoError(t, err)
		base := strings.TrimPrefix(filepath.Base(path), "interview-")
		names = append(names, strings.TrimSuffix(base, filepath.Ext(base)))
		transcripts = append(transcripts, parsed)
	}
	return names, transcripts
}

func askedQuestions(t *testing.T) []askedQuestion {
	t.Helper()
	raw, err := os.ReadFile("testdata/questions.json")
	require.NoError(t, err)
	var questions []askedQuestion
	require.NoError(t, json.Unmarshal(raw, &questions))
	return questions
}

func TestAnswersToQuestionsAreFound(t *testing.T) {
	t.Parallel()
	names, transcripts := knownInterviews(t)
	index := ask.NewIndex(transcripts)
	answerable, disagree := 0, 0
	for _, q := range askedQuestions(t) {
		if q.Disagree {
			disagree++
		}
		if len(q.Quotes) == 0 {
			continue
		}
		answerable++
		t.Run(q.Question, func(t *testing.T) {
			t.Parallel()
			in := slices.Index(names, q.In)
			found := index.Find([]string{q.Question}, ask.Limits{Passages: 3})
			for _, text := range q.Quotes {
				at := strings.Index(transcripts[in].Text, text)
				require.GreaterOrEqual(t, at, 0, "the quote is in the interview")
				require.Equal(t, !q.Missed, slices.ContainsFunc(found, func(p ask.Passage) bool {
					utterances := transcripts[p.Transcript].Utterances
					return p.Transcript == in && utterances[p.From].ByteStart <= at && at < utterances[p.To-1].ByteEnd
				}), "it is in one of three passages")
			}
		})
	}
	require.Equal(t, [2]int{12, 4}, [2]int{answerable, disagree})
}

func TestQuestionsThatNobodyAnswersHaveNoProof(t *testing.T) {
	t.Parallel()
	_, transcripts := knownInterviews(t)
	index := ask.NewIndex(transcripts)
	unanswerable := 0
	for _, q := range askedQuestions(t) {
		if len(q.Quotes) > 0 {
			continue
		}
		unanswerable++
		var sources []extract.AnswerSource
		for _, p := range index.Find([]string{q.Question}, ask.Limits{Passages: 40}) {
			sources = append(sources, extract.AnswerSource{ID: "p1", Transcript: p.Transcript, From: p.From, To: p.To})
		}
		prover := ask.NewProver(q.Question, transcripts, make([][]string, len(transcripts)))
		_, ok := prover.Prove(extract.AnswerLine{
			Text: q.Question, Cites: []extract.Cite{{ID: "p1", Quote: strings.TrimSuffix(q.Question, "?")}},
		}, sources)
		require.False(t, ok, q.Question)
	}
	require.Equal(t, 8, unanswerable)
}
