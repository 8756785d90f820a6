package openai

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
)

// fragments are what models write around and within lines.
var fragments = []string{
	`{"text":"A","cites":[{"id":"p1","quote":"a"}]}`, `{"text":"B \"b\" {","cites":[]}`,
	`{"text":"C","cites":[{"id":"p2","quo`, `{ "text" : "D", "cites": {"id":"p3","quote":"d"}, }`,
	`{"cites":[],"text":"E"}`, `{"sentences":[`, `{"lines": [`, `{"result":"answered"}`,
	`"result":"partly","missing":"x"}`, "```json\n", "```", "<think>", "</think>", "<", "prose {braces} ",
	"\n", "\r\n", " ", "[", "]", ",", `"`, "}", "{", "é", `“text”`, "// comment\n", strings.Repeat("long ", 20),
}

// readIn reads a text in parts, as a stream has them.
func readIn(parts []string) (lines []extract.AnswerLine, check error) {
	a := newAnswerLines(strings.TrimSpace, func(l extract.AnswerLine) error {
		lines = append(lines, l)
		return nil
	})
	for _, part := range parts {
		if err := a.add(part); err != nil {
			return lines, err
		}
	}
	if err := a.end(""); err != nil {
		return lines, err
	}
	return lines, a.check()
}

func TestLinesDoNotDependOnTheEventsThatHaveThem(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 40))
	for range 3000 {
		var b strings.Builder
		for range 1 + rng.IntN(12) {
			b.WriteString(fragments[rng.IntN(len(fragments))])
		}
		text := b.String()
		var parts []string
		for rest := text; rest != ""; {
			size := 1 + rng.IntN(min(len(rest), 1+rng.IntN(30)))
			parts = append(parts, rest[:size])
			rest = rest[size:]
		}
		want, wantErr := readIn([]string{text})
		got, err := readIn(parts)
		require.Equal(t, want, got, "%q", text)
		require.Equal(t, wantErr, err, "%q", text)
	}
}

// A model that writes no line, and never ends, must not keep a processor busy.
func TestLongTextsAreReadInLittleTime(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{
		`{"text":"`, `{"sentences":[{"text":"a"},`, "<think>", "<think></", "}", "\n",
		`{"text":"a","cites":[` + "\n",
		`{"text":"` + strings.Repeat("}", maxLineBytes),
	} {
		began := time.Now()
		parts := strings.SplitAfter(strings.Repeat(piece, maxLinesBytes/len(piece)-1), "")
		lines, _ := readIn(parts)
		require.LessOrEqual(t, len(lines), maxLines, piece)
		require.Less(t, time.Since(began), time.Minute, piece)
	}
}
