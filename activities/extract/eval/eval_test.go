package eval_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/eval"
	"research/activities/extract/keyword"
	"research/activities/extract/modeltest"
	"research/activities/extract/openai"
	"research/activities/extract/quote"
)

func set(t *testing.T) []eval.Case {
	t.Helper()
	cases, err := eval.Load(eval.Set(), ".")
	require.NoError(t, err)
	return cases
}

func run(t *testing.T, e extract.Extractor, cases []eval.Case) eval.Report {
	t.Helper()
	report, err := eval.Run(t.Context(), e, cases, eval.Options{Concurrency: 2, RetryDelay: time.Millisecond})
	require.NoError(t, err)
	return report
}

func model(t *testing.T, behavior modeltest.Behavior) (*openai.Extractor, *modeltest.Server) {
	t.Helper()
	server := modeltest.New(t).Always(behavior)
	m, err := openai.New(openai.Config{BaseURL: server.URL, Model: "m", Timeout: time.Minute})
	require.NoError(t, err)
	return m, server
}

func TestTheEmbeddedSet(t *testing.T) {
	t.Parallel()
	cases := set(t)
	require.Len(t, cases, 4)
	languages := map[string]int{}
	for _, c := range cases {
		languages[c.Transcript.Language]++
		require.Len(t, c.Transcript.Speakers(), 2, c.Name)
		nothing := 0
		for _, h := range c.Hypotheses {
			if len(h.Gold) == 0 {
				nothing++
			}
		}
		require.Equal(t, 1, nothing, "%s has a hypothesis about which nothing is said", c.Name)
	}
	require.Equal(t, map[string]int{"en": 2, "de": 1, "es": 1}, languages)
}

func TestTheKeywordExtractorKeepsItsScores(t *testing.T) {
	t.Parallel()
	r := run(t, keyword.New(keyword.Precise), set(t))
	require.GreaterOrEqual(t, *r.Total.Precision, 0.70)
	require.GreaterOrEqual(t, *r.Total.Recall, 0.60)
	require.Equal(t, r.Total.Silent, r.Total.Silence)
	require.Zero(t, r.Total.Rejected)
	require.Zero(t, r.Total.Opposed)
}

func TestThePerfectAnswerHasTheFullScore(t *testing.T) {
	t.Parallel()
	for _, c := range set(t) {
		m, _ := model(t, answerGold(t, c, func(*modeltest.Finding) {}))
		total := run(t, m, []eval.Case{c}).Total
		require.EqualValues(t, 1, *total.Precision)
		require.EqualValues(t, 1, *total.Recall)
		require.EqualValues(t, 1, *total.Agreement)
		require.Equal(t, 1, total.Silence)
		require.Zero(t, total.Rejected)
		require.Positive(t, total.InputTokens)
	}
}

func TestWrongAnswersAreCounted(t *testing.T) {
	t.Parallel()
	c := set(t)[0]
	gold := 0
	for _, h := range c.Hypotheses {
		gold += len(h.Gold)
	}
	score := func(change func(*modeltest.Finding)) eval.Score {
		m, _ := model(t, answerGold(t, c, change))
		return run(t, m, []eval.Case{c}).Total
	}
	turned := score(func(f *modeltest.Finding) {
		f.Stance = map[string]string{"supports": "contradicts", "contradicts": "supports"}[f.Stance]
	})
	require.Equal(t, []int{0, gold, 0}, []int{turned.Agreed, turned.Opposed, turned.Abstained})
	neutral := score(func(f *modeltest.Finding) { f.Stance = "neutral" })
	require.Equal(t, []int{0, 0, gold}, []int{neutral.Agreed, neutral.Opposed, neutral.Abstained})
	require.Nil(t, neutral.Agreement)
	invented := score(func(f *modeltest.Finding) {
		f.Quote = "Nobody in this interview has ever said anything like that."
	})
	require.Equal(t, []int{0, gold, gold}, []int{invented.Evidence, invented.Quotes, invented.Rejected})
	require.Equal(t, gold, invented.RejectReasons[quote.RejectNotFound])
	elsewhere := score(func(f *modeltest.Finding) { f.Quote = "Some days." })
	require.Zero(t, elsewhere.Right)
	require.Positive(t, elsewhere.Evidence)
}

