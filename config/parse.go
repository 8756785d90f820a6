package config

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Extract configures the model that extracts evidence.
type Extract struct {
	APIKey  string
	BaseURL string
	Model   string
	Timeout time.Duration // of one call
	Context int           // tokens of one prompt and its completion; 0 means many
	Effort  string        // of reasoning; empty means the model's own
	Mask    bool          // personal data is replaced by placeholders before it is sent
	Example bool          // the prompt has a worked example
	Prices  Prices

	Retrieval string // of the keyword extractor: precise or broad
}

// Prices are those of the model's provider. Zero prices mean that none are configured.
type Prices struct {
	Input    float64 // of a million tokens
	Output   float64 // of a million tokens
	Currency string  // ISO 4217
}

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

func readPrices(r *reader) Prices {
	p := Prices{
		Input: r.price("MODEL_INPUT_PRICE",
			"The price of a million tokens of prompts. With it or `MODEL_OUTPUT_PRICE`, imports show their cost."),
		Output:   r.price("MODEL_OUTPUT_PRICE", "The price of a million tokens of responses."),
		Currency: r.text("MODEL_CURRENCY", "USD", "The currency of the prices, as three letters (ISO 4217)."),
	}
	if !currencyCode.MatchString(p.Currency) {
		r.problem("MODEL_CURRENCY", "must be three capital letters, such as EUR")
	}
	return p
}

// UsesModel reports whether a model is configured; without one the keyword extractor runs.
func (e Extract) UsesModel() bool { return e.APIKey != "" || e.BaseURL != "" }

func readExtract(r *reader) Extract {
	r.group = "Model"
	e := Extract{
		APIKey: r.secret("OPENAI_API_KEY", 0,
			"The API key of the model server. With neither this nor `OPENAI_BASE_URL`, the keyword extractor runs."),
		BaseURL: strings.TrimRight(r.url("OPENAI_BASE_URL",
			"Another server with OpenAI's API: Ollama, vLLM, llama.cpp, LM Studio, OpenRouter, Groq, Azure."), "/"),
		Model: r.text("OPENAI_MODEL", "", "The model's name. Required with a model server."),
		Timeout: r.duration("OPENAI_TIMEOUT", 2*time.Minute, time.Second, time.Hour,
			"The timeout of one model call."),
		Context: r.number("OPENAI_CONTEXT_TOKENS", 0, 0, 10_000_000,
			"Tokens that a prompt and its completion may have. `0`: 128,000 or more, as large models have."),
	}
	e.Effort = r.text("OPENAI_REASONING_EFFORT", "",
		"How long models that reason may think: `minimal`, `low`, `medium`, `high`, or another value of the "+
			"model. Not set: the model's own default.")
	e.Example = r.onOff("MODEL_EXAMPLE", false,
		"Shows the model a worked example, which may help small ones. Measure it with `research eval`. See "+
			"[extraction](extraction.md#a-worked-example).")
	mask := r.choice("MASK_PERSONAL_DATA", "auto", []string{"auto", "on", "off"},
		"Replaces names of speakers, addresses, numbers of phones, cards and accounts, and the like by "+
			"placeholders before a transcript is sent to a model. `auto`: on, unless the server is on this machine "+
			"or in a private network. See [extraction](extraction.md#personal-data).")
	e.Mask = mask == "on" || mask == "auto" && !isPrivateServer(e.BaseURL)
	e.Prices = readPrices(r)
	e.Retrieval = r.choice("KEYWORD_RETRIEVAL", "precise", []string{"precise", "broad"},
		"What the keyword extractor prefers: matches that are more often right, or from more passages.")
	if e.UsesModel() && e.Model == "" {
		r.problem("OPENAI_MODEL", "is missing: a model server is configured, and it needs a model's name")
	}
	return e
}

// isPrivateServer reports whether a URL names this machine or a private network: a private address, a name
// without a domain, as containers have, or a name that is reserved for local networks (RFC 6761, RFC 6762,
// RFC 8375).
func isPrivateServer(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast()
	}
	if !strings.Contains(host, ".") {
		return true
	}
	return slices.ContainsFunc([]string{".localhost", ".local", ".internal", ".home.arpa", ".lan"},
		func(suffix string) bool { return strings.HasSuffix(host, suffix) })
}

