package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/modeltest"
	"research/activities/extract/openai"
	"research/outcome"
)

func TestSentencesArriveWhileTheModelWrites(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	model := newModel(t, modeltest.New(t).Always(modeltest.AskSlowly(gate)))
	arrived := make(chan extract.AnswerLine)
	ended := make(chan error, 1)
	go func() {
		_, err := model.Compose(t.Context(), composeRequest(), func(l extract.AnswerLine) error {
			arrived <- l
			return nil
		})
		ended <- err
	}()
	for _, want := range honestLines() {
		gate <- struct{}{} // the model writes one more line
		select {
		case got := <-arrived:
			require.Equal(t, want, got)
		case <-time.After(time.Minute):
			t.Fatal("the line did not arrive")
		}
	}
	require.NoError(t, <-ended)
}

func TestAnswersAreReadInAnyShape(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]modeltest.Behavior{
		"a fence with prose":     modeltest.AskFenced(),
		"one object":             modeltest.AskObject(),
		"a whole response":       modeltest.AskWhole(),
		"a list":                 written(func(l []string) string { return "[" + strings.Join(l, ",") + "]" }),
		"an indented list":       written(indented),
		"line breaks of Windows": written(func(l []string) string { return strings.Join(l, "\r\n") }),
		"one line":               written(func(l []string) string { return strings.Join(l, " ") }),
		"a missing brace": written(func(l []string) string {
			return strings.TrimSuffix(l[0], "}") + "\n" + strings.Join(l[1:], "\n")
		}),
		"trailing commas": written(func(l []string) string {
			return strings.ReplaceAll(strings.Join(l, "\n"), `"}]}`, `"},]}`)
		}),
		"thoughts": written(func(l []string) string {
			return "\n<think>\n{\"text\":\"A draft\",\"cites\":[]}\n</think>\n" + strings.Join(l, "\n")
		}),
		"repetitions": written(func(l []string) string {
			return strings.Join(append(append([]string{}, l[:3]...), l...), "\n")
		}),
		"more after the end": written(func(l []string) string {
			return strings.Join(l, "\n") + "\n" + `{"text":"More","cites":[]}` + strings.Repeat(" more", 9000)
		}),
		"a broken line": written(func(l []string) string {
			return "{\"text\":\"A, \"cites\n" + strings.Join(l, "\n")
		}),
		"thoughts beside it": streamed(
			`data: {"choices":[{"delta":{"reasoning_content":"{\"text\":\"Draft\"}"}}]}`),
		"a role, a comment and an empty list": streamed(
			`: waiting`, `event: x`, `data: {"choices":[{"delta":{"role":"assistant","content":""}}]}`,
			`data: {"choices":[]}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := modeltest.New(t).Always(b)
			lines, used, err := compose(t, newModel(t, server))
			require.NoError(t, err)
			require.Equal(t, honestLines(), lines)
			require.Equal(t, 1, server.Count())
			require.Positive(t, used.InputTokens)
			require.Positive(t, used.OutputTokens)
		})
	}
}

// written streams a text that is made from the lines of an honest answer, a few bytes in each event.
func written(make func(lines []string) string) modeltest.Behavior {
	return func(w http.ResponseWriter, x *modeltest.Exchange) {
		var lines []string
		for _, line := range modeltest.ComposeAnswer(x.Call).Lines() {
			lines = append(lines, strings.TrimSpace(line))
		}
		modeltest.Written(make(lines))(w, x)
	}
}

func indented(lines []string) string {
	var list []json.RawMessage
	for _, line := range lines {
		list = append(list, json.RawMessage(line))
	}
	raw, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		panic(err) // the lines are JSON
	}
	return string(raw)
}

// streamed sends lines, and then an honest answer in one event.
func streamed(before ...string) modeltest.Behavior {
	return func(w http.ResponseWriter, x *modeltest.Exchange) {
		text := strings.Join(modeltest.ComposeAnswer(x.Call).Lines(), "")
		modeltest.Status(http.StatusOK, strings.Join(before, "\n\n")+"\n\n"+events(text, streamEnd))(w, x)
	}
}

func TestOddLinesOfAnswers(t *testing.T) {
	t.Parallel()
	end := extract.AnswerLine{Result: "partly", Missing: "The price."}
	for name, c := range map[string]struct {
		said string
		want []extract.AnswerLine
	}{
		"no sentence": {
			`{"result":"not_answered","missing":"All."}`,
			[]extract.AnswerLine{{Result: "not_answered", Missing: "All."}},
		},
		"a result in other words": {
			`{"result":"Not answered"}`, []extract.AnswerLine{{Result: "not_answered"}},
		},
		"an unknown result": {
			`{"result":"mostly","missing":"The\n price."}`, []extract.AnswerLine{end},
		},
		"the end in the last sentence": {
			`{"text":"A","cites":[],"result":"partly","missing":"The price."}`, []extract.AnswerLine{{Text: "A"}, end},
		},
		"no end": {`{"text":"A","cites":[]}`, []extract.AnswerLine{{Text: "A"}}},
		"a broken last line": {
			"{\"text\":\"A\",\"cites\":[]}\n{\"text\":\"B\",\"cites\":[{\"id\":\"p", []extract.AnswerLine{{Text: "A"}},
		},
		"an object that is cut": {
			`{"sentences":[{"text":"A","cites":[]},{"text":"B","ci`, []extract.AnswerLine{{Text: "A"}},
		},
		"odd cites": {
			`{"text":"A","cites":[{"id":"[P2]","quote":" b "},{"id":7,"quote":null}]}{"text":"B","cites":` +
				`{"id":"p1","quote":"c"}}{"text":"C","cites":["p1"]}{"text":"D","cites":"p1"}{"text":"E"}`,
			[]extract.AnswerLine{
				{Text: "A", Cites: []extract.Cite{{ID: "p2", Quote: "b"}}},
				{Text: "B", Cites: []extract.Cite{{ID: "p1", Quote: "c"}}}, {Text: "C"}, {Text: "D"}, {Text: "E"},
			},
		},
		"a long quote": {
			`{"text":"A","cites":[{"id":"p1","quote":"` + strings.Repeat("long ", 500) + `"}]}`,
			[]extract.AnswerLine{{Text: "A"}},
		},
		"many cites": {
			`{"text":"A","cites":[` + strings.Repeat(`{"id":"p1","quote":"a"},`, 40) + `{"id":"p1"}]}`,
			[]extract.AnswerLine{{Text: "A", Cites: manyCites(12)}},
		},
		"braces and quotation marks in a text": {
			`{"text":"A } \"text\": {\"text\": 1}","cites":[]}`,
			[]extract.AnswerLine{{Text: `A } "text": {"text": 1}`}},
		},
	} {
		for way, b := range map[string]modeltest.Behavior{
			"streamed": modeltest.Written(c.said), "whole": modeltest.Say(c.said),
		} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				lines, _, err := compose(t, newModel(t, modeltest.New(t).Always(b)))
				require.NoError(t, err)
				require.Equal(t, c.want, lines)
			})
		}
	}
}

