package ask_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract/ask"
	"research/activities/extract/eval"
	"research/transcript"
)

var qmsum = flag.String("qmsum", "", "a folder with val.jsonl and test.jsonl of QMSum")

// retrievalFloors are the shares of questions of which a marked passage is among those found, and of marked
// utterances that are; see docs/extraction.md.
var retrievalFloors = []struct {
	split           string
	limits          ask.Limits
	hit, utterances float64
}{
	{"val", ask.Limits{Passages: 40}, 0.78, 0.53},
	{"test", ask.Limits{Passages: 40}, 0.84, 0.61},
	{"val", ask.Limits{Passages: 40, OfOne: ask.PassagesOfOne, Transcripts: ask.BestTranscripts}, 0.74, 0.48},
	{"test", ask.Limits{Passages: 40, OfOne: ask.PassagesOfOne, Transcripts: ask.BestTranscripts}, 0.84, 0.56},
}

func TestMarkedPassagesOfMeetingsAreFound(t *testing.T) {
	t.Parallel()
	if *qmsum == "" {
		t.Skip("the meetings are not ours to ship: give -qmsum FOLDER")
	}
	for _, floor := range retrievalFloors {
		r := eval.MeasureRetrieval(meetings(t, floor.split), floor.limits)[0]
		t.Logf("%s: %+v", floor.split, r)
		require.GreaterOrEqual(t, r.Hit, floor.hit)
		require.GreaterOrEqual(t, r.Utterances, floor.utterances)
	}
}

func meetings(tb testing.TB, split string) []eval.Case {
	tb.Helper()
	cases, err := eval.Load(os.DirFS(*qmsum), split+".jsonl")
	require.NoError(tb, err)
	return cases
}

// What a question, and the index of 35 interviews with 332,000 words, may take.
const (
	maxFindMillis  = 40.0
	maxIndexMillis = 800.0
)

// BenchmarkFind asks questions of all meetings of QMSum's test split, which are 35 hours:
//
//	go test ./activities/extract/ask -run '^$' -bench . -qmsum QMSum/data/ALL/jsonl
func BenchmarkFind(b *testing.B) {
	if *qmsum == "" {
		b.Skip("the meetings are not ours to ship: give -qmsum FOLDER")
	}
	cases := meetings(b, "test")
	index := ask.NewIndex(transcriptsOf(cases))
	var questions []string
	for _, c := range cases {
		for _, h := range c.Hypotheses {
			questions = append(questions, h.Statement)
		}
	}
	limits := ask.Limits{Passages: 40, OfOne: ask.PassagesOfOne, Transcripts: ask.BestTranscripts}
	index.Find(questions[:1], limits) // loads the thesaurus
	asked := 0
	for b.Loop() {
		index.Find(questions[asked%len(questions):][:1], limits)
		asked++
	}
	millis := b.Elapsed().Seconds() * 1000 / float64(b.N)
	b.ReportMetric(millis, "ms/question")
	b.ReportMetric(0, "ns/op")
	require.LessOrEqual(b, millis, maxFindMillis)
}

// BenchmarkNewIndex indexes all meetings of QMSum's test split.
func BenchmarkNewIndex(b *testing.B) {
	if *qmsum == "" {
		b.Skip("the meetings are not ours to ship: give -qmsum FOLDER")
	}
	transcripts := transcriptsOf(meetings(b, "test"))
	for b.Loop() {
		ask.NewIndex(transcripts)
	}
	millis := b.Elapsed().Seconds() * 1000 / float64(b.N)
	b.ReportMetric(millis, "ms/index")
	b.ReportMetric(0, "ns/op")
	require.LessOrEqual(b, millis, maxIndexMillis)
}

func transcriptsOf(cases []eval.Case) []*transcript.Transcript {
	transcripts := make([]*transcript.Transcript, len(cases))
	for i, c := range cases {
		transcripts[i] = c.Transcript
	}
	return transcripts
}
