package openai_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/modeltest"
	"research/outcome"
)

// body answers with a body that is made from the content of an honest reply.
func body(make func(content string) string) modeltest.Behavior {
	return func(w http.ResponseWriter, x *modeltest.Exchange) {
		modeltest.Status(http.StatusOK, make(modeltest.Answer(x.Call).JSON()))(w, x)
	}
}

// message answers with a message.
func message(format string) modeltest.Behavior {
	return body(func(content string) string {
		return fmt.Sprintf(`{"choices":[{"finish_reason":"stop","message":`+format+`}]}`, jsonString(content))
	})
}

// beside answers with a member beside a completion.
func beside(member string) modeltest.Behavior {
	return body(func(content string) string {
		return fmt.Sprintf(`{"choices":[{"message":{"content":%s}}],%s}`, jsonString(content), member)
	})
}

func jsonString(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(raw)
}

func compressed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // never fails
	_ = w.Close()
	return b.String()
}

// events streams a completion in pieces, as servers do that always stream.
func events(content, end string) string {
	var b strings.Builder
	b.WriteString(": comment\n\n")
	for i := 0; i < len(content); i += 100 {
		piece := content[i:min(i+100, len(content))]
		fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n", jsonString(piece))
	}
	return b.String() + end
}

const streamEnd = `data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":700}}` +
	"\n\ndata: [DONE]\n\n"

