package keyword_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/eval"
	"research/activities/extract/keyword"
)

// The sets of interviews. Those of testdata/talks are in English, German, French, Spanish and Dutch, one of
// each language in each half; the held-out half was written and marked together with the other one. Do not
// choose words or weights by it. The embedded set has translations of its hypotheses in
// testdata/talks/translations.json.
const (
	development = "development"
	heldOut     = "held-out"
	embedded    = "embedded"
)

// Hypotheses of testdata/talks are of two kinds: those of a team that knows the trade and its words, which
// follow the others, and those that have none of the words of their answers. One of the latter has no answer.
const (
	anyKind    = ""
	tradeWords = "trade words"
	otherWords = "other words"
)

const otherWordsPerTalk = 6

// A talkFloor is what keywords must reach on a set of hypotheses, in percent; see docs/extraction.md.
type talkFloor struct {
	set, kind  string
	translated bool    // the hypotheses are in another language than the interview: English, if possible
	spans      float64 // marked spans that the first five answers touch
	right      float64 // findings that touch a marked span
	found      float64 // marked spans that findings touch
}

var talkFloors = []talkFloor{
	{set: development, kind: tradeWords, spans: 83.3, right: 80.0, found: 33.3},
	{set: development, kind: tradeWords, translated: true, spans: 87.5, right: 66.6, found: 25.0},
	{set: development, kind: otherWords, spans: 30.7, right: 50.0, found: 1.9},
	{set: development, kind: otherWords, translated: true, spans: 23.0, right: 100, found: 1.9},
	{set: heldOut, kind: tradeWords, spans: 86.9, right: 87.5, found: 30.4},
	{set: heldOut, kind: tradeWords, translated: true, spans: 65.2, right: 80.0, found: 17.3},
	{set: heldOut, kind: otherWords, spans: 18.3},
	{set: heldOut, kind: otherWords, translated: true, spans: 46.9},
	{set: embedded, kind: anyKind, spans: 96.5, right: 80.9, found: 65.5},
	{set: embedded, kind: anyKind, translated: true, spans: 86.2, right: 81.8, found: 31.0},
}

func TestAnswersAreFoundInFiveLanguages(t *testing.T) {
	t.Parallel()
	for _, floor := range talkFloors {
		var total talkMeasure
		for _, c := range loadTalks(t, floor.set) {
			m := measureTalk(t, c, floor)
			t.Logf("\t%s (%s): %+v", c.Name, c.Transcript.Language, m)
			total.add(m)
		}
		spans, right, found := total.percentages()
		t.Logf("%s, %s, translated %v: P@5 %.1f %%, spans@5 %.1f %%; findings: precision %.1f %% (%d of %d), "+
			"recall %.1f %% (%d of %d), silence %d of %d", floor.set, floor.kind, floor.translated,
			percent(total.rankedRight, total.ranked), spans, right, total.foundRight, total.found, found,
			total.foundSpans, total.spans, total.silent, total.unspoken)
		require.GreaterOrEqual(t, spans, floor.spans)
		require.GreaterOrEqual(t, right, floor.right)
		require.GreaterOrEqual(t, found, floor.found)
		require.Equal(t, total.unspoken, total.silent, "nothing is found where nothing was said")
	}
}

// loadTalks returns the interviews of a set, whose first speaker is the interviewer. The second half of the
// hypotheses of an interview are the translations of the first half.
func loadTalks(t *testing.T, set string) []eval.Case {
	t.Helper()
	folder, name := os.DirFS("testdata/talks"), set
	if set == embedded {
		folder, name = eval.Set(), "."
	}
	cases, err := eval.Load(folder, name)
	require.NoError(t, err)
	raw, err := os.ReadFile("testdata/talks/translations.json")
	require.NoError(t, err)
	var translations map[string][]string
	require.NoError(t, json.Unmarshal(raw, &translations))
	for i := range cases {
		c := &cases[i]
		c.Interviewers = []string{c.Transcript.Utterances[0].Speaker}
		if set == embedded {
			require.Len(t, translations[c.Name], len(c.Hypotheses))
		}
		for j, statement := range translations[c.Name] {
			c.Hypotheses = append(c.Hypotheses, eval.Hypothesis{Statement: statement, Gold: c.Hypotheses[j].Gold})
		}
	}
	return cases
}

