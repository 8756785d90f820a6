package modeltest

import "net/http"

const (
	groqErrors       = "https://console.groq.com/docs/errors"
	openRouterErrors = "https://openrouter.ai/docs/api-reference/errors"
	watsonxAPI       = "https://cloud.ibm.com/apidocs/watsonx-ai#text-chat"
	databricksErrors = "https://docs.databricks.com/aws/en/machine-learning/foundation-model-apis/limits"
	vLLMServer       = "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html"
	llamaServer      = "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md"
)

// gateways serve the models of others.
func gateways() []Vendor {
	return []Vendor{
		{"Groq", answers(2, "https://console.groq.com/docs/structured-outputs", rejects(hasSchema, 400,
			`{"error":{"message":"This model does not support response format 'json_schema'.",`+
				`"type":"invalid_request_error","param":"response_format"}}`,
			says(map[string]any{"reasoning": "I should …"}, map[string]any{"x_groq": map[string]any{"id": "req_1"}}))),
			[]Case{
				longPrompt(400, `{"error":{"message":"Please reduce the length of the messages or completion.",`+
					`"type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
					"https://github.com/OpenHands/OpenHands/issues/1902"),
				fault(Key, "model_key_rejected", 401, `{"error":{"message":"Invalid API Key",`+
					`"type":"invalid_request_error","code":"invalid_api_key"}}`, groqErrors),
				fault(Quota, "model_rate_limited", 429, `{"error":{"message":"Rate limit reached for model on tokens `+
					`per minute (TPM): Limit 6000, Used 5900, Requested 900.","type":"tokens",`+
					`"code":"rate_limit_exceeded"}}`, groqErrors),
			}},
		{"OpenRouter", answers(1, "https://openrouter.ai/docs/api-reference/overview",
			says(map[string]any{"reasoning": "The interviewee says …"}, map[string]any{"provider": "x"})), []Case{
			longPrompt(400, `{"error":{"message":"This model's maximum context length is 4096 tokens. However, you `+
				`requested 8529 tokens (4433 in the messages, 4096 in the completion). Please reduce the length of `+
				`either one, or use the \"middle-out\" transform.","code":400}}`,
				"https://github.com/kwaroran/risuai/issues/307"),
			fault(Key, "model_key_rejected", 401, `{"error":{"message":"No auth credentials found","code":401}}`,
				openRouterErrors),
			fault(Quota, "model_no_credit", 402, `{"error":{"code":402,"message":"Insufficient credits"}}`,
				openRouterErrors),
			fault(Filter, "model_refused", 403, `{"error":{"code":403,"message":"Your chosen model requires `+
				`moderation and your input was flagged","metadata":{"reasons":["violence"],`+
				`"flagged_input":"…"}}}`, openRouterErrors),
		}},
		{"LiteLLM", answers(1, "https://docs.litellm.ai/docs/providers/litellm_proxy", says(nil, nil)), []Case{
			cut("stop", "https://github.com/BerriAI/litellm/issues/25825"),
			longPrompt(400, `{"error":{"message":"litellm.BadRequestError: litellm.ContextWindowExceededError: `+
				`AnthropicError - `+
				`{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",`+
				`\"message\":\"prompt is too long: 209303 tokens > 200000 maximum\"}}",`+
				`"type":null,"param":null,"code":"400"}}`,
				"https://github.com/OpenHands/OpenHands/issues/5350"),
			fault(Key, "model_key_rejected", 401, `{"error":{"message":"Authentication Error, Invalid proxy server `+
				`token passed.","type":"auth_error","param":"None","code":"401"}}`,
				"https://docs.litellm.ai/docs/exception_mapping"),
			fault(Quota, "model_no_credit", 400, `{"error":{"message":"Budget has been exceeded! Current cost: `+
				`0.3759, Max budget: 0.35","type":"budget_exceeded","param":null,"code":"400"}}`,
				"https://github.com/open-webui/open-webui/issues/5469"),
			fault(Filter, "model_refused", 400, `{"error":{"message":"litellm.ContentPolicyViolationError: `+
				`AzureException - The response was filtered due to the prompt triggering Azure OpenAI's content `+
				`management policy.","type":null,"param":null,"code":"400"}}`,
				"https://github.com/BerriAI/litellm/pull/16231"),
		}},
		{"watsonx", answers(1, watsonxAPI,
			says(map[string]any{"refusal": nil}, map[string]any{"model_id": "x"})), []Case{
			fault(Key, "model_key_rejected", 401, `{"errors":[{"code":"authentication_token_expired","message":`+
				`"Failed to authenticate the request due to an expired token"}],"trace":"1","status_code":401}`,
				watsonxAPI),
			fault(Quota, "model_no_credit", 403, `{"errors":[{"code":"token_quota_reached","message":"This month's `+
				`quota of tokens is used up"}],"trace":"1","status_code":403}`, watsonxAPI),
		}},
		{"Databricks", answers(2, "https://github.com/databricks/databricks-sdk-go/issues/1183",
			rejects(func(x *Exchange) bool { return x.MaxTokens > 2048 }, 400, `{"error_code":"BAD_REQUEST",`+
				`"message":"Bad request: rpc error: code = InvalidArgument desc = max_tokens (4096) cannot exceed 2048. `+
				`Please reduce the length of max output tokens generated."}`, says(nil, nil))), []Case{
			longPrompt(400, `{"error_code":"BAD_REQUEST","message":"{\"object\":\"error\",\"message\":\"Requested `+
				`token count exceeds the model's maximum context length of 180000 tokens.\",\"code\":400}"}`,
				"https://github.com/databufflabs/databuff/issues/76"),
			fault(Key, "model_key_rejected", 403, `{"error_code":403,"message":"Invalid access token."}`,
				"https://github.com/databricks/databricks-sdk-go/issues/873"),
			fault(Quota, "model_rate_limited", 429, `{"error_code":"REQUEST_LIMIT_EXCEEDED","message":"Exceeded `+
				`workspace output tokens per minute rate limit"}`, databricksErrors),
		}},
	}
}

// selfHosted run on one's own machines.
func selfHosted() []Vendor {
	return []Vendor{
		{"vLLM", answers(3, vLLMServer, AlternatingRoles(true, contextOf(6144, 8192, inThoughts))), []Case{
			longPrompt(400, `{"error":{"message":"The decoder prompt (length 21360) is longer than the maximum model `+
				`length of 20480.","type":"BadRequestError","param":null,"code":400}}`,
				"https://github.com/OpenBMB/MiniCPM-V/issues/1048"),
			fault(Key, "model_key_rejected", 401, `{"error":"Unauthorized"}`, vLLMServer),
		}},
		{"Ollama", answers(1, "https://docs.ollama.com/openai", ollama), []Case{
			cut("length", "https://github.com/ollama/ollama/pull/5312"),
			{Kind: Context, Says: "model_too_long", Calls: 1, Link: "https://github.com/ollama/ollama/issues/17889",
				Behavior: PromptsOver(12_000, Silently(2050))},
		}},
		{"llama.cpp", answers(2, llamaServer, rejects(hasSchema, 500, `{"error":{"code":500,"message":"failed to `+
			`parse grammar","type":"server_error"}}`, Fenced())), []Case{
			longPrompt(400, `{"error":{"code":400,"message":"the request exceeds the available context size, try `+
				`increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`, llamaServer),
			fault(Key, "model_key_rejected", 401, `{"error":{"code":401,"message":"Invalid API Key",`+
				`"type":"authentication_error"}}`, llamaServer),
		}},
		{"LM Studio", answers(1, "https://lmstudio.ai/docs/app/api/structured-output", rejects(hasObject, 400,
			`{"error":"'response_format.type' must be 'json_schema' or 'text'"}`, BareList())), []Case{
			longPrompt(200, `{"error":"The number of tokens to keep from the initial prompt is greater than the `+
				`context length (n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length."}`,
				"https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2322"),
		}},
		{"TGI", answers(3, "https://huggingface.co/docs/text-generation-inference/guidance", rejects(hasFormat, 422,
			"Failed to deserialize the JSON body into the target type: response_format: unknown variant",
			says(nil, nil))), []Case{
			cut("eos_token", "https://huggingface.co/docs/text-generation-inference/messages_api"),
			longPrompt(422, `{"error":{"message":"Input validation error: `+
				"`inputs` tokens + `max_new_tokens` must be "+
				"<= 4000. Given: 8740 `inputs` tokens and 4096 `max_new_tokens`"+`","http_status_code":422}}`,
				"https://github.com/huggingface/huggingface_hub/issues/2763"),
		}},
		{"TensorRT-LLM", answers(1, "https://nvidia.github.io/TensorRT-LLM/commands/trtllm-serve.html",
			says(nil, nil)),
			[]Case{
				longPrompt(400, `{"object":"error","message":"The sum of prompt length (9351.0), query length (0) `+
					`should not exceed max_num_tokens (8192)","type":"BadRequestError","param":null,"code":400}`,
					"https://github.com/NVIDIA/TensorRT-LLM/issues/9277"),
			}},
	}
}

// inThoughts puts the whole answer into the thoughts, as a reasoning parser may.
func inThoughts(w http.ResponseWriter, x *Exchange) {
	respond(w, x, nil, map[string]any{"reasoning_content": honestText(x.Call), "tool_calls": []any{}}, nil)
}

// ollama ignores max_completion_tokens, and thinks in a member of its own.
func ollama(w http.ResponseWriter, x *Exchange) {
	if x.MaxTokens == 0 {
		Hang()(w, x)
		return
	}
	respond(w, x, honestText(x.Call), map[string]any{"reasoning": "Okay, the user wants …"}, nil)
}
