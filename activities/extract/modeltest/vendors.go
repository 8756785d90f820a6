package modeltest

import (
	"fmt"
	"net/http"
	"strings"
)

// Vendors are servers as they were seen to behave, by name. Each answers honestly what it accepts, in its own
// shape. The shapes are written here, and shortened to what a client reads.
func Vendors() map[string]Behavior {
	return map[string]Behavior{
		"OpenAI":    openAI,
		"Azure":     azure,
		"vLLM":      vLLM,
		"Ollama":    ollama,
		"llama.cpp": llamaCPP,
		"LM Studio": lmStudio,
		"Gemini":    gemini,
		"Anthropic": anthropic,
		"OpenRouter": func(w http.ResponseWriter, x *Exchange) {
			respond(w, x, Answer(x.Call).JSON(), map[string]any{"reasoning": "The interviewee says …"}, nil)
		},
		"Groq": groq,
	}
}

// respond writes a completion with additions to its message and to the top level.
func respond(w http.ResponseWriter, x *Exchange, content any, message, top map[string]any) {
	said := map[string]any{"role": "assistant", "content": content}
	for name, value := range message {
		said[name] = value
	}
	prompt := Tokens(x.System + x.User)
	body := map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": x.Model,
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": said}},
		"usage": map[string]any{
			"prompt_tokens": prompt, "completion_tokens": 50, "total_tokens": prompt + 50,
		},
	}
	for name, value := range top {
		body[name] = value
	}
	writeJSON(w, http.StatusOK, body)
}

// openAI is a reasoning model: it takes max_completion_tokens alone, and counts thoughts and cached tokens.
func openAI(w http.ResponseWriter, x *Exchange) {
	NoLimitField("max_tokens", func(w http.ResponseWriter, x *Exchange) {
		prompt := Tokens(x.System + x.User)
		respond(w, x, Answer(x.Call).JSON(), map[string]any{"refusal": nil, "annotations": []any{}}, map[string]any{
			"system_fingerprint": "fp_1", "service_tier": "default",
			"usage": map[string]any{
				"prompt_tokens": prompt, "completion_tokens": 250, "total_tokens": prompt + 250,
				"prompt_tokens_details":     map[string]any{"cached_tokens": 128, "audio_tokens": 0},
				"completion_tokens_details": map[string]any{"reasoning_tokens": 200, "audio_tokens": 0},
			},
		})
	})(w, x)
}

// azure adds the results of its content filter.
func azure(w http.ResponseWriter, x *Exchange) {
	NoLimitField("max_tokens", func(w http.ResponseWriter, x *Exchange) {
		safe := map[string]any{"hate": map[string]any{"filtered": false, "severity": "safe"}}
		respond(w, x, Answer(x.Call).JSON(), nil, map[string]any{
			"prompt_filter_results": []any{map[string]any{"prompt_index": 0, "content_filter_results": safe}},
		})
	})(w, x)
}

// vLLM with a template that has no system role, a small context, and a reasoning parser that takes the whole
// answer for thoughts.
func vLLM(w http.ResponseWriter, x *Exchange) {
	AlternatingRoles(true, func(w http.ResponseWriter, x *Exchange) {
		const prompt, context = 6144, 8192
		if limit := max(x.MaxTokens, x.MaxCompletionTokens); prompt+limit > context {
			Status(http.StatusBadRequest, fmt.Sprintf(`{"object":"error","message":"This model's maximum context `+
				`length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the completion).",`+
				`"type":"BadRequestError","param":null,"code":400}`, context, prompt+limit, prompt, limit))(w, x)
			return
		}
		respond(w, x, nil, map[string]any{"reasoning_content": Answer(x.Call).JSON(), "tool_calls": []any{}}, nil)
	})(w, x)
}

// ollama ignores max_completion_tokens, and thinks in a member of its own.
func ollama(w http.ResponseWriter, x *Exchange) {
	if x.MaxTokens == 0 {
		Hang()(w, x)
		return
	}
	respond(w, x, Answer(x.Call).JSON(), map[string]any{"reasoning": "Okay, the user wants …"},
		map[string]any{"system_fingerprint": "fp_ollama"})
}

// llamaCPP cannot compile the grammar of the schema.
func llamaCPP(w http.ResponseWriter, x *Exchange) {
	if x.Format == "json_schema" {
		Status(http.StatusInternalServerError, `{"error":{"code":500,"message":"failed to parse grammar",`+
			`"type":"server_error"}}`)(w, x)
		return
	}
	respond(w, x, "```json\n"+Answer(x.Call).JSON()+"\n```", nil, map[string]any{
		"timings": map[string]any{"prompt_n": 12, "predicted_n": 50},
	})
}

// lmStudio rejects json_object, and may return a bare list for a schema.
func lmStudio(w http.ResponseWriter, x *Exchange) {
	if x.Format == "json_object" {
		Status(http.StatusBadRequest, `{"error":"'response_format.type' must be 'json_schema' or 'text'"}`)(w, x)
		return
	}
	BareList()(w, x)
}

// gemini rejects both limits together, in an array.
func gemini(w http.ResponseWriter, x *Exchange) {
	if x.MaxTokens > 0 && x.MaxCompletionTokens > 0 {
		Status(http.StatusBadRequest, `[{"error":{"code":400,"message":"max_tokens and max_completion_tokens `+
			`cannot both be set.","status":"INVALID_ARGUMENT"}}]`)(w, x)
		return
	}
	respond(w, x, Answer(x.Call).JSON(), nil, map[string]any{"model": "models/" + x.Model})
}

// anthropic ignores response formats and answers within prose.
func anthropic(w http.ResponseWriter, x *Exchange) {
	prose := "Here is the analysis you asked for:\n\n" + Answer(x.Call).JSON() + "\n\nThe quotes are verbatim."
	respond(w, x, prose, nil, map[string]any{"id": "msg_01"})
}

// groq checks the JSON itself, and reports a failure of its own model as the caller's.
func groq(w http.ResponseWriter, x *Exchange) {
	if x.Format == "json_schema" && !strings.HasPrefix(x.Model, "openai/") {
		Status(http.StatusBadRequest, `{"error":{"message":"This model does not support response format `+
			"`json_schema`"+`.","type":"invalid_request_error","param":"response_format"}}`)(w, x)
		return
	}
	respond(w, x, Answer(x.Call).JSON(), map[string]any{"reasoning": "I should …"},
		map[string]any{"x_groq": map[string]any{"id": "req_1"}})
}
