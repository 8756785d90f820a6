package openai

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"research/activities/extract"
	"research/activities/extract/mask"
	"research/outcome"
)

// A completion is the outcome of one call.
type completion struct {
	text     string
	usage    extract.Usage
	failed   *extract.Error // nil if there is a text
	rejected *failure       // what the server says of a failed call, or nil
	// thoughtTooLong means that the model used up the limit of its response before it answered.
	thoughtTooLong bool
	masker         *mask.Masker // of the prompt, or nil
}

// read decodes the text.
func (c completion) read(r extract.Request) (extract.Response, *extract.Error) {
	if c.failed != nil {
		return extract.Response{}, c.failed
	}
	response, err := readResponse(r, c.text)
	switch {
	case errors.Is(err, errCut):
		return extract.Response{}, &extract.Error{Code: outcome.CodeModelTooLong}
	case err != nil:
		return extract.Response{}, &extract.Error{Code: outcome.CodeModelBadAnswer}
	}
	unmaskResponse(c.masker, &response)
	return response, nil
}

// unmaskResponse puts back the personal data of everything that a model wrote.
func unmaskResponse(m *mask.Masker, response *extract.Response) {
	if m == nil {
		return
	}
	for i := range response.Findings {
		f := &response.Findings[i]
		f.Quote, f.Rationale, f.Summary = m.Unmask(f.Quote), m.Unmask(f.Rationale), m.Unmask(f.Summary)
	}
	for i := range response.FollowUps {
		response.FollowUps[i].Text = m.Unmask(response.FollowUps[i].Text)
	}
}

// complete makes one call. Its error is the context's.
func (o *Extractor) complete(
	ctx context.Context, r extract.Request, d dialect,
) (completion, error) {
	masked := o.masker(r)
	prompt := userPrompt(r, masked)
	params := openai.ChatCompletionNewParams{Model: o.cfg.Model}
	if !d.noEffort {
		params.ReasoningEffort = shared.ReasoningEffort(o.cfg.ReasoningEffort)
	}
	if r.Again { // in the same message: the templates of some models require that roles alternate
		prompt += "\n\n" + repairPrompt
	}
	d.apply(&params, o.systemPrompt(), prompt, responseSchema)
	got := &reply{}
	timed, cancel := context.WithTimeout(context.WithValue(ctx, replyKey{}, got), o.cfg.Timeout)
	defer cancel()
	answered, err := o.client.Chat.Completions.New(timed, params)
	if err != nil && ctx.Err() != nil {
		return completion{}, ctx.Err()
	}
	c := completion{rejected: got.failure, masker: masked}
	if answered != nil {
		c.usage = extract.Usage{
			InputTokens:  answered.Usage.PromptTokens,
			OutputTokens: answered.Usage.CompletionTokens,

			CachedTokens:    answered.Usage.PromptTokensDetails.CachedTokens,
			ReasoningTokens: answered.Usage.CompletionTokensDetails.ReasoningTokens,
		}
	}
	if c.failed = got.classify(err); c.failed == nil {
		c.readChoice(answered, minTokens(o.systemPrompt(), prompt), got.status)
	}
	return c, nil
}

// readChoice takes the text or the failure from an accepted call, whose prompt has at least the given number
// of tokens.
func (c *completion) readChoice(answered *openai.ChatCompletion, minTokens, status int) {
	fail := func(code outcome.Code) { c.failed = &extract.Error{Code: code, Status: status} }
	if len(answered.Choices) == 0 {
		fail(outcome.CodeModelUnavailable)
		return
	}
	choice := answered.Choices[0]
	c.text = choice.Message.Content
	thoughts := reasoning(choice.Message)
	if strings.TrimSpace(c.text) == "" {
		c.text = thoughts // servers take the whole answer of some models for their thoughts
	}
	switch {
	case choice.FinishReason == "length":
		c.thoughtTooLong = choice.Message.Content == "" && (c.usage.ReasoningTokens > 0 || thoughts != "")
		fail(outcome.CodeModelTooLong)
	case choice.FinishReason == "error": // OpenRouter: the provider failed in the middle of the response
		fail(outcome.CodeModelUnavailable)
	case choice.FinishReason == "content_filter", choice.Message.Refusal != "":
		fail(outcome.CodeModelRefused)
	case isTruncated(minTokens, c.usage.InputTokens, c.usage.CachedTokens):
		fail(outcome.CodeModelTooLong)
	}
}

// reasoning returns the text that servers put beside the content: "reasoning_content" in vLLM, llama.cpp, LM
// Studio and DeepSeek, "reasoning" in Ollama, OpenRouter and Groq.
func reasoning(message openai.ChatCompletionMessage) string {
	for _, name := range []string{"reasoning_content", "reasoning"} {
		var text string
		if json.Unmarshal([]byte(message.JSON.ExtraFields[name].Raw()), &text) == nil && text != "" {
			return text
		}
	}
	return ""
}
