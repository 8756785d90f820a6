package openai_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/interviewtest"
	"research/activities/extract/modeltest"
	"research/outcome"
)

func formats(server *modeltest.Server) []string {
	var all []string
	for _, call := range server.Calls() {
		all = append(all, call.Format)
	}
	return all
}

func TestARejectionThatPassesChangesNothing(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t).Then(modeltest.Status(400, `{"error":{"message":"Bad request: upstream"}}`))
	model := newModel(t, server)
	for range 2 {
		_, err := model.Extract(t.Context(), request(interview))
		require.NoError(t, err)
	}
	require.Equal(t, []string{"json_schema", "json_schema", "json_schema"}, formats(server))
	for _, call := range server.Calls() {
		require.Positive(t, call.MaxTokens)
		require.Positive(t, call.MaxCompletionTokens)
	}
}

func TestAStepDownIsRememberedForAnHour(t *testing.T) {
	t.Parallel()
	rejected := modeltest.Status(400, `{"error":{"message":"response_format is not available at the moment"}}`)
	server := modeltest.New(t).Then(rejected)
	model := newModel(t, server)
	now := time.Now()
	model.SetClock(func() time.Time { return now })
	for _, passed := range []time.Duration{0, 59 * time.Minute, 2 * time.Minute, time.Minute} {
		now = now.Add(passed)
		_, err := model.Extract(t.Context(), request(interview))
		require.NoError(t, err)
	}
	require.Equal(t, []string{"json_schema", "json_object", "json_object", "json_schema", "json_schema"},
		formats(server))
}

func TestAStepDownThatIsNotAnsweredIsForgotten(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t).Then(
		modeltest.Status(400, `{"error":{"message":"response_format is not supported"}}`),
		modeltest.Status(503, `busy`))
	model := newModel(t, server)
	_, err := model.Extract(t.Context(), request(interview))
	require.Error(t, err)
	_, err = model.Extract(t.Context(), request(interview))
	require.NoError(t, err)
	require.Equal(t, []string{"json_schema", "json_object", "json_schema"}, formats(server))
}

// numbered answers with a body in which each ID is another one.
func numbered(status int, body string) modeltest.Behavior {
	var calls atomic.Int32
	return func(w http.ResponseWriter, x *modeltest.Exchange) {
		id := fmt.Sprintf("req-%d", calls.Add(1))
		modeltest.Status(status, strings.ReplaceAll(body, "ID", id))(w, x)
	}
}

// A server that rejects everything in the same words is asked a few times, and once more about a part.
func TestAlwaysTheSameRejectionEndsAfterFiveCalls(t *testing.T) {
	t.Parallel()
	long := longInterview()
	large := interviewtest.New(strings.Split(long.Text, "\n")[:200]...)
	require.Len(t, newModel(t, modeltest.New(t)).Plan(large, twoHypotheses), 1)
	require.Greater(t, len(large.Text), 12<<10)
	for _, body := range []string{
		`{"error":{"message":"Bad request"}}`, `{"error":{"message":"Bad request (id: ID)"}}`, `nope`,
		`<html></html>`, `{}`,
		`{"error":{"message":"response_format is not supported"}}`,
		`{"error":{"message":"Unsupported parameter: max_tokens","param":"max_tokens"}}`,
		`{"error":{"message":"System role not supported"}}`,
		`{"detail":[{"loc":["body","messages",0,"role"],"msg":"Input should be 'user' or 'assistant'"}]}`,
	} {
		for _, status := range []int{400, 422} {
			server := modeltest.New(t).Always(numbered(status, body))
			got := readAll(t.Context(), newModel(t, server), interview)
			var failed *extract.Error
			require.True(t, errors.As(got.ended, &failed), body)
			require.Equal(t, outcome.CodeModelBadRequest, failed.Code)
			require.LessOrEqual(t, server.Count(), 5, body)

			server = modeltest.New(t).Always(numbered(status, body))
			got = readAll(t.Context(), newModel(t, server), large)
			require.True(t, errors.As(got.ended, &failed), body)
			require.Equal(t, outcome.CodeModelBadRequest, failed.Code)
			require.LessOrEqual(t, server.Count(), 5, body)
		}
	}
}

// Whatever the words, a large chunk is split before its rejection is believed. All chunks are too large: once
// one is read, others are asked about at the same time, and each could find out by itself.
func TestALengthErrorInUnknownWordsIsFoundByASplit(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t).Always(modeltest.PromptsOver(12_000,
		modeltest.Status(400, `{"error":{"message":"Das ist zu viel."}}`)))
	model := newModel(t, server)
	model.AwaitFirstCall()
	large := interviewtest.New(strings.Split(longInterview().Text, "\n")[:520]...)
	plan := model.Plan(large, twoHypotheses)
	require.Greater(t, len(plan), 1)
	for _, chunk := range plan {
		require.Greater(t, chunk.Size(), 12_000)
	}
	got := readAll(t.Context(), model, large)
	require.NoError(t, got.ended)
	require.Empty(t, got.unread)
	others := 0
	for _, format := range formats(server) {
		if format != "json_schema" {
			others++
		}
	}
	require.LessOrEqual(t, others, 2, "the form is not the reason, which is found out once")
	require.LessOrEqual(t, server.Count(), 4+got.read, "the rejections of one chunk")
}

// Numbers say how long a response may be.
func TestTheLimitOfAResponseIsTakenFromTheNumbersOfAnError(t *testing.T) {
	t.Parallel()
	for want, message := range map[int]string{
		3288: "maximum context length is 8192 tokens. However, you requested 9000 tokens (4904 in the messages, " +
			"4096 in the completion).",
		3289: "input length and `max_tokens` exceed context limit: 4903 + 4096 > 8192, decrease input length",
		2048: "max_tokens (4096) cannot exceed 2048. Please reduce the length of max output tokens generated.",
		2000: "max_tokens is too large: 4096. This model supports at most 2,000 completion tokens, whereas you " +
			"provided 4096.",
		1024: "Range of max_tokens should be [1, 1024]",
	} {
		server := modeltest.New(t).Always(func(w http.ResponseWriter, x *modeltest.Exchange) {
			if x.MaxTokens > want {
				modeltest.Status(400, `{"error":{"message":`+jsonString(message)+`}}`)(w, x)
				return
			}
			modeltest.Honest()(w, x)
		})
		_, err := newModel(t, server).Extract(t.Context(), request(interview))
		require.NoError(t, err, message)
		calls := server.Calls()
		require.Len(t, calls, 2, message)
		require.Equal(t, want, calls[1].MaxTokens)
	}
	tooLong := strings.ReplaceAll("`inputs` tokens + `max_new_tokens` must be <= 4000. Given: 8740 `inputs` "+
		"tokens and 4096 `max_new_tokens`", "`", "'")
	server := modeltest.New(t).Always(modeltest.Status(422, `{"error":"`+tooLong+`"}`))
	_, err := newModel(t, server).Extract(t.Context(), request(interview))
	var failed *extract.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, outcome.CodeModelTooLong, failed.Code)
	require.LessOrEqual(t, server.Count(), 2, "the prompt alone is too long")
}
