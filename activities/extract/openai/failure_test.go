package openai_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/modeltest"
	"research/outcome"
)

// Retries are left to the caller: each fault is returned after the first call.
func TestEachFaultHasItsCode(t *testing.T) {
	t.Parallel()
	const leak = "We copy every invoice by hand"
	for name, fault := range map[string]struct {
		behavior modeltest.Behavior
		code     outcome.Code
		status   int
		after    time.Duration
		calls    int // 0 means 1
	}{
		"a bad key": {
			behavior: modeltest.BadKey(),
			code:     outcome.CodeModelKeyRejected,
			status:   401,
		},
		"a forbidden key": {
			behavior: modeltest.Status(403, `{"error":{"message":"Forbidden","code":403}}`),
			code:     outcome.CodeModelKeyRejected,
			status:   403,
		},
		"Gemini's bad key": {
			behavior: modeltest.Status(400, `[{"error":{"code":400,`+
				`"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`),
			code:   outcome.CodeModelKeyRejected,
			status: 400,
		},
		"an account without credit": {
			behavior: modeltest.NoCredit(),
			code:     outcome.CodeModelNoCredit,
			status:   429,
		},
		"OpenRouter's account without credit": {
			behavior: modeltest.Status(402, `{"error":{"code":402,"message":"Insufficient credits"}}`),
			code:     outcome.CodeModelNoCredit,
			status:   402,
		},
		"a rate limit with a delay": {
			behavior: modeltest.RateLimited(7 * time.Second),
			code:     outcome.CodeModelRateLimited,
			status:   429,
			after:    7 * time.Second,
		},
		"a rate limit without a delay": {
			behavior: modeltest.RateLimited(0),
			code:     outcome.CodeModelRateLimited,
			status:   429,
		},
		"a rate limit of a year": {
			behavior: modeltest.RateLimited(365 * 24 * time.Hour),
			code:     outcome.CodeModelRateLimited,
			status:   429,
			after:    time.Minute,
		},
		"a rate limit in ms": {
			behavior: modeltest.Status(429, `{}`, "Retry-After-Ms", "1500"),
			code:     outcome.CodeModelRateLimited,
			status:   429,
			after:    1500 * time.Millisecond,
		},
		"an absurd delay": {
			behavior: modeltest.Status(429, `{}`, "Retry-After", "-1e300"),
			code:     outcome.CodeModelRateLimited,
			status:   429,
		},
		"a delay that is not a number": {
			behavior: modeltest.Status(429, `{}`, "Retry-After", "NaN"),
			code:     outcome.CodeModelRateLimited,
			status:   429,
		},
		"Gemini's rate limit": {
			behavior: modeltest.Status(429, `[{"error":{"code":429,`+
				`"message":"You exceeded your current quota, please check your plan and billing details.",`+
				`"status":"RESOURCE_EXHAUSTED",`+
				`"details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure"},`+
				`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"37s"}]}}]`),
			code:   outcome.CodeModelRateLimited,
			status: 429,
			after:  37 * time.Second,
		},
		"OpenRouter's rate limit behind a 200": {
			behavior: modeltest.Status(200, `{"error":{"code":429,"message":"Provider returned error"},`+
				`"user_id":"x"}`),
			code:   outcome.CodeModelRateLimited,
			status: 429,
		},
		"OpenRouter's error behind a 200": {
			behavior: modeltest.Status(200, `{"error":{"code":502,"message":"Provider returned error"}}`),
			code:     outcome.CodeModelUnavailable,
			status:   502,
		},
		"an error without a status behind a 200": {
			behavior: modeltest.Status(200, `{"error":"something broke"}`),
			code:     outcome.CodeModelUnavailable,
			status:   200,
		},
		"OpenRouter's finish reason for an error": {
			behavior: modeltest.Complete(func(modeltest.Call) modeltest.Completion {
				return modeltest.Completion{FinishReason: "error"}
			}),
			code:   outcome.CodeModelUnavailable,
			status: 200,
		},
		"OpenRouter's moderation": {
			behavior: modeltest.Status(403, `{"error":{"code":403,`+
				`"message":"Your chosen model requires moderation and your input was flagged"}}`),
			code:   outcome.CodeModelRefused,
			status: 403,
		},
		"Ollama's overload": {
			behavior: modeltest.Status(503, `{"error":"server busy, please try again.  maximum pending requests `+
				`exceeded"}`, "Retry-After", "2"),
			code:   outcome.CodeModelUnavailable,
			status: 503,
			after:  2 * time.Second,
		},
		"Ollama's missing model": {
			behavior: modeltest.Status(404, `{"error":"model 'llama9' not found"}`),
			code:     outcome.CodeModelNotFound,
			status:   404,
		},
		"a missing model": {
			behavior: modeltest.NoModel(),
			code:     outcome.CodeModelNotFound,
			status:   404,
		},
		"Azure's missing deployment": {
			behavior: modeltest.Status(404, `{"error":{"code":"DeploymentNotFound",`+
				`"message":"The API deployment for this resource does not exist."}}`),
			code:   outcome.CodeModelNotFound,
			status: 404,
		},
		"Azure's content filter": {
			behavior: modeltest.Status(400, `{"error":{"message":"The response was filtered due to the prompt `+
				`triggering Azure OpenAI's content management policy.","type":null,"param":"prompt",`+
				`"code":"content_filter","status":400,`+
				`"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`),
			code:   outcome.CodeModelRefused,
			status: 400,
		},
		"a prompt that is too long": {
			behavior: modeltest.ContextTooLong(10),
			code:     outcome.CodeModelTooLong,
			status:   400,
		},
		"llama.cpp's context": {
			behavior: modeltest.Status(400, `{"error":{"code":400,`+
				`"message":"the request exceeds the available context size, try increasing it",`+
				`"type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}`),
			code:   outcome.CodeModelTooLong,
			status: 400,
		},
		"vLLM's context": {
			behavior: modeltest.Status(400, `{"object":"error","message":"This model's maximum context length is `+
				`4096 tokens.","type":"BadRequestError","param":null,"code":400}`),
			code:   outcome.CodeModelTooLong,
			status: 400,
		},
		"a body that is too large": {
			behavior: modeltest.Status(413, `too large`),
			code:     outcome.CodeModelTooLong,
			status:   413,
		},
		"Groq's request beyond the tokens of a minute": {
			behavior: modeltest.Status(413, `{"error":{"message":"Request too large for model on tokens per minute `+
				`(TPM): Limit 6000, Requested 9000","type":"tokens","code":"rate_limit_exceeded"}}`),
			code:   outcome.CodeModelTooLong,
			status: 413,
		},
		"Anthropic's overload": {
			behavior: modeltest.Status(529, `{"type":"error","error":{"type":"overloaded_error",`+
				`"message":"Overloaded"}}`),
			code:   outcome.CodeModelUnavailable,
			status: 529,
		},
		"llama.cpp loads the model": {
			behavior: modeltest.Status(503, `{"error":{"code":503,"message":"Loading model",`+
				`"type":"unavailable_error"}}`),
			code:   outcome.CodeModelUnavailable,
			status: 503,
		},
		"a failure that speaks of messages": {
			behavior: modeltest.Status(500, `{"error":{"message":"System message bus: max_tokens worker died"}}`),
			code:     outcome.CodeModelUnavailable,
			status:   500,
		},
		"a server's failure": {
			behavior: modeltest.Status(500, `{"error":{"message":"The server had an error"}}`),
			code:     outcome.CodeModelUnavailable,
			status:   500,
		},
		"a gateway's HTML": {
			behavior: modeltest.Status(502, `<html>Bad Gateway</html>`, "Content-Type", "text/html"),
			code:     outcome.CodeModelUnavailable,
			status:   502,
		},
		"HTML instead of a completion": {
			behavior: modeltest.Status(200, `<html>Welcome</html>`, "Content-Type", "text/html"),
			code:     outcome.CodeModelUnavailable,
			status:   200,
		},
		"half of the JSON": {
			behavior: modeltest.Status(200, `{"choices":[{`),
			code:     outcome.CodeModelUnavailable,
			status:   200,
		},
		"an endless body": {
			behavior: modeltest.Endless(),
			code:     outcome.CodeModelUnavailable,
			status:   200,
		},
		"no choices": {
			behavior: modeltest.EmptyChoices(),
			code:     outcome.CodeModelBadAnswer,
			status:   200,
		},
		"a dropped connection": {
			behavior: modeltest.Drop(),
			code:     outcome.CodeModelUnavailable,
		},
		"a connection cut midway": {
			behavior: modeltest.CutOff(),
			code:     outcome.CodeModelUnavailable,
			status:   200,
		},
		"a completion cut for length": {
			behavior: modeltest.Length(),
			code:     outcome.CodeModelTooLong,
			status:   200,
		},
		"a refusal": {
			behavior: modeltest.Refuse(),
			code:     outcome.CodeModelRefused,
			status:   200,
		},
		"a filtered completion": {
			behavior: modeltest.Filtered(),
			code:     outcome.CodeModelRefused,
			status:   200,
		},
		"no JSON": {
			behavior: modeltest.Garbage(),
			code:     outcome.CodeModelBadAnswer,
		},
		"nothing": {
			behavior: modeltest.Blank(),
			code:     outcome.CodeModelBadAnswer,
		},
		"Groq's failed validation": {
			behavior: modeltest.Status(400, `{"error":{"message":"Failed to generate JSON. Please adjust your `+
				`prompt.","type":"invalid_request_error","code":"json_validate_failed"}}`),
			code:   outcome.CodeModelBadAnswer,
			status: 400,
		},
		"a rejected request": {
			behavior: modeltest.Status(400, `{"error":{"message":"Unknown parameter",`+
				`"type":"invalid_request_error"}}`),
			code:   outcome.CodeModelBadRequest,
			status: 400,
			calls:  4, // once more, without a format, and with the prompt alone
		},
		"a repeated request that resembles an error": {
			behavior: modeltest.Status(422, `{"detail":[{"loc":["body"],"msg":"field required","type":"missing",`+
				`"input":"our context window and insufficient_quota"}]}`),
			code:   outcome.CodeModelBadRequest,
			status: 422,
			calls:  4,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := modeltest.New(t).Always(fault.behavior)
			response, err := newModel(t, server).Extract(t.Context(), request(interview))
			var failed *extract.Error
			require.ErrorAs(t, err, &failed)
			require.Equal(t, fault.code, failed.Code)
			require.Equal(t, fault.status, failed.Status)
			require.Equal(t, fault.after, failed.RetryAfter)
			require.Equal(t, max(fault.calls, 1), server.Count(), "calls")
			require.Empty(t, response)
			for _, secret := range []string{secretKey, leak, "quota,", "Provider returned", "sk-test", server.URL} {
				require.NotContains(t, err.Error(), secret)
			}
		})
	}
}