// Parse bounds the parsing of imports.
type Parse struct {
	Concurrency          int           // chunks of one import in flight
	CallsInFlight        int           // of one worker, for all imports
	CallsPerMinute       int           // of all workers; 0 means no limit
	QueueLimit           int           // imports queued or parsing, of all workspaces; 0 means no limit
	WorkspaceQueueLimit  int           // the same for one workspace
	UploadLimit          int           // uploads of one user within an hour; 0 means no limit
	WorkspaceUploadLimit int           // the same for one workspace
	Timeout              time.Duration // of a whole parse
	MaxTokensPerImport   int64         // 0 means no limit
	ReconcileInterval    time.Duration
}

func readParse(r *reader) Parse {
	r.group = "Parsing"
	return Parse{
		Concurrency: r.number("PARSE_CONCURRENCY", 8, 1, 256,
			"Chunks of one import that are read at the same time."),
		CallsInFlight: r.number("MODEL_CALLS_IN_FLIGHT", 64, 1, 1000,
			"Calls to the model that one worker makes at the same time, for all imports."),
		CallsPerMinute: r.number("MODEL_CALLS_PER_MINUTE", 0, 0, 1_000_000,
			"Calls to the model that all workers together begin in a minute. `0`: no limit."),
		QueueLimit: r.number("PARSE_QUEUE_LIMIT", 10_000, 0, 1_000_000,
			"Imports that may be queued or parsing. Above it, a request to parse is answered with 429. `0`: no "+
				"limit."),
		WorkspaceQueueLimit: r.number("PARSE_QUEUE_LIMIT_WORKSPACE", 1000, 0, 1_000_000,
			"The same for one workspace."),
		UploadLimit: r.number("UPLOAD_LIMIT", 1000, 0, 1_000_000,
			"Uploads of one user within an hour. Above it, an upload is answered with 429. Each `serve` also allows "+
				"five times as many dry runs. `0`: no limit."),
		WorkspaceUploadLimit: r.number("UPLOAD_LIMIT_WORKSPACE", 5000, 0, 1_000_000,
			"Uploads of one workspace within an hour. `0`: no limit."),
		Timeout: r.duration("PARSE_TIMEOUT", 2*time.Hour, time.Second, 7*24*time.Hour,
			"The timeout of a whole parse, from its first call to the model on; waiting for turns, workers and "+
				"tokens does not count. Also that of a run that proposes themes, from the request on."),
		MaxTokensPerImport: int64(r.number("MAX_TOKENS_PER_IMPORT", 1_000_000, 0, 1<<40,
			"Tokens that one import may use; an interview of an hour takes about 20,000. `0`: no limit.")),
		ReconcileInterval: r.duration("RECONCILE_INTERVAL", 5*time.Second, time.Second, time.Hour,
			"How often workers look for open imports that should be compared with their workflow runs."),
	}
}

// Worker configures how a worker registers and stops.
type Worker struct {
	StopTimeout time.Duration // for model calls in flight
	Deployment  string        // name of the worker deployment
	BuildID     string        // of this version; empty means no worker versioning
}

// stopMargin is the time that a worker needs after its last model call: to store the answer and to complete
// the activity.
const stopMargin = 10 * time.Second

func readWorker(r *reader, e Extract) Worker {
	r.group = "Worker"
	w := Worker{
		StopTimeout: r.duration("WORKER_STOP_TIMEOUT", 0, 0, time.Hour,
			"How long a stopping worker waits for model calls in flight. `0s`: `OPENAI_TIMEOUT` and 10 seconds."),
		BuildID: r.text("WORKER_BUILD_ID", "",
			"Enables Temporal's worker versioning. See [operations](operations.md#a-new-version)."),
		Deployment: r.text("WORKER_DEPLOYMENT", "research", "The name of the worker deployment."),
	}
	if w.StopTimeout == 0 {
		w.StopTimeout = e.Timeout + stopMargin
	}
	return w
}
