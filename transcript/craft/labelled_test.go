package craft_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript/craft"
)

// A labelled line of testdata/questions.tsv.
type labelled struct {
	language, half, kinds, text string
	start, end                  int // of the question; both are 0 where there is none
}

func readLabelled(t *testing.T) []labelled {
	t.Helper()
	raw, err := os.ReadFile("testdata/questions.tsv")
	require.NoError(t, err)
	var all []labelled
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, fields, 4, line)
		l := labelled{language: fields[0], half: fields[1], kinds: fields[2], text: fields[3]}
		if l.kinds != "-" {
			before, rest, ok := strings.Cut(l.text, "[[")
			require.True(t, ok, line)
			question, after, ok := strings.Cut(rest, "]]")
			require.True(t, ok, line)
			l.text, l.start, l.end = before+question+after, len(before), len(before)+len(question)
		}
		all = append(all, l)
	}
	return all
}

// A score counts what was found of what is labelled.
type score struct{ right, found, labelled int }

func (s *score) add(found, labelled bool) {
	if found {
		s.found++
	}
	if labelled {
		s.labelled++
	}
	if found && labelled {
		s.right++
	}
}

func (s score) precision() float64 { return ratio(s.right, s.found) }
func (s score) recall() float64    { return ratio(s.right, s.labelled) }

func ratio(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

func (s score) String() string {
	return fmt.Sprintf("%3.0f %3.0f (%d/%d/%d)", 100*s.precision(), 100*s.recall(), s.right, s.found, s.labelled)
}

// scores are those of one set: whether questions are found, and of which kinds they are.
type scores struct{ question, open, closed, past, hypothetical, leading score }

func (s *scores) add(l labelled) (wrong bool) {
	var in craft.Question
	found := false
	for _, q := range craft.Questions(l.text, l.language) {
		inside := l.kinds != "-" && q.Start < l.end && q.End > l.start
		if !inside { // nothing that is labelled
			s.question.add(true, false)
			s.hypothetical.add(q.Hypothetical, false)
			s.leading.add(q.Leading, false)
			wrong = true
			continue
		}
		found = true
		in.Open, in.Closed, in.Past = q.Open, q.Closed, in.Past || q.Past
		in.Hypothetical, in.Leading = in.Hypothetical || q.Hypothetical, in.Leading || q.Leading
	}
	is := func(kind string) bool { return strings.Contains(l.kinds, kind) }
	if l.kinds == "-" {
		return wrong
	}
	s.question.add(found, true)
	s.open.add(in.Open, is("o"))
	s.closed.add(in.Closed, is("c"))
	s.past.add(in.Past, is("p"))
	s.hypothetical.add(in.Hypothetical, is("h"))
	s.leading.add(in.Leading, is("l"))
	return wrong || !found || in.Open != is("o") || in.Closed != is("c") || in.Past != is("p") ||
		in.Hypothetical != is("h") || in.Leading != is("l")
}

// Precision of hypothetical and leading, and how many of them are found, at least.
const (
	minPrecision         = 0.90
	minRecall            = 0.70
	minLanguagePrecision = 0.80
	minQuestions         = 600
)

func TestLabelledQuestions(t *testing.T) {
	t.Parallel()
	sets := map[string]*scores{}
	questions := 0
	for _, l := range readLabelled(t) {
		if l.kinds != "-" {
			questions++
		}
		for _, name := range []string{"all", l.half, l.language, l.language + " " + l.half} {
			if sets[name] == nil {
				sets[name] = &scores{}
			}
			wrong := sets[name].add(l)
			if wrong && name == l.language && !strings.HasSuffix(l.half, "held") {
				t.Logf("%s %s %+v\n%s", l.language, l.kinds, craft.Questions(l.text, l.language), l.text)
			}
		}
	}
	require.GreaterOrEqual(t, questions, minQuestions)
	names := []string{"all", "dev", "held", "new", "polite", "polite-held", "polite-new"}
	for _, language := range craft.Languages() {
		names = append(names, language, language+" held")
	}
	t.Log("percent precision, recall (right/found/labelled): all, open, closed, past, hypothetical, leading")
	for _, name := range names {
		s := sets[name]
		require.NotNil(t, s, name)
		t.Logf("%-8s %s  %s  %s  %s  %s  %s", name, s.question, s.open, s.closed, s.past, s.hypothetical, s.leading)
	}
	for _, name := range names {
		precision, recall := minPrecision, 0.0
		if name == "all" || name == "held" || name == "dev" || strings.HasPrefix(name, "polite") {
			recall = minRecall
		} else {
			precision = minLanguagePrecision
		}
		s := sets[name]
		require.GreaterOrEqualf(t, s.hypothetical.precision(), precision, "precision of hypothetical, %s", name)
		require.GreaterOrEqualf(t, s.leading.precision(), precision, "precision of leading, %s", name)
		require.GreaterOrEqualf(t, s.hypothetical.recall(), recall, "recall of hypothetical, %s", name)
		require.GreaterOrEqualf(t, s.leading.recall(), recall, "recall of leading, %s", name)
	}
}
