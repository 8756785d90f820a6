package openai

import (
	"net/url"
	"regexp"
	"strings"

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
	streams     bool  // the response is requested as a stream of events
	noUsage     bool  // stream_options are left out
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
func (d dialect) apply(params *openai.ChatCompletionNewParams, system, user string, schema namedSchema) {
	if d.foldsSystem {
		params.Messages = []openai.ChatCompletionMessageParamUnion{openai.UserMessage(system + "\n\n" + user)}
	} else {
		params.Messages = []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage(system), openai.UserMessage(user),
		}
	}
	if d.streams {
		params.SetExtraFields(map[string]any{"stream": true})
		if !d.noUsage {
			params.StreamOptions.IncludeUsage = openai.Bool(true)
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
				Name: schema.name, Strict: openai.Bool(true), Schema: schema.schema,
			},
		}
	case formatObject:
		params.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	case formatPrompt:
	}
}

// attributes describes the dialect in the log.
func (d dialect) attributes() []any {
	return []any{
		"format", []string{"json_schema", "json_object", "none"}[d.format],
		"limit", []string{"both", "max_completion_tokens", "max_tokens", "none"}[d.limit],
		"max_tokens", d.maxTokens, "system_role", !d.foldsSystem, "reasoning_effort", !d.noEffort,
		"stream", d.streams, "stream_usage", !d.noUsage,
	}
}

// The steps after a rejection that names nothing which can be left out: the same request again, since some
// rejections pass, then one without a response format, then one with the prompt alone. If a server rejects
// all of them in the same words, the form is not the reason.
const (
	stepRepeat = iota + 1
	stepPrompt
	stepBare
	noStep
)

// after returns the dialect to try after a failed call, or false if no other dialect helps. times is how
// often in a row the server rejected the request in the same words.
func (d dialect) after(failed *extract.Error, rejected *failure, times int) (dialect, bool) {
	next := d
	next.steps++
	if named, ok := d.without(rejected); ok && failed.Code == outcome.CodeModelBadRequest && times < stepBare {
		return named, true
	}
	if failed.Code == outcome.CodeModelTooLong || failed.Code == outcome.CodeModelBadRequest {
		if fitting, ok := d.fitting(failed, rejected); ok && times < noStep {
			return fitting, true
		}
	}
	switch {
	case failed.Code != outcome.CodeModelBadRequest, times >= noStep:
	case times == stepRepeat:
		return d, true
	case times == stepPrompt && d.format != formatPrompt:
		next.format = formatPrompt
		return next, true
	case !d.isBare():
		next.format, next.limit, next.foldsSystem, next.noEffort = formatPrompt, limitNone, true, true
		return next, true
	}
	return d, false
}

// isBare reports whether nothing can be left out.
func (d dialect) isBare() bool {
	return d.format == formatPrompt && d.limit == limitNone && d.foldsSystem && d.noEffort
}

// without returns the dialect without the member that a server rejects by name, or false if it names none
// that is there.
func (d dialect) without(rejected *failure) (dialect, bool) {
	next := d
	next.steps++
	switch rejected.member() {
	case usageMember:
		next.noUsage = true
	case streamMember: // it must be streamed, or cannot be
		next.streams = !d.streams
	case roleMember:
		next.foldsSystem = true
	case effortMember:
		next.noEffort = true
	case limitMember:
		if rejected.bounds(d.maxTokens) {
			return d, false // its value is rejected, and not the member
		}
		next.limit = d.limit.after(rejected)
	case formatMember:
		next.format = min(d.format+1, formatPrompt)
	}
	same := next
	same.steps = d.steps
	return next, same != d
}

// fitting returns the dialect with a lower limit of the response, if that helps: vLLM and others add the
// limit to the prompt, and some models write less than we allow. Numbers decide; without them it is halved.
func (d dialect) fitting(failed *extract.Error, rejected *failure) (dialect, bool) {
	next := d
	next.steps++
	if rejected.member() != limitMember {
		return d, false
	}
	room, isKnown := roomOf(rejected.numbers(), d.maxTokens)
	switch {
	case isKnown:
		next.maxTokens = room
	case failed.Code == outcome.CodeModelTooLong:
		next.maxTokens = max(d.maxTokens/2, minResponseTokens)
	}
	return next, next.maxTokens >= minResponseTokens && next.maxTokens < d.maxTokens
}

// after returns the field to try after a server rejected one. It names the rejected field, and often the
// other one as the remedy.
func (l limitField) after(rejected *failure) limitField {
	said := rejected.codes + rejected.words
	completion := strings.Contains(said, "max_completion_tokens")
	isRemedy := remedyWords.MatchString(said)
	switch {
	case l == limitBoth && completion && !isRemedy:
		return limitTokens
	case l == limitBoth, l == limitTokens && isRemedy:
		return limitCompletion
	case l == limitCompletion:
		return limitTokens
	}
	return limitNone
}

var remedyWords = regexp.MustCompile(`max_completion_tokens'? instead`)

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
