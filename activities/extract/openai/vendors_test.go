package openai_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/modeltest"
	"research/activities/extract/openai"
	"research/outcome"
)

// Each server is understood after as many calls as it rejects, and the next request takes one.
func TestServersOfVendors(t *testing.T) {
	t.Parallel()
	calls := map[string]int{ // of the first request
		"OpenAI":     2, // max_completion_tokens alone
		"Azure":      2, // the same
		"vLLM":       3, // the system role, the limit
		"Ollama":     1,
		"llama.cpp":  2, // the schema
		"LM Studio":  1,
		"Gemini":     2, // one limit
		"Anthropic":  1,
		"OpenRouter": 1,
		"Groq":       2, // the schema
	}
	vendors := modeltest.Vendors()
	require.Len(t, vendors, len(calls))
	want, err := newModel(t, modeltest.New(t)).Extract(t.Context(), request(interview))
	require.NoError(t, err)
	for name, behavior := range vendors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := modeltest.New(t).Always(behavior)
			model := newModel(t, server)
			response, err := model.Extract(t.Context(), request(interview))
			require.NoError(t, err)
			require.Equal(t, want.Findings, response.Findings)
			require.Positive(t, response.Usage.InputTokens)
			require.Equal(t, calls[name], server.Count())

			_, err = model.Extract(t.Context(), request(interview))
			require.NoError(t, err)
			require.Equal(t, calls[name]+1, server.Count(), "what the server rejects is remembered")
			last := server.Calls()[server.Count()-1]
			require.Positive(t, last.MaxTokens+last.MaxCompletionTokens)
		})
	}
}

func TestErrorsOfVendors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		behavior modeltest.Behavior
		code     outcome.Code
	}{
		"Azure filters a prompt": {
			modeltest.Status(400, `{"error":{"message":"The response was filtered due to the prompt","type":null,`+
				`"param":"prompt","code":"content_filter","status":400,`+
				`"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`),
			outcome.CodeModelRefused,
		},
		"llama.cpp loads the model": {
			modeltest.Status(503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`),
			outcome.CodeModelUnavailable,
		},
		"llama.cpp's context is exceeded": {
			modeltest.Status(400, `{"error":{"code":400,"message":"the request exceeds the available context size",`+
				`"type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`),
			outcome.CodeModelTooLong,
		},
		"LM Studio's context is exceeded": {
			modeltest.Status(400, `{"error":"Trying to keep the first 9000 tokens when context the overflows. `+
				`However, the model is loaded with context length of only 4096 tokens."}`),
			outcome.CodeModelTooLong,
		},
		"Gemini's quota is used up": {
			modeltest.Status(429, `[{"error":{"code":429,"message":"You exceeded your current quota","status":`+
				`"RESOURCE_EXHAUSTED","details":[{"retryDelay":"3s"}]}}]`),
			outcome.CodeModelRateLimited,
		},
		"Anthropic is overloaded": {
			modeltest.Status(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`),
			outcome.CodeModelUnavailable,
		},
		"Anthropic's prompt is too long": {
			modeltest.Status(400, `{"type":"error","error":{"type":"invalid_request_error",`+
				`"message":"prompt is too long: 210000 tokens > 200000 maximum"}}`),
			outcome.CodeModelTooLong,
		},
		"OpenRouter's provider fails behind a 200": {
			modeltest.Status(200, `{"error":{"code":502,"message":"Provider returned error"}}`),
			outcome.CodeModelUnavailable,
		},
		"OpenRouter's account is empty": {
			modeltest.Status(402, `{"error":{"code":402,"message":"Insufficient credits"}}`),
			outcome.CodeModelNoCredit,
		},
		"Groq's request exceeds the tokens of a minute": {
			modeltest.Status(413, `{"error":{"message":"Request too large for model on tokens per minute (TPM): `+
				`Limit 6000, Requested 9000","type":"tokens","code":"rate_limit_exceeded"}}`),
			outcome.CodeModelTooLong,
		},
		"Ollama lacks the model": {
			modeltest.Status(404, `{"error":{"message":"model 'llama9' not found","type":"api_error"}}`),
			outcome.CodeModelNotFound,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newModel(t, modeltest.New(t).Always(c.behavior)).Extract(t.Context(), request(interview))
			var failed *extract.Error
			require.ErrorAs(t, err, &failed)
			require.Equal(t, c.code, failed.Code)
		})
	}
}

func TestListingsNameModelsWithAPrefix(t *testing.T) {
	t.Parallel()
	url := httpServer(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"data":[{"id":"models/gemini-2.5-flash"},{"id":"llama3.2:latest"}]}`))
	})
	for model, isListed := range map[string]bool{
		"gemini-2.5-flash": true, "models/gemini-2.5-flash": true, "llama3.2": true, "gemini-9": false,
	} {
		o, err := openai.New(openai.Config{BaseURL: url, Model: model, Timeout: time.Minute})
		require.NoError(t, err)
		err = o.Probe(t.Context())
		if isListed {
			require.NoError(t, err, model)
		} else {
			require.Error(t, err, model)
		}
	}
}

func TestTheEffortOfReasoningIsPassedOnUnlessItIsRejected(t *testing.T) {
	t.Parallel()
	const effort = `"reasoning_effort":"low"`
	server := modeltest.New(t).Always(modeltest.Vendors()["OpenAI"])
	model, err := openai.New(openai.Config{
		BaseURL: server.URL, Model: "m", Timeout: time.Minute, ReasoningEffort: "low",
	})
	require.NoError(t, err)
	response, err := model.Extract(t.Context(), request(interview))
	require.NoError(t, err)
	require.Contains(t, string(server.Calls()[0].Body), effort)
	require.EqualValues(t, 128, response.Usage.CachedTokens)
	require.EqualValues(t, 200, response.Usage.ReasoningTokens)
	require.Contains(t, model.PromptVersion(), "-low")

	server.Then(modeltest.Status(400, `{"error":{"message":"Unrecognized request argument supplied: `+
		`reasoning_effort","type":"invalid_request_error","param":null,"code":null}}`))
	for range 2 {
		_, err = model.Extract(t.Context(), request(interview))
		require.NoError(t, err)
	}
	calls := server.Calls()
	require.Contains(t, string(calls[len(calls)-3].Body), effort)
	require.NotContains(t, string(calls[len(calls)-2].Body), "reasoning_effort")
	require.NotContains(t, string(calls[len(calls)-1].Body), "reasoning_effort")
}
