package modeltest

import "net/http"

// Pages of documentation and reports that several cases follow.
const (
	openAIErrors     = "https://platform.openai.com/docs/guides/error-codes"
	azureFilter      = "https://learn.microsoft.com/azure/ai-services/openai/concepts/content-filter"
	anthropicCompat  = "https://docs.anthropic.com/en/api/openai-sdk"
	anthropicErrors  = "https://docs.anthropic.com/en/api/errors"
	geminiCompat     = "https://ai.google.dev/gemini-api/docs/openai"
	geminiErrors     = "https://ai.google.dev/gemini-api/docs/troubleshooting"
	mistralAPI       = "https://docs.mistral.ai/api/"
	cohereErrors     = "https://docs.cohere.com/reference/errors"
	xAIErrors        = "https://docs.x.ai/docs/key-information/debugging"
	deepSeekErrors   = "https://api-docs.deepseek.com/quick_start/error_codes"
	dashScopeErrors  = "https://www.alibabacloud.com/help/en/model-studio/error-code"
	openAIStructured = "https://platform.openai.com/docs/guides/structured-outputs"
)

// openAIContext is the error that many servers copy.
const openAIContext = `{"error":{"message":"This model's maximum context length is 4097 tokens. However, ` +
	`your messages resulted in 4294 tokens. Please reduce the length of the messages.",` +
	`"type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`