func TestACompletionIsReadInAnyShape(t *testing.T) {
	t.Parallel()
	want, err := newModel(t, modeltest.New(t)).Extract(t.Context(), request(interview))
	require.NoError(t, err)
	plain := func(content string) string {
		return fmt.Sprintf(`{"choices":[{"message":{"content":%s}}]}`, jsonString(content))
	}
	for name, b := range map[string]modeltest.Behavior{
		"an empty error beside it":     beside(`"error":""`),
		"an error {} beside it":        beside(`"error":{}`),
		"an error false beside it":     beside(`"error":false`),
		"an error [] beside it":        beside(`"error":[]`),
		"a message null beside it":     beside(`"message":null`),
		"a success beside it":          beside(`"code":0,"message":"success","detail":""`),
		"an error beside it":           beside(`"error":{"code":500,"message":"telemetry failed"}`),
		"numbers that are none":        beside(`"usage":{"prompt_tokens":NaN,"completion_tokens":-Infinity}`),
		"a negative count":             beside(`"usage":{"prompt_tokens":-5,"completion_tokens":1e300}`),
		"a byte order mark":            body(func(s string) string { return "\ufeff" + plain(s) }),
		"compression without a header": body(func(s string) string { return compressed(plain(s)) }),
		"a stream":                     body(func(s string) string { return events(s, streamEnd) }),
		"a stream without an end":      body(func(s string) string { return events(s, "") }),

		"parts": message(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm {"}]},` +
			`{"type":"text","text":%s}]}`),
		"an object": body(func(s string) string {
			return `{"choices":[{"message":{"content":` + s + `}}]}`
		}),
		"a tool call": message(
			`{"content":null,"tool_calls":[{"function":{"name":"f","arguments":%s}}]}`),
		"the older function call": message(`{"content":"","function_call":{"name":"f","arguments":%s}}`),
		"JSON in a JSON string":   body(func(s string) string { return plain(jsonString(s)) }),
		"the second choice": body(func(s string) string {
			return fmt.Sprintf(`{"choices":[{"message":{"content":null}},{"message":{"content":%s}}]}`, jsonString(s))
		}),
		"the text of a choice": body(func(s string) string {
			return fmt.Sprintf(`{"choices":[{"finish_reason":"stop","text":%s}]}`, jsonString(s))
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := modeltest.New(t).Always(b)
			response, err := newModel(t, server).Extract(t.Context(), request(interview))
			require.NoError(t, err)
			require.Equal(t, want.Findings, response.Findings)
			require.Equal(t, 1, server.Count())
			require.GreaterOrEqual(t, response.Usage.InputTokens, int64(0))
		})
	}
}

// Servers have their own words for a response that reached its limit, or none.
func TestAResponseThatEndsEarlyIsNotTakenForAWholeOne(t *testing.T) {
	t.Parallel()
	cut := func(reason string, tokens int) modeltest.Behavior {
		return modeltest.Complete(func(c modeltest.Call) modeltest.Completion {
			text := modeltest.Answer(c).JSON()
			return modeltest.Completion{
				Content: text[:strings.LastIndex(text, `"stance"`)], FinishReason: reason, OutputTokens: tokens,
			}
		})
	}
	whole := func(reason string, tokens int) modeltest.Behavior {
		return modeltest.Complete(func(c modeltest.Call) modeltest.Completion {
			return modeltest.Completion{
				Content: modeltest.Answer(c).JSON(), FinishReason: reason, OutputTokens: tokens,
			}
		})
	}
	for name, b := range map[string]modeltest.Behavior{
		"stop": cut("stop", 0), "eos_token": cut("eos_token", 0), "max_tokens": cut("max_tokens", 0),
		"MAX_TOKENS": cut("MAX_TOKENS", 0), "model_length": cut("model_length", 0),
		"as many tokens":                  cut("stop", 4096),
		"a whole object at the limit":     whole("stop", 4096),
		"a whole object and a known word": whole("model_length", 0),
		"a stream that ends":              body(func(s string) string { return events(s[:len(s)/2], "") }),
		"a stream that ends with its length": body(func(s string) string {
			return events(s[:len(s)/2], streamEnd)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := modeltest.New(t).Always(b)
			_, err := newModel(t, server).Extract(t.Context(), request(interview))
			var failed *extract.Error
			require.ErrorAs(t, err, &failed)
			require.Equal(t, outcome.CodeModelTooLong, failed.Code)
			require.Equal(t, 1, server.Count())
		})
	}
	response, err := newModel(t, modeltest.New(t).Always(whole("stop", 5000))).
		Extract(t.Context(), request(interview))
	require.NoError(t, err, "a server that ignores the limit")
	require.Len(t, response.Findings, 2)
}

// What is no completion may pass, but is told apart from an outage.
func TestASuccessWithoutACompletionIsToldApart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body  string
		code  outcome.Code
		noCom bool
	}{
		"a page":                   {`<html>Welcome</html>`, outcome.CodeModelUnavailable, true},
		"half of the JSON":         {`{"choices":[{`, outcome.CodeModelUnavailable, true},
		"another JSON":             {`{"status":"ok"}`, outcome.CodeModelUnavailable, true},
		"nothing":                  {``, outcome.CodeModelUnavailable, true},
		"an error without a code":  {`{"error":"something broke"}`, outcome.CodeModelUnavailable, true},
		"a stream of nothing":      {"data: [DONE]\n\n", outcome.CodeModelUnavailable, true},
		"an error with a status":   {`{"error":{"code":503}}`, outcome.CodeModelUnavailable, false},
		"an error within a stream": {`data: {"error":{"code":429}}` + "\n\n", outcome.CodeModelRateLimited, false},
		"an error about length":    {`{"error":"above the context length"}`, outcome.CodeModelTooLong, false},
		"choices null": {`{"choices":null,"usage":{"prompt_tokens":7}}`,
			outcome.CodeModelBadAnswer, false},
		"no choices": {`{"choices":[]}`, outcome.CodeModelBadAnswer, false},
		"a blocked prompt": {`{"promptFeedback":{"blockReason":"SAFETY"},"choices":[]}`,
			outcome.CodeModelRefused, false},
		"a filtered choice": {`{"choices":[{"finish_reason":"SAFETY","message":{}}]}`,
			outcome.CodeModelRefused, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := modeltest.New(t).Always(modeltest.Status(http.StatusOK, c.body))
			_, err := newModel(t, server).Extract(t.Context(), request(interview))
			var failed *extract.Error
			require.ErrorAs(t, err, &failed)
			require.Equal(t, c.code, failed.Code)
			require.Equal(t, c.noCom, failed.NoCompletion)
			used := 7 * strings.Count(c.body, `"prompt_tokens":7`) * server.Count()
			require.Equal(t, int64(used), failed.Usage.InputTokens)
		})
	}
}
