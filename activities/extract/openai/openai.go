package openai

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"research/activities/extract"
	"research/activities/extract/mask"
	"research/transcript"
)

// Config configures an extractor.
type Config struct {
	APIKey  string        // may be empty: local servers need none
	BaseURL string        // empty means OpenAI's own
	Model   string        // required
	Timeout time.Duration // of one call; required
	Context int           // tokens of a request and its response together; 0 means chunks of the usual size
	Mask    bool          // replace personal data by placeholders before it is sent
	Example bool          // show the model a worked example: a contradiction, and a hypothesis without a finding

	// Log receives what a server says of failed calls, and other forms of requests; nil means that it is
	// dropped.
	Log *slog.Logger

	// ReasoningEffort is for models that think: "low", "medium", "high" and others. Empty means the model's own.
	ReasoningEffort string
}

// An Extractor asks servers that implement OpenAI's Chat Completions API: OpenAI, Azure, Gemini,
// Anthropic, Ollama, vLLM, llama.cpp, LM Studio, OpenRouter, Groq.
//
// It requests JSON by schema. If the server rejects that, it requests a JSON object, and at last JSON by the
// prompt alone; what was answered is remembered for an hour. Retries are left to the caller.
type Extractor struct {
	cfg     Config
	client  openai.Client
	dialect *knownDialect
	maskers *mask.Cache
	notices notices
}

var (
	_ extract.Extractor = (*Extractor)(nil)
	_ extract.Answerer  = (*Extractor)(nil)
)

// New returns an extractor for a server. It assembles the client itself, because the constructor of the
// library reads OPENAI_ORG_ID, OPENAI_PROJECT_ID and OPENAI_CUSTOM_HEADERS from the environment and sends
// them to any server.
func New(cfg Config) (*Extractor, error) {
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
	o := &Extractor{cfg: cfg, client: client, maskers: mask.NewCache()}
	o.notices.seen = map[string]bool{}
	o.dialect = newKnownDialect(newDialect(cfg.BaseURL, int64(o.responseTokens())))
	return o, nil
}

// responseTokens is how long a response may be: at most a quarter of a small context.
func (o *Extractor) responseTokens() int {
	if o.cfg.Context == 0 {
		return maxResponseTokens
	}
	return min(maxResponseTokens, max(o.cfg.Context/4, 1))
}

// Name returns "openai".
func (*Extractor) Name() string { return "openai" }

// Model returns the configured model.
func (o *Extractor) Model() string { return o.cfg.Model }

// PromptVersion returns the number of the prompt's file, whether it has the example, the effort of reasoning,
// and whether personal data is masked.
func (o *Extractor) PromptVersion() string {
	version := promptVersion
	if o.cfg.Example {
		version += "-example"
	}
	return o.versionOf(version)
}

// versionOf returns the version of a prompt with the settings that change its answers.
func (o *Extractor) versionOf(version string) string {
	if o.cfg.ReasoningEffort != "" {
		version += "-" + o.cfg.ReasoningEffort
	}
	if o.cfg.Mask {
		version += "-masked"
	}
	return version
}

// systemPrompt returns the system prompt of all requests.
func (o *Extractor) systemPrompt() string {
	if o.cfg.Example {
		return systemPrompt + systemExample
	}
	return systemPrompt
}

// masker returns what masks the personal data of a request, or nil.
func (o *Extractor) masker(r extract.Request) *mask.Masker {
	if !o.cfg.Mask {
		return nil
	}
	statements := make([]string, len(r.Hypotheses))
	for i, h := range r.Hypotheses {
		statements[i] = h.Statement
	}
	return o.maskers.Of(r.Transcript, statements)
}

// Plan divides the transcript into chunks of the usual size, or small enough that prompt, hypotheses and
// response fit the model's context.
func (o *Extractor) Plan(t *transcript.Transcript, hypotheses []extract.Hypothesis) []extract.Chunk {
	return o.planFor(t, o.systemPrompt()+userPrompt(extract.Request{Transcript: t, Hypotheses: hypotheses}, nil))
}

// planFor divides a transcript into chunks that fit the model's context beside what every prompt has.
func (o *Extractor) planFor(t *transcript.Transcript, fixed string) []extract.Chunk {
	if o.cfg.Context == 0 {
		return extract.PlanChunks(t, 0)
	}
	left := o.cfg.Context - o.responseTokens() - int(float64(len(fixed))/extract.BytesPerToken)
	return extract.PlanChunks(t, max(left, 1))
}

// Estimate counts the tokens of the prompt, without the response.
func (o *Extractor) Estimate(r extract.Request) int64 {
	var c tokenCounter
	_, _ = c.WriteString(o.systemPrompt())
	writeUserPrompt(&c, r, nil)
	return int64(c.minTokens())
}

// Expect returns the tokens of the prompt and of a usual response. Thoughts, second questions and halves of
// chunks are not foreseen.
func (o *Extractor) Expect(r extract.Request) extract.Usage {
	return extract.Usage{
		InputTokens:  expectedTokens(o.systemPrompt() + userPrompt(r, nil)),
		OutputTokens: min(expectedResponse(len(r.Hypotheses)), int64(o.responseTokens())),
	}
}

// Extract calls the model once, and in another dialect if the server rejects the request. A rejected second
// request counts as an answer that could not be read, since the first one was accepted. The error is an
// *Error or the context's error.
func (o *Extractor) Extract(ctx context.Context, r extract.Request) (extract.Response, error) {
	return o.readChunk(ctx, r, o.systemPrompt(), userPrompt, responseSchema)
}

// readChunk asks about a chunk with a prompt.
func (o *Extractor) readChunk(
	ctx context.Context, r extract.Request, system string,
	prompt func(extract.Request, *mask.Masker) string, schema namedSchema,
) (extract.Response, error) {
	masker := o.masker(r)
	var response extract.Response
	used, err := o.ask(ctx, question{
		system: system, user: prompt(r, masker), schema: schema, size: r.Chunk.Size(), again: r.Again,
		read: func(text string) (err error) {
			if response, err = readResponse(r, text); err == nil {
				unmaskResponse(masker, &response)
			}
			return err
		},
	})
	if err != nil {
		return extract.Response{}, err
	}
	response.Usage = used
	return response, nil
}
