package openai_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
	"research/activities/extract/openai"
)

// What the client library sends, whatever its version. A server that rejects both kinds of JSON sees a
// request of each dialect.
func TestTheWireOfARequest(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t).Always(modeltest.NoSchema(true, modeltest.Honest()))
	model, err := openai.New(openai.Config{
		APIKey: secretKey, BaseURL: server.URL, Model: "test-model", Timeout: time.Minute, ReasoningEffort: "low",
	})
	require.NoError(t, err)
	_, err = model.Extract(t.Context(), request(interview))
	require.NoError(t, err)

	const body = `{
		"model": "test-model",
		"messages": [{"role": "system", "content": "SYSTEM"}, {"role": "user", "content": "USER"}],
		"reasoning_effort": "low",
		"max_tokens": 4096,
		"max_completion_tokens": 4096`
	want := []string{
		body + `, "response_format": {
			"type": "json_schema", "json_schema": {"name": "findings", "strict": true, "schema": "SCHEMA"}}}`,
		body + `, "response_format": {"type": "json_object"}}`,
		body + `}`,
	}
	calls := server.Calls()
	require.Len(t, calls, len(want))
	for i, call := range calls {
		require.JSONEq(t, want[i], withoutPrompts(t, call))
		require.Equal(t, "/v1/chat/completions", call.Path)
		for name, value := range map[string]string{
			"Authorization": "Bearer " + secretKey, "Content-Type": "application/json", "Accept": "application/json",
			"X-Stainless-Retry-Count": "0",
		} {
			require.Equal(t, []string{value}, call.Header.Values(name), name)
		}
	}
}

// withoutPrompts returns the body of a call, with a word in the place of each long part.
func withoutPrompts(t *testing.T, call modeltest.Call) string {
	t.Helper()
	var body map[string]any
	require.NoError(t, json.Unmarshal(call.Body, &body))
	messages := body["messages"].([]any)
	require.Len(t, messages, 2)
	for i, text := range []struct{ content, word string }{{call.System, "SYSTEM"}, {call.User, "USER"}} {
		message := messages[i].(map[string]any)
		require.Equal(t, text.content, message["content"])
		message["content"] = text.word
	}
	if call.Format == "json_schema" {
		schema := body["response_format"].(map[string]any)["json_schema"].(map[string]any)
		require.IsType(t, map[string]any{}, schema["schema"])
		schema["schema"] = "SCHEMA"
	}
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	return string(raw)
}
