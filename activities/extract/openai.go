package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kaptinlin/jsonrepair"
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

// answerTokens is kept free for the answer.
const answerTokens = 2000

// Plan cuts chunks of the usual size, or such that prompt, hypotheses and answer fit the context.
func (o *OpenAI) Plan(t *transcript.Transcript, hypotheses []Hypothesis) []Chunk {
	if o.cfg.Context == 0 {
		return PlanChunks(t, 0)
	}
	fixed := len(systemPrompt) + 200
	for _, h := range hypotheses {
		fixed += len(h.Statement) + 10
	}
	// Ids and names take about a quarter beside the words.
	return PlanChunks(t, max(int(0.75*(float64(o.cfg.Context-answerTokens)-float64(fixed)/bytesPerToken)), 200))
}

// Ask asks once, a second time where the answer was no JSON, and on the next rung where the server refuses the form. Its error is an *Error or the context's.
func (o *OpenAI) Ask(ctx context.Context, q Question) (Answer, error) {
	var used Usage
	spoiled := 0
	for rung := o.rung.Load(); ; {
		text, usage, err := o.call(ctx, q, rung)
		used = used.Add(usage)
		if err == nil {
			answer, bad := readAnswer(q, text)
			if bad == nil {
				o.rung.Store(rung)
				answer.Usage = used
				return answer, nil
			}
			if spoiled++; spoiled < 2 {
				continue
			}
			return Answer{}, &Error{Kind: BadAnswer, Usage: used}
		}
		var failed *Error
		if !errors.As(err, &failed) {
			return Answer{}, err
		}
		if failed.Kind == BadRequest && rung+1 < rungs {
			rung++
			continue
		}
		failed.Usage = used
		return Answer{}, failed
	}
}

// call makes one request.
func (o *OpenAI) call(ctx context.Context, q Question, rung int32) (string, Usage, error) {
	prompt := userPrompt(q)
	params := openai.ChatCompletionNewParams{
		Model:    o.cfg.Model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(systemPrompt), openai.UserMessage(prompt)},
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
	if ctx.Err() != nil {
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
	case choice.FinishReason == "content_filter", choice.Message.Refusal != "":
		return "", usage, &Error{Kind: Refused, Status: kept.status}
	case truncated(len(systemPrompt)+len(prompt), usage.InputTokens):
		return "", usage, &Error{Kind: TooLong, Status: kept.status}
	}
	return choice.Message.Content, usage, nil
}

// truncated notices a server that cut the prompt in silence, as Ollama does at 4k tokens: no tokenizer makes one token of ten bytes on average.
func truncated(promptBytes int, promptTokens int64) bool {
	const mostBytesPerToken = 10
	return promptTokens > 0 && promptBytes > 8000 && int64(promptBytes) > promptTokens*mostBytesPerToken
}

// A response is what is kept of a server's answer, for bodies that the client cannot read (Ollama's {"error": "text"}, Gemini's arrays).
type response struct {
	status     int
	retryAfter time.Duration
	body       []byte // of an error
}

type responseKey struct{}

// maxErrorBody is enough to tell what kind of error it is.
const maxErrorBody = 64 << 10

func keepResponse(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	resp, err := next(req)
	kept, _ := req.Context().Value(responseKey{}).(*response)
	if err != nil || kept == nil {
		return resp, err
	}
	kept.status = resp.StatusCode
	kept.retryAfter = retryAfter(resp.Header, time.Now())
	head, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if resp.StatusCode >= 400 || len(head) < maxErrorBody && bytes.Contains(head, []byte(`"error"`)) {
		kept.body = head
	}
	rest := resp.Body
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), failing{err, rest}), rest}
	return resp, nil
}

// failing reads on, or repeats the error that reading ended with.
type failing struct {
	err  error
	rest io.Reader
}

func (f failing) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.rest.Read(p)
}

// maxRetryAfter bounds what a server may ask for.
const maxRetryAfter = 60 * time.Second

