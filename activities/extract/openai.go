package extract

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"research/outcome"
	"research/transcript"
)

// OpenAIConfig configures the extractor OpenAI.
type OpenAIConfig struct {
	APIKey  string        // may be empty: local servers need none
	BaseURL string        // empty means OpenAI's own
	Model   string        // required
	Timeout time.Duration // of one call; required
	Context int           // tokens of a request and its response together; 0 means chunks of the usual size
}

// OpenAI is an extractor for servers that implement OpenAI's Chat Completions API: OpenAI, Azure, Ollama,
// vLLM, llama.cpp, LM Studio, OpenRouter, Groq.
//
// It requests JSON by schema. If the server rejects that, it requests a JSON object, and at last JSON by the
// prompt alone; the format that worked is remembered. Retries are left to the caller.
type OpenAI struct {
	cfg    OpenAIConfig
	client openai.Client
	format atomic.Int32 // a responseFormat
}

// A responseFormat is a way to request JSON, the strictest first.
type responseFormat int32

const (
	formatSchema responseFormat = iota
	formatObject
	formatPrompt // by the prompt alone
)

// NewOpenAI returns an extractor for a server. It assembles the client itself, because the constructor of the
// library reads OPENAI_ORG_ID, OPENAI_PROJECT_ID and OPENAI_CUSTOM_HEADERS from the environment and sends
// them to any server.
func NewOpenAI(cfg OpenAIConfig) (*OpenAI, error) {
	if cfg.Model == "" || cfg.Timeout <= 0 {
		return nil, errors.New("the OpenAI extractor requires a model and a timeout")
	}
	if cfg.BaseURL == "" {
		cfg.BaseURL = "https://api.openai.com/v1"
	}
	key := cfg.APIKey
	if key == "" {
		key = "none" // the client rejects an empty key
	}
	client := openai.Client{Options: []option.RequestOption{
		option.WithBaseURL(cfg.BaseURL),
		option.WithAPIKey(key),
		option.WithMaxRetries(0),
		option.WithMiddleware(captureReply),
	}}
	client.Chat = openai.NewChatService(client.Options...)
	return &OpenAI{cfg: cfg, client: client}, nil
}

// Name returns "openai".
func (*OpenAI) Name() string { return "openai" }

// Model returns the configured model.
func (o *OpenAI) Model() string { return o.cfg.Model }

// PromptVersion returns the number of the prompt's file.
func (*OpenAI) PromptVersion() string { return promptVersion }

// maxResponseTokens is reserved for the response, or a quarter of a small context.
const maxResponseTokens = 2000

// Plan divides the transcript into chunks of the usual size, or small enough that prompt, hypotheses and
// response fit the model's context.
func (o *OpenAI) Plan(t *transcript.Transcript, hypotheses []Hypothesis) []Chunk {
	if o.cfg.Context == 0 {
		return PlanChunks(t, 0)
	}
	fixed := len(systemPrompt) + len(userPrompt(Request{Transcript: t, Hypotheses: hypotheses}))
	response := min(maxResponseTokens, o.cfg.Context/4)
	return PlanChunks(t, max(o.cfg.Context-response-int(float64(fixed)/bytesPerToken), 1))
}

// Estimate counts the tokens of the prompt, without the response.
func (*OpenAI) Estimate(r Request) int64 { return int64(minTokens(systemPrompt + userPrompt(r))) }

// Extract calls the model once, a second time if its answer could not be read, and in the next response
// format if the server rejects the format. Its error is an *Error or the context's error.
func (o *OpenAI) Extract(ctx context.Context, r Request) (Response, error) {
	var used Usage
	format, repeated := responseFormat(o.format.Load()), false
	for {
		text, usage, err := o.complete(ctx, r, format, repeated)
		used = used.Add(usage)
		var failed *Error
		switch {
		case err == nil:
			response, unreadable := readAnswer(r, text)
			if unreadable == nil {
				o.remember(format)
				response.Usage = used
				return response, nil
			}
			failed = &Error{Code: outcome.CodeModelBadAnswer}
		case !errors.As(err, &failed):
			return Response{}, err
		}
		switch {
		case failed.Code == outcome.CodeModelBadRequest && format < formatPrompt:
			format++
		case failed.Code == outcome.CodeModelBadAnswer && !repeated:
			repeated = true
		default:
			failed.Usage = used
			return Response{}, failed
		}
	}
}

// remember stores the format that worked for later calls. It only moves towards the less strict: of two
// concurrent calls, the one whose format was rejected is right.
func (o *OpenAI) remember(format responseFormat) {
	for known := o.format.Load(); int32(format) > known; known = o.format.Load() {
		if o.format.CompareAndSwap(known, int32(format)) {
			return
		}
	}
}

// complete makes one call and returns the text of the completion.
func (o *OpenAI) complete(
	ctx context.Context, r Request, format responseFormat, repeated bool,
) (string, Usage, error) {
	prompt := userPrompt(r)
	got := &reply{}
	timed, cancel := context.WithTimeout(context.WithValue(ctx, replyKey{}, got), o.cfg.Timeout)
	defer cancel()
	completion, err := o.client.Chat.Completions.New(timed, o.params(r, prompt, format, repeated))
	if err != nil && ctx.Err() != nil {
		return "", Usage{}, ctx.Err()
	}
	var usage Usage
	if completion != nil {
		usage = Usage{
			InputTokens:  completion.Usage.PromptTokens,
			OutputTokens: completion.Usage.CompletionTokens,
		}
	}
	if failed := got.classify(err); failed != nil {
		return "", usage, failed
	}
	if len(completion.Choices) == 0 {
		return "", usage, &Error{Code: outcome.CodeModelUnavailable, Status: got.status}
	}
	choice := completion.Choices[0]
	cached := completion.Usage.PromptTokensDetails.CachedTokens
	switch {
	case choice.FinishReason == "length":
		return "", usage, &Error{Code: outcome.CodeModelTooLong, Status: got.status}
	case choice.FinishReason == "error": // OpenRouter: the provider failed in the middle of the response
		return "", usage, &Error{Code: outcome.CodeModelUnavailable, Status: got.status}
	case choice.FinishReason == "content_filter", choice.Message.Refusal != "":
		return "", usage, &Error{Code: outcome.CodeModelRefused, Status: got.status}
	case isTruncated(systemPrompt+prompt, usage.InputTokens, cached):
		return "", usage, &Error{Code: outcome.CodeModelTooLong, Status: got.status}
	}
	return choice.Message.Content, usage, nil
}

// params builds the body of a call.
func (o *OpenAI) params(
	r Request, prompt string, format responseFormat, repeated bool,
) openai.ChatCompletionNewParams {
	params := openai.ChatCompletionNewParams{
		Model: o.cfg.Model,
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage(systemPrompt),
			openai.UserMessage(prompt),
		},
	}
	if repeated {
		params.Messages = append(params.Messages, openai.UserMessage(repairPrompt))
	}
	switch format {
	case formatSchema:
		params.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: "findings", Strict: openai.Bool(true), Schema: responseSchema(r),
			},
		}
	case formatObject:
		params.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	case formatPrompt:
	}
	return params
}
