package extract_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/eval"
)

var qmsum = flag.String("qmsum", "", "a .jsonl of https://github.com/Yale-LILY/QMSum, for BenchmarkQMSum")

// The floors on QMSum's test split of 244 queries, in percent, measured with the best published keyword
// method; see docs/extraction.md.
const (
	minPrecision = 37.8 // of the first ten utterances, those in a span that people marked
	minTouched   = 76.0 // of the spans, those that the first ten utterances touch
	maxMillis    = 5.0  // per query, with the index of the transcript
)

// BenchmarkQMSum ranks the turns of real meetings by the queries of QMSum:
//
//	go test ./activities/extract -run '^$' -bench QMSum -qmsum QMSum/data/ALL/jsonl/test.jsonl
func BenchmarkQMSum(b *testing.B) {
	if *qmsum == "" {
		b.Skip("the meetings are not ours to ship: give -qmsum FILE")
	}
	cases, err := eval.Load(os.DirFS(filepath.Dir(*qmsum)), filepath.Base(*qmsum))
	require.NoError(b, err)
	var queries, first, inGold, touched float64
	for b.Loop() {
		queries, first, inGold, touched = 0, 0, 0, 0
		for _, c := range cases {
			var statements []string
			for _, h := range c.Hypotheses {
				statements = append(statements, h.Statement)
			}
			for i, ranked := range extract.RankUtterances(c.Transcript, statements) {
				gold := c.Hypotheses[i].Gold
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
						inGold++
					}
					if hit && rank == 0 {
						first++
					}
				}
				queries++
				touched += float64(len(spans)) / float64(len(gold))
			}
		}
	}
	precision, spans := 10*inGold/queries, 100*touched/queries
	millis := b.Elapsed().Seconds() * 1000 / float64(b.N) / queries
	b.ReportMetric(queries, "queries")
	b.ReportMetric(100*first/queries, "P@1_%")
	b.ReportMetric(precision, "P@10_%")
	b.ReportMetric(spans, "spans@10_%")
	b.ReportMetric(millis, "ms/query")
	b.ReportMetric(0, "ns/op")
	require.GreaterOrEqual(b, precision, minPrecision)
	require.GreaterOrEqual(b, spans, minTouched)
	require.LessOrEqual(b, millis, maxMillis)
}