// retryAfter reads the header in its three forms: milliseconds (OpenAI's own), seconds, and a date (RFC 9110 §10.2.3).
func retryAfter(h http.Header, now time.Time) time.Duration {
	wait := time.Duration(0)
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		wait = time.Duration(ms * float64(time.Millisecond))
	} else if s, err := strconv.ParseFloat(h.Get("Retry-After"), 64); err == nil {
		wait = time.Duration(s * float64(time.Second))
	} else if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}

// classify says what kind of failure a response is; nil where it is none. err is the client's.
func (r *response) classify(err error) *Error {
	status := r.status
	if inner := r.errorInside(); status < 400 && inner.found {
		if status = inner.code; status < 400 { // an error without a number behind a 200
			status = http.StatusBadGateway
		}
	}
	if status < 400 {
		if err == nil {
			return nil
		}
		return &Error{Kind: Unavailable, Status: r.status} // no connection, cut off, timed out, or no JSON at all
	}
	e := &Error{Kind: r.kind(status), Status: status}
	if e.Kind == RateLimited || e.Kind == Unavailable {
		e.RetryAfter = r.retryAfter
	}
	return e
}

func (r *response) kind(status int) Kind {
	says := func(hints ...string) bool {
		lower := bytes.ToLower(r.body)
		for _, hint := range hints {
			if bytes.Contains(lower, []byte(hint)) {
				return true
			}
		}
		return false
	}
	switch {
	case status == http.StatusPaymentRequired, says("insufficient_quota", "exceeded your current quota", "billing_hard_limit", "insufficient credits", "requires more credits"):
		return NoCredit
	case says("context_length_exceeded", "maximum context length", "context length", "context window", "exceeds the available context", "context size", "prompt is too long",
		"too many tokens", "input is too long", "input token count") || status == http.StatusRequestEntityTooLarge:
		return TooLong
	case says("content_filter", "content_policy", "content management policy", "responsibleaipolicyviolation"):
		return Refused
	case status == http.StatusUnauthorized, status == http.StatusForbidden, says("invalid_api_key", "api key not valid", "api_key_invalid"):
		return BadKey
	case status == http.StatusNotFound, says("model_not_found", "deploymentnotfound"):
		return ModelNotFound
	case status == http.StatusTooManyRequests:
		return RateLimited
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly, status >= 500 && status != http.StatusNotImplemented:
		return Unavailable
	}
	return BadRequest
}

type insideError struct {
	found bool
	code  int
}

// errorInside looks for {"error": …} or [{"error": …}] in a body, and a number in it.
func (r *response) errorInside() insideError {
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	raw := bytes.TrimSpace(r.body)
	if bytes.HasPrefix(raw, []byte("[")) {
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
			return insideError{}
		}
		raw = list[0]
	}
	if json.Unmarshal(raw, &body) != nil || len(body.Error) == 0 || string(body.Error) == "null" {
		return insideError{}
	}
	var detail struct {
		Code any `json:"code"`
	}
	_ = json.Unmarshal(body.Error, &detail) // a plain text has no code
	code := 0
	switch c := detail.Code.(type) {
	case float64:
		code = int(c)
	case string:
		code, _ = strconv.Atoi(c)
	}
	return insideError{true, code}
}

// decodeLoose reads JSON that a model wrote: in a fence, with prose around it, or slightly broken.
func decodeLoose(text string, into any) error {
	start, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if start < 0 {
		return errors.New("no JSON object")
	}
	object := text[start:]
	if end > start {
		object = text[start : end+1]
	}
	if json.Unmarshal([]byte(object), into) == nil {
		return nil
	}
	repaired, err := jsonrepair.JSONRepair(object)
	if err != nil {
		return errors.New("no JSON object")
	}
	if err := json.Unmarshal([]byte(repaired), into); err != nil {
		return fmt.Errorf("not the JSON that was asked for")
	}
	return nil
}
