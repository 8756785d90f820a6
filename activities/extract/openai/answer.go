package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"research/activities/extract"
)

// An answer is what is read of the body of an accepted call.
type answer struct {
	choice
	usage extract.Usage
	// isCompletion reports whether the body has the form of a completion, even if it has no choice.
	isCompletion bool
	hasChoice    bool
}

// A choice is one answer of a completion.
type choice struct {
	content   string
	arguments string // of a tool call in the place of the content
	thoughts  string
	refused   bool
	finish    string // in lower case
}

// text returns what the model answered. Some servers put the whole answer of some models into a tool call, or
// take it for thoughts.
func (c choice) text() string {
	for _, text := range []string{c.content, c.arguments} {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return c.thoughts
}

// isAnswered reports whether the model wrote something or declined to.
func (a answer) isAnswered() bool {
	return strings.TrimSpace(a.text()) != "" || a.refused || slices.Contains(refusalReasons, a.finish)
}

// readAnswer reads a completion. If it has several choices, the first one with text counts.
func readAnswer(body any) answer {
	choices, hasChoices := member(body, "choices").([]any)
	a := answer{
		usage: readUsage(member(body, "usage")), hasChoice: len(choices) > 0,
		isCompletion: hasChoices || member(body, "object") == "chat.completion" || !isEmpty(member(body, "usage")),
	}
	for i, c := range choices {
		next := readChoice(c)
		if i == 0 || strings.TrimSpace(a.text()) == "" && strings.TrimSpace(next.text()) != "" {
			a.choice = next
		}
	}
	// Gemini blocks a prompt without a choice.
	for _, name := range []string{"promptFeedback", "prompt_feedback"} {
		feedback := member(body, name)
		blocked := !isEmpty(member(feedback, "blockReason")) || !isEmpty(member(feedback, "block_reason"))
		a.refused = a.refused || blocked && strings.TrimSpace(a.text()) == ""
	}
	return a
}

// readChoice reads a choice of a completion, or of an event of a stream.
func readChoice(v any) choice {
	message := member(v, "message")
	if isEmpty(message) {
		message = member(v, "delta")
	}
	c := choice{
		finish:  strings.ToLower(textOf(member(v, "finish_reason"))),
		refused: !isEmpty(member(message, "refusal")),
	}
	c.readContent(member(message, "content"))
	if c.content == "" {
		c.content = textOf(member(v, "text"))
	}
	// "reasoning_content" in vLLM, llama.cpp, LM Studio and DeepSeek, "reasoning" in Ollama, OpenRouter and
	// Groq.
	for _, name := range []string{"reasoning_content", "reasoning"} {
		if c.thoughts == "" {
			c.thoughts = textOf(member(message, name))
		}
	}
	calls := []any{member(message, "function_call")}
	for _, call := range listOf(member(message, "tool_calls")) {
		calls = append(calls, member(call, "function"))
	}
	for _, call := range calls {
		c.arguments += jsonText(member(call, "arguments"))
	}
	return c
}

// readContent reads a text, the object itself, or a list of parts: Mistral's reasoning models write their
// thoughts in parts of their own.
func (c *choice) readContent(v any) {
	parts, isList := v.([]any)
	if !isList {
		c.content = jsonText(v)
		return
	}
	for _, part := range parts {
		switch textOf(member(part, "type")) {
		case "refusal":
			c.refused = true
		case "thinking", "reasoning":
			var inner choice
			inner.readContent(member(part, "thinking"))
			c.thoughts += inner.content
		default:
			c.content += textOf(part) + textOf(member(part, "text"))
		}
	}
}

// jsonText returns a text, or an object as JSON.
func jsonText(v any) string {
	object, isObject := v.(map[string]any)
	if !isObject || len(object) == 0 {
		return textOf(v)
	}
	raw, err := json.Marshal(object)
	if err != nil {
		return ""
	}
	return string(raw)
}

// readUsage reads the tokens under the names of OpenAI, or those of Anthropic and Cohere.
func readUsage(v any) extract.Usage {
	first := func(numbers ...any) int64 {
		i := slices.IndexFunc(numbers, func(n any) bool { return numberOf(n) > 0 })
		if i < 0 {
			return 0
		}
		return numberOf(numbers[i])
	}
	return extract.Usage{
		InputTokens:  first(member(v, "prompt_tokens"), member(v, "input_tokens")),
		OutputTokens: first(member(v, "completion_tokens"), member(v, "output_tokens")),

		CachedTokens:    first(member(v, "prompt_tokens_details", "cached_tokens")),
		ReasoningTokens: first(member(v, "completion_tokens_details", "reasoning_tokens")),
	}
}

// The words with which servers end a response, beside "stop".
var (
	// OpenAI, Anthropic, Gemini and Cohere, Mistral, TGI, watsonx.
	lengthReasons = []string{
		"length", "max_tokens", "max_output_tokens", "max_length", "model_length", "token_limit",
		"model_context_window_exceeded", "context_length", "error_limit",
	}
	refusalReasons = []string{
		"content_filter", "content_filtered", "safety", "prohibited_content", "blocklist", "recitation", "spii",
		"refusal", "sensitive", "error_toxic", "guardrail_intervened",
	}
	// OpenRouter: the provider failed in the middle of the response.
	errorReasons = []string{"error", "network_error", "insufficient_system_resource"}
)
