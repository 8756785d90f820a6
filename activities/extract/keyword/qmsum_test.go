package keyword_test

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract/eval"
	"research/activities/extract/keyword"
)

var qmsum = flag.String("qmsum", "", "a folder with val.jsonl and test.jsonl of QMSum, for BenchmarkQMSum")

// maxMillis is what a query may take, with the index of the transcript.
const maxMillis = 5.0

// The floors on QMSum in percent; see docs/extraction.md.
var qmsumFloors = []struct {
	split              string
	mode               keyword.Retrieval
	precision, touched float64
}{
	{"val", keyword.Precise, 35.8, 68.7},
	{"val", keyword.Broad, 31.6, 74.8},
	{"test", keyword.Precise, 40.4, 74.3},
	{"test", keyword.Broad, 37.2, 80.8},
}

// BenchmarkQMSum ranks the turns of real meetings by the queries of QMSum
// (https://github.com/Yale-LILY/QMSum), in both modes and on both splits:
//
//	go test ./activities/extract/keyword -run '^$' -bench QMSum -qmsum QMSum/data/ALL/jsonl
func BenchmarkQMSum(b *testing.B) {
	if *qmsum == "" {
		b.Skip("the meetings are not ours to ship: give -qmsum FOLDER")
	}
	for _, floor := range qmsumFloors {
		cases, err := eval.Load(os.DirFS(*qmsum), floor.split+".jsonl")
		require.NoError(b, err)
		b.Run(floor.split+"/"+string(floor.mode), func(b *testing.B) {
			var m retrievalMeasure
			for b.Loop() {
				m = measureRetrieval(floor.mode, cases)
			}
			millis := b.Elapsed().Seconds() * 1000 / float64(b.N) / m.queries
			b.ReportMetric(m.queries, "queries")
			b.ReportMetric(m.precisionAt1(), "P@1_%")
			b.ReportMetric(m.precisionAt10(), "P@10_%")
			b.ReportMetric(m.spansAt10(), "spans@10_%")
			b.ReportMetric(millis, "ms/query")
			b.ReportMetric(0, "ns/op")
			require.GreaterOrEqual(b, m.precisionAt10(), floor.precision)
			require.GreaterOrEqual(b, m.spansAt10(), floor.touched)
			require.LessOrEqual(b, millis, maxMillis)
		})
	}
}

func TestTheModesOfRetrievalAreDeterministic(t *testing.T) {
	t.Parallel()
	cases, err := eval.Load(eval.Set(), ".")
	require.NoError(t, err)
	rankings := func(mode keyword.Retrieval) (all [][]int) {
		for _, c := range cases {
			for _, h := range c.Hypotheses {
				all = append(all, keyword.RankUtterances(mode, c.Transcript, []string{h.Statement})...)
			}
		}
		return all
	}
	for range 5 {
		require.Equal(t, rankings(keyword.Precise), rankings(keyword.Precise))
		require.Equal(t, rankings(keyword.Broad), rankings(keyword.Broad))
	}
	require.NotEqual(t, rankings(keyword.Precise), rankings(keyword.Broad))
	require.Equal(t, rankings(keyword.Precise), rankings(""), "the zero value")
	require.NotEqual(t, keyword.New(keyword.Precise).PromptVersion(),
		keyword.New(keyword.Broad).PromptVersion(), "stored responses are those of their mode")
}

// A retrievalMeasure counts the first ten utterances for each query.
type retrievalMeasure struct {
	queries float64
	first   float64 // queries whose first utterance is in a span that people marked
	inGold  float64 // utterances in such a span
	touched float64 // the sum of the shares of spans that they touch
}

func (m retrievalMeasure) precisionAt1() float64  { return 100 * m.first / m.queries }
func (m retrievalMeasure) precisionAt10() float64 { return 10 * m.inGold / m.queries }
func (m retrievalMeasure) spansAt10() float64     { return 100 * m.touched / m.queries }

func measureRetrieval(mode keyword.Retrieval, cases []eval.Case) retrievalMeasure {
	var m retrievalMeasure
	for _, c := range cases {
		var statements []string
		for _, h := range c.Hypotheses {
			statements = append(statements, h.Statement)
		}
		for i, ranked := range keyword.RankUtterances(mode, c.Transcript, statements) {
			if gold := c.Hypotheses[i].Gold; len(gold) > 0 {
				m.add(c, gold, ranked)
			}
		}
	}
	return m
}

func (m *retrievalMeasure) add(c eval.Case, gold []eval.Gold, ranked []int) {
	spans := map[int]bool{}
	for rank, turn := range ranked[:min(10, len(ranked))] {
		u := c.Transcript.Utterances[turn]
		hit := false
		for j, g := range gold {
			if u.ByteStart >= g.ByteStart && u.ByteEnd <= g.ByteEnd {
				hit, spans[j] = true, true
			}
		}
		if hit {
			m.inGold++
		}
		if hit && rank == 0 {
			m.first++
		}
	}
	m.queries++
	m.touched += float64(len(spans)) / float64(len(gold))
}
