package extract

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"research/transcript"
)

// OpenAIConfig says which server answers.
type OpenAIConfig struct {
	APIKey  string        // may be empty: local servers want none
	BaseURL string        // empty means OpenAI's own
	Model   string        // required
	Timeout time.Duration // of one call; required
	Context int           // tokens that a question and its answer may take together; 0: ask in chunks of the usual size
}

// OpenAI asks a server that speaks OpenAI's Chat Completions: OpenAI, Azure, Ollama, vLLM, llama.cpp, LM Studio, OpenRouter, Groq.
//
// It asks for answers by JSON schema; a server that refuses that is asked for a JSON object, then by the prompt alone, and the rung that worked is
// remembered. Retries are left to the caller.
type OpenAI struct {
	cfg    OpenAIConfig
	client openai.Client
	rung   atomic.Int32
}

// The ways to ask for JSON, the strictest first.
const (
	rungSchema = iota
	rungObject
	rungPrompt
	rungs
)

// NewOpenAI makes the adapter. The client is put together here since its own constructor reads OPENAI_ORG_ID, OPENAI_PROJECT_ID and
// OPENAI_CUSTOM_HEADERS from the environment and sends them to any server.
func NewOpenAI(cfg OpenAIConfig) (*OpenAI, error) {
	if cfg.Model == "" || cfg.Timeout <= 0 {
		return nil, errors.New("the OpenAI extractor needs a model and a timeout")
	}
	if cfg.BaseURL == "" {
		cfg.BaseURL = "https://api.openai.com/v1"
	}
	key := cfg.APIKey
	if key == "" {
		key = "none" // the client refuses to send nothing
	}
	client := openai.Client{Options: []option.RequestOption{
		option.WithBaseURL(cfg.BaseURL), option.WithAPIKey(key), option.WithMaxRetries(0), option.WithMiddleware(keepResponse),
	}}
	client.Chat = openai.NewChatService(client.Options...)
	return &OpenAI{cfg: cfg, client: client}, nil
}

// Name is "openai".
func (*OpenAI) Name() string { return "openai" }

// Model is the configured one.
func (o *OpenAI) Model() string { return o.cfg.Model }

// PromptVersion is the number of the prompt's file.
func (*OpenAI) PromptVersion() string { return promptVersion }

// maxAnswerTokens is kept free for the answer, or a quarter of a small context.
const maxAnswerTokens = 2000

// Plan cuts chunks of the usual size, or such that prompt, hypotheses and answer fit the context.
func (o *OpenAI) Plan(t *transcript.Transcript, hypotheses []Hypothesis) []Chunk {
	if o.cfg.Context == 0 {
		return PlanChunks(t, 0)
	}
	fixed := len(systemPrompt) + len(userPrompt(Question{Transcript: t, Hypotheses: hypotheses}))
	answer := min(maxAnswerTokens, o.cfg.Context/4)
	return PlanChunks(t, max(o.cfg.Context-answer-int(float64(fixed)/bytesPerToken), 1))
}

// Estimate counts the words of the prompt; what is answered is left out.
func (*OpenAI) Estimate(q Question) int64 { return int64(leastTokens(systemPrompt + userPrompt(q))) }

// Ask asks once, a second time where the answer could not be read, and on the next rung where the server refuses the form. Its error is an *Error
// or the context's.
func (o *OpenAI) Ask(ctx context.Context, q Question) (Answer, error) {
	var used Usage
	again := false
	for rung := o.rung.Load(); ; {
		text, usage, err := o.call(ctx, q, rung, again)
		used = used.Add(usage)
		var failed *Error
		switch {
		case err == nil:
			answer, bad := readAnswer(q, text)
			if bad == nil {
				o.remember(rung)
				answer.Usage = used
				return answer, nil
			}
			failed = &Error{Kind: BadAnswer}
		case !errors.As(err, &failed):
			return Answer{}, err
		}
		switch {
		case failed.Kind == BadRequest && rung+1 < rungs:
			rung++
		case failed.Kind == BadAnswer && !again:
			again = true
		default:
			failed.Usage = used
			return Answer{}, failed
		}
	}
}

// remember keeps the rung that worked, for the calls to come. It only goes down: of two calls at once, the one that met the refusal is right.
func (o *OpenAI) remember(rung int32) {
	for known := o.rung.Load(); rung > known; known = o.rung.Load() {
		if o.rung.CompareAndSwap(known, rung) {
			return
		}
	}
}

// askAgain follows a question whose answer could not be read.
const askAgain = "Your last answer to this could not be read. Answer with the one JSON object described above, complete, and nothing else."

// call makes one request.
func (o *OpenAI) call(ctx context.Context, q Question, rung int32, again bool) (string, Usage, error) {
	prompt := userPrompt(q)
	params := openai.ChatCompletionNewParams{
		Model:    o.cfg.Model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(systemPrompt), openai.UserMessage(prompt)},
	}
	if again {
		params.Messages = append(params.Messages, openai.UserMessage(askAgain))
	}
	switch rung {
	case rungSchema:
		params.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
			Name: "findings", Strict: openai.Bool(true), Schema: answerSchema(q),
		}}
	case rungObject:
		params.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	kept := &response{}
	timed, cancel := context.WithTimeout(context.WithValue(ctx, responseKey{}, kept), o.cfg.Timeout)
	defer cancel()
	completion, err := o.client.Chat.Completions.New(timed, params)
	if err != nil && ctx.Err() != nil {
		return "", Usage{}, ctx.Err()
	}
	var usage Usage
	if completion != nil {
		usage = Usage{completion.Usage.PromptTokens, completion.Usage.CompletionTokens}
	}
	if failed := kept.classify(err); failed != nil {
		return "", usage, failed
	}
	if len(completion.Choices) == 0 {
		return "", usage, &Error{Kind: Unavailable, Status: kept.status}
	}
	choice := completion.Choices[0]
	switch {
	case choice.FinishReason == "length":
		return "", usage, &Error{Kind: TooLong, Status: kept.status}
	case choice.FinishReason == "error": // OpenRouter: the provider behind it failed midway
		return "", usage, &Error{Kind: Unavailable, Status: kept.status}
	case choice.FinishReason == "content_filter", choice.Message.Refusal != "":
		return "", usage, &Error{Kind: Refused, Status: kept.status}
	case truncated(systemPrompt+prompt, completion.Usage.PromptTokens, completion.Usage.PromptTokensDetails.CachedTokens):
		return "", usage, &Error{Kind: TooLong, Status: kept.status}
	}
	return choice.Message.Content, usage, nil
}