func manyCites(n int) (cites []extract.Cite) {
	for range n {
		cites = append(cites, extract.Cite{ID: "p1", Quote: "a"})
	}
	return cites
}

func TestAnswersThatBreakOffOrNeverEnd(t *testing.T) {
	t.Parallel()
	two := honestLines()[:2]
	error503 := "data: {\"error\":{\"code\":503,\"message\":\"overloaded\"}}\n\n"
	for name, c := range map[string]struct {
		behavior modeltest.Behavior
		code     outcome.Code
		lines    []extract.AnswerLine // at the beginning
		most     int
	}{
		"a connection that dies": {modeltest.AskCutOff(), outcome.CodeModelUnavailable, two, 2},
		"a stream without an end": {
			stopped(2, ""), outcome.CodeModelUnavailable, two, 2,
		},
		"an error in the middle": {stopped(2, error503), outcome.CodeModelUnavailable, two, 2},
		"a limit": {
			stopped(2, `data: {"choices":[{"delta":{},"finish_reason":"length"}]}`+"\n\n"),
			outcome.CodeModelTooLong, two, 2,
		},
		"a filter": {
			stopped(2, `data: {"choices":[{"delta":{},"finish_reason":"content_filter"}]}`+"\n\n"),
			outcome.CodeModelRefused, two, 2,
		},
		"sentences without end": {modeltest.AskEndless(), outcome.CodeModelTooLong, two, 50},
		"words without end": {
			modeltest.Written(`{"text":"` + strings.Repeat("word ", 40_000)), outcome.CodeModelTooLong, nil, 0,
		},
		"an event without end": {
			modeltest.Status(http.StatusOK, "data: "+strings.Repeat(" ", 2<<20)), outcome.CodeModelUnavailable, nil, 0,
		},
		"thoughts without end": {
			modeltest.Written("<think>" + strings.Repeat("hm ", 60_000)), outcome.CodeModelTooLong, nil, 0,
		},
		"thoughts without an answer": {
			modeltest.Written(`<think>{"text":"A","cites":[]}`), outcome.CodeModelTooLong, nil, 0,
		},
		"prose":   {modeltest.AskProse(), outcome.CodeModelBadAnswer, nil, 0},
		"nothing": {modeltest.Written(""), outcome.CodeModelBadAnswer, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := modeltest.New(t).Always(c.behavior)
			lines, _, err := compose(t, newModel(t, server))
			requireCode(t, err, c.code)
			require.Equal(t, 1, server.Count(), "what was read is not paid for twice")
			require.LessOrEqual(t, len(lines), c.most)
			require.GreaterOrEqual(t, len(lines), len(c.lines))
			require.Equal(t, c.lines, lines[:len(c.lines):len(c.lines)])
			require.NotContains(t, err.Error(), "invoice")
		})
	}
}