// answerGold answers with the gold of a case, after a change.
func answerGold(t *testing.T, c eval.Case, change func(*modeltest.Finding)) modeltest.Behavior {
	t.Helper()
	reply := modeltest.Reply{Findings: []modeltest.Finding{}, Questions: []modeltest.Question{}}
	for i, h := range c.Hypotheses {
		for _, g := range h.Gold {
			f := modeltest.Finding{
				Hypothesis: "h" + string(rune('1'+i)),
				Quote:      c.Transcript.Text[g.ByteStart:g.ByteEnd],
				Stance:     string(g.Stance),
				Strength:   "strong",
			}
			for j, u := range c.Transcript.Utterances {
				if g.ByteStart < u.ByteEnd && u.ByteStart < g.ByteEnd {
					f.Utterances = append(f.Utterances, "u"+string(rune('0'+j/10))+string(rune('0'+j%10)))
				}
			}
			change(&f)
			reply.Findings = append(reply.Findings, f)
		}
	}
	return modeltest.Say(reply.JSON())
}

func TestFaultsOfTheModelServer(t *testing.T) {
	t.Parallel()
	cases := set(t)[:1]
	t.Run("retries temporary failures", func(t *testing.T) {
		t.Parallel()
		m, server := model(t, modeltest.Honest())
		server.Then(modeltest.Drop(), modeltest.RateLimited(0))
		r := run(t, m, cases)
		require.Equal(t, 3, r.Total.Calls)
		require.Zero(t, r.Total.Unread)
	})
	t.Run("splits chunks that are too long", func(t *testing.T) {
		t.Parallel()
		m, server := model(t, modeltest.ContextTooLong(4200))
		r := run(t, m, cases)
		require.Greater(t, server.Count(), 2)
		require.Zero(t, r.Total.Unread)
	})
	t.Run("counts a refused chunk as unread, and fails if nothing was read", func(t *testing.T) {
		t.Parallel()
		m, _ := model(t, modeltest.Refuse())
		r, err := eval.Run(t.Context(), m, cases, eval.Options{})
		require.ErrorIs(t, err, eval.ErrNothingRead)
		require.Equal(t, 1, r.Total.Unread)
		require.Zero(t, r.Total.Gold, "what was not read was not missed")
		require.Zero(t, r.Total.Silence, "nor is it silence")
		require.Zero(t, r.Total.Silent)
	})
	t.Run("ends when the tokens are used up", func(t *testing.T) {
		t.Parallel()
		m, server := model(t, modeltest.Honest())
		r, err := eval.Run(t.Context(), m, set(t), eval.Options{Budget: &eval.Budget{MaxTokens: 100}})
		require.ErrorIs(t, err, eval.ErrTokenLimit)
		require.Equal(t, 1, server.Count())
		require.Equal(t, 1, r.Total.Read)
		require.Equal(t, 3, r.Total.Unread)
	})
	for name, b := range map[string]modeltest.Behavior{
		"ends at a rejected key":          modeltest.BadKey(),
		"ends if the server stays silent": modeltest.Drop(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, _ := model(t, b)
			_, err := eval.Run(t.Context(), m, cases, eval.Options{RetryDelay: time.Millisecond})
			var failed *extract.Error
			require.ErrorAs(t, err, &failed)
		})
	}
}

func TestReports(t *testing.T) {
	t.Parallel()
	m, _ := model(t, modeltest.Honest())
	r := run(t, m, set(t))
	r.Charge(2, 8)
	require.InDelta(t, float64(2*r.Total.InputTokens+8*r.Total.OutputTokens)/1e6, r.Total.Cost, 1e-9)

	var table bytes.Buffer
	require.NoError(t, r.Table(&table))
	for _, want := range []string{
		"openai, model m (v2)", "bakery", "reservas", "total", "precision", "rejected",
	} {
		require.Contains(t, table.String(), want)
	}
	raw, err := json.Marshal(r)
	require.NoError(t, err)
	var back eval.Report
	require.NoError(t, json.Unmarshal(raw, &back))
	require.Equal(t, r.Total, back.Total)
	require.Len(t, back.Transcripts, 4)
}

