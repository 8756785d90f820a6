package openai

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"research/activities/extract"
	"research/outcome"
)

// A dialect is the form of requests that a server accepts. Servers differ in what they reject, and a
// rejection costs no tokens. So the extractor tries the strictest form first and remembers the one that
// worked.
type dialect struct {
	format      responseFormat
	limit       limitField
	maxTokens   int64 // of a response
	foldsSystem bool  // the system prompt is part of the user's message
	noEffort    bool  // reasoning_effort is left out
	steps       int   // from the first dialect
}

// A responseFormat is a way to request JSON, the strictest first.
type responseFormat int

const (
	formatSchema responseFormat = iota
	formatObject
	formatPrompt // by the prompt alone
)

// A limitField is the member of a request that limits the tokens of the response. Without a limit a model
// that repeats itself, or a grammar that allows white space without end, runs until the timeout.
type limitField int

const (
	// limitBoth is for servers other than OpenAI's: some read one member and ignore the other.
	limitBoth limitField = iota
	limitCompletion
	limitTokens
	limitNone
)

// The limits on the tokens of a response.
const (
	maxResponseTokens = 4096 // as many as every model can write
	// maxReasoningTokens is for models whose thoughts count as a part of the response.
	maxReasoningTokens = 16_384
	minResponseTokens  = 512
)

// newDialect returns the dialect to begin with. OpenAI and Azure reject both members together.
func newDialect(baseURL string, maxTokens int64) dialect {
	d := dialect{maxTokens: maxTokens}
	if u, err := url.Parse(baseURL); err == nil {
		for _, host := range []string{"openai.com", "azure.com"} {
			if u.Hostname() == host || strings.HasSuffix(u.Hostname(), "."+host) {
				d.limit = limitCompletion
			}
		}
	}
	return d
}

// apply sets the fields of a call's body that depend on the dialect.
func (d dialect) apply(params *openai.ChatCompletionNewParams, system, user string, schema any) {
	if d.foldsSystem {
		params.Messages = []openai.ChatCompletionMessageParamUnion{openai.UserMessage(system + "\n\n" + user)}
	} else {
		params.Messages = []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage(system), openai.UserMessage(user),
		}
	}
	if d.limit == limitBoth || d.limit == limitCompletion {
		params.MaxCompletionTokens = openai.Int(d.maxTokens)
	}
	if d.limit == limitBoth || d.limit == limitTokens {
		params.MaxTokens = openai.Int(d.maxTokens)
	}
	switch d.format {
	case formatSchema:
		params.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{
				Name: "findings", Strict: openai.Bool(true), Schema: schema,
			},
		}
	case formatObject:
		params.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	case formatPrompt:
	}
}

var (
	rolePhrases = []string{
		"system role", "system message", "role 'system'", "role \"system\"", "roles must alternate",
		"developer instruction",
	}
	effortPhrases = []string{"reasoning_effort", "reasoning effort", "reasoning.effort"}
	limitPhrases  = []string{"max_tokens", "max_completion_tokens", "in the completion"}
)

// after returns the dialect to try after a failed call, or false if no other dialect helps.
func (d dialect) after(failed *extract.Error, rejected *failure) (dialect, bool) {
	next := d
	next.steps++
	mentionsLimit := rejected.mentions(limitPhrases)
	switch {
	case failed.Code == outcome.CodeModelTooLong && mentionsLimit && d.maxTokens > minResponseTokens:
		// vLLM adds the limit to the prompt.
		next.maxTokens = max(d.maxTokens/2, minResponseTokens)
		return next, true
	case failed.Code != outcome.CodeModelBadRequest:
		return d, false
	case !d.foldsSystem && rejected.mentions(rolePhrases):
		next.foldsSystem = true
		return next, true
	case !d.noEffort && rejected.mentions(effortPhrases):
		next.noEffort = true
		return next, true
	case mentionsLimit && d.limit != limitNone:
		next.limit = d.limit.after(rejected)
		return next, true
	case d.format < formatPrompt:
		next.format++
		return next, true
	}
	return d, false
}

// after returns the field to try after a server rejected one. Its message names the rejected field, and often
// the other one as the remedy.
func (l limitField) after(rejected *failure) limitField {
	completion := strings.Contains(rejected.text, "max_completion_tokens")
	remedy := rejected.mentions([]string{"'max_completion_tokens' instead", "max_completion_tokens instead"})
	switch {
	case l == limitBoth && completion && !remedy:
		return limitTokens
	case l == limitBoth, l == limitTokens && remedy:
		return limitCompletion
	case l == limitCompletion:
		return limitTokens
	}
	return limitNone
}

// raised returns the dialect for a response whose thoughts used up the limit, or false if it is at its
// highest.
func (d dialect) raised() (dialect, bool) {
	if d.maxTokens >= maxReasoningTokens {
		return d, false
	}
	d.maxTokens = maxReasoningTokens
	d.steps++
	return d, true
}

// knownDialect is shared by the calls to one server. The first call runs alone for a short time, so that
// concurrent calls do not all get the same rejections.
type knownDialect struct {
	mu      sync.Mutex
	current dialect
	settled bool // a server accepted the dialect
	first   chan struct{}
	wait    time.Duration // how long calls wait for the first one
}

func newKnownDialect(d dialect) *knownDialect {
	return &knownDialect{current: d, first: make(chan struct{}, 1), wait: firstWait}
}

// firstWait is how long calls wait for the first one. Rejections take milliseconds, completions seconds.
const firstWait = time.Second

// begin returns the dialect for a call. The caller calls done when the call has ended.
func (k *knownDialect) begin(ctx context.Context) (d dialect, done func()) {
	done = func() {}
	if _, settled := k.get(); !settled {
		timer := time.NewTimer(k.wait)
		defer timer.Stop()
		select {
		case k.first <- struct{}{}:
			done = func() { <-k.first }
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	d, _ = k.get()
	return d, done
}

func (k *knownDialect) get() (dialect, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.current, k.settled
}

// accept remembers a dialect that the server accepted. If two calls race, the one that was rejected more
// often wins.
func (k *knownDialect) accept(d dialect) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if d.steps >= k.current.steps {
		k.current = d
	}
	k.settled = true
}

// isRejection reports whether a server did not even begin to answer.
func isRejection(failed *extract.Error) bool {
	return failed != nil && (failed.Status == 0 || failed.Status >= http.StatusBadRequest)
}