// A talkMeasure counts answers and spans that people marked.
type talkMeasure struct {
	ranked, rankedRight, rankedSpans int // of the first five answers of the ranking
	found, foundRight, foundSpans    int // of findings
	spans                            int // marked ones
	unspoken, silent                 int // hypotheses about which nothing was said, and those without findings
}

func (m *talkMeasure) add(o talkMeasure) {
	m.ranked += o.ranked
	m.rankedRight += o.rankedRight
	m.rankedSpans += o.rankedSpans
	m.found += o.found
	m.foundRight += o.foundRight
	m.foundSpans += o.foundSpans
	m.spans += o.spans
	m.unspoken += o.unspoken
	m.silent += o.silent
}

func (m *talkMeasure) percentages() (spans, right, found float64) {
	return percent(m.rankedSpans, m.spans), percent(m.foundRight, m.found), percent(m.foundSpans, m.spans)
}

func measureTalk(t *testing.T, c eval.Case, floor talkFloor) (m talkMeasure) {
	t.Helper()
	half := len(c.Hypotheses) / 2
	hypotheses := c.Hypotheses[:half]
	if floor.translated {
		hypotheses = c.Hypotheses[half:]
	}
	switch floor.kind {
	case otherWords:
		hypotheses = hypotheses[:otherWordsPerTalk]
	case tradeWords:
		hypotheses = hypotheses[otherWordsPerTalk:]
	}
	for _, h := range hypotheses {
		findings := findInTalk(t, c, h.Statement)
		if len(h.Gold) == 0 {
			m.unspoken++
			if len(findings) == 0 {
				m.silent++
			}
			continue
		}
		m.spans += len(h.Gold)
		answers := firstAnswers(c, h.Statement, 5)
		m.ranked += len(answers)
		m.found += len(findings)
		right, spans := touching(h.Gold, answers)
		m.rankedRight, m.rankedSpans = m.rankedRight+right, m.rankedSpans+spans
		right, spans = touching(h.Gold, findings)
		m.foundRight, m.foundSpans = m.foundRight+right, m.foundSpans+spans
	}
	return m
}

// findInTalk returns the spans of the findings for a statement.
func findInTalk(t *testing.T, c eval.Case, statement string) (spans []eval.Gold) {
	t.Helper()
	response, err := keyword.New(keyword.Precise).Extract(t.Context(), extract.Request{
		Transcript: c.Transcript, Chunk: extract.Whole(c.Transcript), Interviewers: c.Interviewers,
		Hypotheses: []extract.Hypothesis{{ID: "h", Statement: statement}},
	})
	require.NoError(t, err)
	for _, f := range response.Findings {
		u := c.Transcript.Utterances[f.Utterances[0]]
		at := strings.Index(u.Text, f.Quote)
		require.GreaterOrEqual(t, at, 0)
		spans = append(spans, eval.Gold{ByteStart: u.ByteStart + at, ByteEnd: u.ByteStart + at + len(f.Quote)})
	}
	return spans
}

// firstAnswers returns the n best utterances of those who are asked.
func firstAnswers(c eval.Case, statement string, n int) (spans []eval.Gold) {
	for _, i := range keyword.RankMatched(keyword.Precise, c.Transcript, statement) {
		u := c.Transcript.Utterances[i]
		if u.Speaker != c.Interviewers[0] && len(spans) < n {
			spans = append(spans, eval.Gold{ByteStart: u.ByteStart, ByteEnd: u.ByteEnd})
		}
	}
	return spans
}

// touching returns how many spans touch a marked one, and how many marked ones they touch.
func touching(gold, spans []eval.Gold) (right, touched int) {
	isTouched := map[int]bool{}
	for _, s := range spans {
		hit := false
		for i, g := range gold {
			if s.ByteStart < g.ByteEnd && g.ByteStart < s.ByteEnd {
				hit, isTouched[i] = true, true
			}
		}
		if hit {
			right++
		}
	}
	return right, len(isTouched)
}