const talk = `Ann: How do you do it?
Ben: We copy every invoice by hand.
Ann: I see.
Ben: It takes two days.
`

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestLoadReadsAFolderOfTranscriptsAndGold(t *testing.T) {
	t.Parallel()
	cases, err := eval.Load(fstest.MapFS{
		"a/talk.txt": file(talk),
		"a/talk.gold.json": file(`{"hypotheses": [{
			"statement": "By hand",
			"gold": [
				{"stance": "supports", "quote": "we copy every invoice by hand"},
				{"from": 2, "to": 3}
			]
		}]}`),
		"README.md": file("notes"),
	}, ".")
	require.NoError(t, err)
	require.Len(t, cases, 1)
	require.Equal(t, "talk", cases[0].Name)
	text, gold := cases[0].Transcript.Text, cases[0].Hypotheses[0].Gold
	require.Equal(t, "We copy every invoice by hand", text[gold[0].ByteStart:gold[0].ByteEnd])
	require.Equal(t, "I see.\nIt takes two days.", text[gold[1].ByteStart:gold[1].ByteEnd])
	require.Empty(t, gold[1].Stance)

	_, err = eval.Load(fstest.MapFS{"README.md": file("notes")}, ".")
	require.ErrorIs(t, err, eval.ErrNoCases)
}

func TestLoadReadsQMSum(t *testing.T) {
	t.Parallel()
	meeting := `{"meeting_transcripts": [` +
		`{"speaker": "A", "content": "One  two"}, {"speaker": "B", "content": "three"}], ` +
		`"specific_query_list": [{"query": "Numbers?", "relevant_text_span": [["0", "1"]]}, ` +
		`{"query": "None?", "relevant_text_span": []}]}`
	cases, err := eval.Load(fstest.MapFS{"test.jsonl": file(meeting)}, "test.jsonl")
	require.NoError(t, err)
	require.Equal(t, "One two\nthree", cases[0].Transcript.Text)
	want := []eval.Hypothesis{{Statement: "Numbers?", Gold: []eval.Gold{{ByteStart: 0, ByteEnd: 13}}}}
	require.Equal(t, want, cases[0].Hypotheses)
}

func TestLoadReportsWhichGoldFileIsWrong(t *testing.T) {
	t.Parallel()
	gold := func(span string) string { return `{"hypotheses": [{"statement": "x", "gold": [` + span + `]}]}` }
	for name, content := range map[string]string{
		"not JSON":                `{`,
		"an unknown field":        `{"hypotheses": [{"statement": "x", "golden": []}]}`,
		"no hypotheses":           `{"hypotheses": []}`,
		"a quote nobody said":     gold(`{"quote": "The moon is made of green cheese."}`),
		"turns after the end":     gold(`{"from": 2, "to": 9}`),
		"neither quote nor turns": gold(`{"stance": "supports"}`),
		"an unknown stance":       gold(`{"stance": "maybe", "from": 1, "to": 1}`),
	} {
		_, err := eval.Load(fstest.MapFS{"talk.txt": file(talk), "talk.gold.json": file(content)}, ".")
		require.ErrorContains(t, err, "talk.gold.json", name)
		require.NotContains(t, err.Error(), "moon", "errors do not repeat quotes")
	}
	for name, folder := range map[string]fstest.MapFS{
		"no transcript":   {"talk.gold.json": file(`{}`)},
		"two transcripts": {"talk.gold.json": file(`{}`), "talk.txt": file(talk), "talk.md": file(talk)},
		"an empty one":    {"talk.gold.json": file(`{}`), "talk.txt": file("")},
	} {
		_, err := eval.Load(folder, ".")
		require.Error(t, err, name)
	}
}