// clouds are the servers of those who make the models.
func clouds() []Vendor {
	reasoning := map[string]any{
		"prompt_tokens": 1200, "completion_tokens": 250, "total_tokens": 1450,
		"prompt_tokens_details":     map[string]any{"cached_tokens": 128, "audio_tokens": 0},
		"completion_tokens_details": map[string]any{"reasoning_tokens": 200, "audio_tokens": 0},
	}
	openAI := NoLimitField("max_tokens",
		says(map[string]any{"refusal": nil}, map[string]any{"usage": reasoning}))
	safe := map[string]any{"hate": map[string]any{"filtered": false, "severity": "safe"}}
	azure := NoLimitField("max_tokens", says(nil, map[string]any{
		"prompt_filter_results": []any{map[string]any{"prompt_index": 0, "content_filter_results": safe}},
	}))
	return []Vendor{
		{"OpenAI", answers(2, "https://platform.openai.com/docs/api-reference/chat/create", openAI), []Case{
			cut("length", "https://platform.openai.com/docs/api-reference/chat/object"),
			longPrompt(400, openAIContext, "https://github.com/baserow/baserow/issues/3011"),
			{Kind: Key, Says: "model_key_rejected", Calls: 1, Link: openAIErrors, Behavior: BadKey()},
			{Kind: Quota, Says: "model_no_credit", Calls: 1, Link: openAIErrors, Behavior: NoCredit()},
			{Kind: Filter, Says: "model_refused", Calls: 1, Link: openAIStructured, Behavior: Refuse()},
		}},
		{"OpenAI, early o1", answers(3, "https://github.com/tailcallhq/forgecode/issues/1177",
			rejects(hasSystem, 400, `{"error":{"message":"Unsupported value: 'messages[0].role' does not support `+
				`'system' with this model.","type":"invalid_request_error","param":"messages[0].role",`+
				`"code":"unsupported_value"}}`, openAI)), []Case{
			fault(Quota, "model_forbidden", 403, `{"error":{"code":"unsupported_country_region_territory",`+
				`"message":"Country, region, or territory not supported","param":null,"type":"request_forbidden"}}`,
				"https://github.com/home-assistant/core/issues/120072"),
		}},
		{"Azure", answers(2, azureFilter, azure), []Case{
			longPrompt(400, openAIContext,
				"https://github.com/Azure-Samples/chat-with-your-data-solution-accelerator/issues/790"),
			fault(Key, "model_key_rejected", 401, `{"error":{"code":"401","message":"Access denied due to invalid `+
				`subscription key or wrong API endpoint."}}`,
				"https://learn.microsoft.com/azure/ai-services/openai/reference"),
			fault(Quota, "model_rate_limited", 429, `{"error":{"code":"429","message":"Requests have exceeded token `+
				`rate limit of your current OpenAI S0 pricing tier. Please retry after 6 seconds."}}`,
				"https://learn.microsoft.com/azure/ai-services/openai/quotas-limits"),
			fault(Filter, "model_refused", 400, `{"error":{"message":"The response was filtered due to the prompt `+
				`triggering Azure OpenAI's content management policy.","type":null,"param":"prompt",`+
				`"code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`,
				"https://github.com/compl-ai/compl-ai/issues/20"),
		}},
		{"Mistral", answers(2, "https://github.com/editor-code-assistant/eca/issues/231",
			rejects(hasCompletionLimit, 422, `{"object":"error","message":{"detail":[{"type":"extra_forbidden",`+
				`"loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted","input":4096}]},`+
				`"type":"invalid_request_error","param":null,"code":null}`, inParts)), []Case{
			cut("model_length", mistralAPI),
			fault(Key, "model_key_rejected", 401, `{"message":"Unauthorized","request_id":"1"}`, mistralAPI),
			fault(Quota, "model_rate_limited", 429, `{"message":"Requests rate limit exceeded"}`, mistralAPI),
		}},
		{"Anthropic", answers(1, anthropicCompat, inProse), []Case{
			cut("max_tokens", "https://github.com/BerriAI/litellm/issues/25825"),
			longPrompt(400, `{"type":"error","error":{"type":"invalid_request_error","message":"input length and `+
				"`max_tokens` exceed context limit: 199900 + 4096 > 200000, decrease input length or `max_tokens` and "+
				`try again"},"request_id":"req_1"}`, "https://github.com/docker/docker-agent/issues/569"),
			fault(Key, "model_key_rejected", 401, `{"type":"error","error":{"type":"authentication_error",`+
				`"message":"invalid x-api-key"}}`, anthropicErrors),
			fault(Quota, "model_no_credit", 400, `{"type":"error","error":{"type":"invalid_request_error","message":`+
				`"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade `+
				`or purchase credits."}}`, "https://github.com/anthropics/claude-code/issues/4684"),
			fault(Filter, "model_refused", 400, `{"type":"error","error":{"type":"invalid_request_error",`+
				`"message":"Output blocked by content filtering policy"}}`,
				"https://github.com/anthropics/claude-code/issues/6195"),
		}},
		{"Google", answers(2, geminiCompat, rejects(hasBothLimits, 400, `[{"error":{"code":400,"message":`+
			`"max_tokens and max_completion_tokens cannot both be set.","status":"INVALID_ARGUMENT"}}]`,
			says(nil, map[string]any{"model": "models/gemini-2.5-flash"}))), []Case{
			cut("MAX_TOKENS", "https://ai.google.dev/api/generate-content"),
			longPrompt(400, `[{"error":{"code":400,"message":"The input token count (1200293) exceeds the maximum `+
				`number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`,
				"https://github.com/google-gemini/gemini-cli/issues/6678"),
			fault(Key, "model_key_rejected", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a `+
				`valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]`, geminiErrors),
			fault(Quota, "model_forbidden", 400, `{"error":{"code":400,"message":"User location is not supported for `+
				`the API use.","status":"FAILED_PRECONDITION"}}`,
				"https://github.com/PublicAffairs/openai-gemini/issues/4"),
			fault(Filter, "model_refused", 200, `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},`+
				`"usageMetadata":{"promptTokenCount":13}}`, "https://github.com/vercel/ai/issues/19758"),
		}},
	}
}

// moreClouds are those whose dialects differ more from OpenAI's.
func moreClouds() []Vendor {
	return []Vendor{
		{"Cohere", answers(2, "https://github.com/koharu-rs/koharu/issues/1128", rejects(hasSchema, 400,
			`{"message":"invalid request: response_format validation: invalid 'json_schema' provided: missing `+
				`required field 'type'"}`, says(nil, nil))), []Case{
			cut("MAX_TOKENS", "https://github.com/cohere-ai/cohere-developer-experience/pull/600"),
			longPrompt(400, `{"message":"too many tokens: total number of tokens in the prompt cannot exceed 4081 - `+
				`received 4292. Try using a shorter prompt, or enabling prompt truncating."}`, cohereErrors),
			fault(Key, "model_key_rejected", 401, `{"message":"invalid api token"}`, cohereErrors),
			fault(Quota, "model_no_credit", 402, `{"message":"Please add or update your payment method"}`,
				cohereErrors),
		}},
		{"xAI", answers(1, "https://docs.x.ai/docs/api-reference",
			says(map[string]any{"refusal": nil}, nil)), []Case{
			longPrompt(400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt `+
				`length is 131072 but the request contains 136973 tokens."}`,
				"https://github.com/cline/cline/issues/3120"),
			fault(Key, "model_key_rejected", 400, `{"code":"Client specified an invalid argument","error":"Incorrect `+
				`API key provided: xa***."}`, xAIErrors),
			fault(Quota, "model_no_credit", 429, `{"code":"Some resource has been exhausted","error":"Your team has `+
				`either used all available credits or reached its monthly spending limit."}`,
				"https://github.com/continuedev/continue/issues/10373"),
		}},
		{"DeepSeek", answers(2, "https://github.com/llm-exe/llm-exe/issues/662", rejects(hasSchema, 400,
			`{"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error",`+
				`"param":null,"code":"invalid_request_error"}}`,
			says(map[string]any{"reasoning_content": "Let me see …"}, nil))), []Case{
			longPrompt(400, `{"error":{"message":"This model's maximum context length is 131072 tokens. However, you `+
				`requested 135168 tokens (131072 in the messages, 4096 in the completion).",`+
				`"type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`,
				"https://github.com/evalstate/fast-agent/issues/621"),
			fault(Key, "model_key_rejected", 401, `{"error":{"message":"Authentication Fails, Your api key: ****c0de `+
				`is invalid","type":"authentication_error","param":null,"code":"invalid_request_error"}}`,
				deepSeekErrors),
			fault(Quota, "model_no_credit", 402, `{"error":{"message":"Insufficient Balance","type":"unknown_error",`+
				`"param":null,"code":"invalid_request_error"}}`, deepSeekErrors),
			fault(Filter, "model_refused", 400, `{"error":{"message":"Content Exists Risk","type":`+
				`"invalid_request_error","param":null,"code":"invalid_request_error"}}`,
				"https://github.com/666ghj/BettaFish/issues/108"),
		}},
		{"DashScope", answers(1,
			"https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope",
			says(map[string]any{"reasoning_content": ""}, nil)), []Case{
			longPrompt(400, `{"error":{"code":"invalid_parameter_error","message":"<400> InternalError.Algo.`+
				`InvalidParameter: Range of input length should be [1, 983616]","param":null,`+
				`"type":"invalid_request_error"},"request_id":"1"}`,
				"https://github.com/agentscope-ai/QwenPaw/issues/6255"),
			fault(Key, "model_key_rejected", 401, `{"error":{"message":"Incorrect API key provided.",`+
				`"type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, dashScopeErrors),
			fault(Quota, "model_no_credit", 400, `{"error":{"message":"The free tier of the model has been `+
				`exhausted. If you wish to continue access the model on a paid basis, please disable the \"use free `+
				`tier only\" mode.","type":"AllocationQuota.FreeTierOnly","param":null,`+
				`"code":"AllocationQuota.FreeTierOnly"}}`,
				"https://github.com/APIParkLab/APIPark/issues/394"),
			fault(Filter, "model_refused", 400, `{"error":{"code":"data_inspection_failed","param":null,"message":`+
				`"Input data may contain inappropriate content.","type":"data_inspection_failed"},"id":"1"}`,
				"https://github.com/camel-ai/owl/issues/432"),
		}},
		{"DashScope, Qwen3", answers(2, "https://github.com/OpenBMB/UltraRAG/issues/287",
			rejects(isNotStreamed, 400, `{"error":{"message":"parameter.enable_thinking `+
				`must be set to false for non-streaming calls","type":"invalid_request_error","param":null,`+
				`"code":"invalid_parameter_error"}}`, Streamed())), nil},
	}
}

// inParts writes thoughts and the answer as parts, as Mistral's reasoning models do
// (https://github.com/langchain4j/langchain4j/pull/4474).
func inParts(w http.ResponseWriter, x *Exchange) {
	thoughts := []any{map[string]any{"type": "text", "text": "Let me reason {…"}}
	respond(w, x, []any{
		map[string]any{"type": "thinking", "thinking": thoughts},
		map[string]any{"type": "text", "text": honestText(x.Call)},
	}, nil, nil)
}

// inProse answers within prose: the endpoint ignores response formats.
func inProse(w http.ResponseWriter, x *Exchange) {
	prose := "Here is the analysis you asked for:\n\n" + honestText(x.Call) + "\n\nThe quotes are verbatim."
	respond(w, x, prose, nil, map[string]any{"id": "msg_01"})
}