// stopped streams some lines of an honest answer, and then an end.
func stopped(lines int, end string) modeltest.Behavior {
	return func(w http.ResponseWriter, x *modeltest.Exchange) {
		text := strings.Join(modeltest.ComposeAnswer(x.Call).Lines()[:lines], "")
		modeltest.Status(http.StatusOK, events(text+`{"text":"half`, end))(w, x)
	}
}

func TestAStreamThatDiesAfterTheLastLineIsWhole(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t).Always(func(w http.ResponseWriter, x *modeltest.Exchange) {
		text := strings.Join(modeltest.ComposeAnswer(x.Call).Lines(), "")
		modeltest.Status(http.StatusOK, events(text, ""), "Content-Length", "99999")(w, x)
	})
	lines, used, err := compose(t, newModel(t, server))
	require.NoError(t, err)
	require.Equal(t, honestLines(), lines)
	require.Positive(t, used.InputTokens, "estimated")
	require.Positive(t, used.OutputTokens)
}

func TestAnAnswerEndsWithTheErrorOfItsReader(t *testing.T) {
	t.Parallel()
	stop := errors.New("stop")
	for name, b := range map[string]modeltest.Behavior{
		"streamed": modeltest.Honest(), "whole": modeltest.AskWhole(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := modeltest.New(t).Always(b)
			count := 0
			used, err := newModel(t, server).Compose(t.Context(), composeRequest(),
				func(extract.AnswerLine) error {
					count++
					return stop
				})
			require.Equal(t, stop, err)
			require.Positive(t, used.InputTokens)
			require.Equal(t, 1, count)
			require.Equal(t, 1, server.Count())
		})
	}
}

func TestAnAnswerEndsWithItsContextAndItsTimeout(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{}, 1)
	gate <- struct{}{} // the first line only
	server := modeltest.New(t).Always(modeltest.AskSlowly(gate))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := newModel(t, server).Compose(ctx, composeRequest(), func(extract.AnswerLine) error {
		cancel()
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)

	gate <- struct{}{}
	model, err := openai.New(openai.Config{BaseURL: server.URL, Model: "m", Timeout: 200 * time.Millisecond})
	require.NoError(t, err)
	lines, _, err := compose(t, model)
	requireCode(t, err, outcome.CodeModelUnavailable)
	require.LessOrEqual(t, len(lines), 1)
}
