package modeltest

import (
	"fmt"
	"net/http"
	"slices"
)

// A Vendor is a server as its vendor documents it, or as people report it. Nothing was recorded from an
// account: the bodies are written here, and shortened to what a client reads.
type Vendor struct {
	Name   string
	Answer Case // to a request that it accepts, after those that it rejects
	Faults []Case
}

// A Case is one behaviour of a server.
type Case struct {
	Kind Kind
	// Says is the code of what a client says of it, or "" if it is read.
	Says string
	// Calls is how often the first request is made.
	Calls int
	Link  string // to the documentation or the report
	Behavior
}

// A Kind is what the cases of several servers have in common.
type Kind string

// The kinds, in the order of the table in docs/extraction.md.
const (
	Answers Kind = "answers"
	Cuts    Kind = "cuts a long answer" // in its own words, or without any
	Context Kind = "long prompt"
	Key     Kind = "bad key"
	Quota   Kind = "quota, region"
	Filter  Kind = "filter"
)

// Kinds are all kinds.
var Kinds = []Kind{Answers, Cuts, Context, Key, Quota, Filter}

// Vendors returns the servers that people name.
func Vendors() []Vendor {
	return slices.Concat(clouds(), moreClouds(), gateways(), selfHosted())
}

// Of returns the case of a kind, if the vendor has one.
func (v Vendor) Of(kind Kind) (Case, bool) {
	if kind == Answers {
		return v.Answer, true
	}
	i := slices.IndexFunc(v.Faults, func(c Case) bool { return c.Kind == kind })
	if i < 0 {
		return Case{}, false
	}
	return v.Faults[i], true
}

func answers(calls int, link string, b Behavior) Case {
	return Case{Kind: Answers, Calls: calls, Link: link, Behavior: b}
}

// fault is a case in which every call has the same response.
func fault(kind Kind, says string, status int, body, link string) Case {
	return Case{Kind: kind, Says: says, Calls: 1, Link: link, Behavior: Status(status, body)}
}

// longPrompt rejects prompts of more than 12,000 bytes, and answers others.
func longPrompt(status int, body, link string) Case {
	return Case{
		Kind: Context, Says: "model_too_long", Calls: 1, Link: link,
		Behavior: PromptsOver(12_000, Status(status, body)),
	}
}

// cut ends in the middle of an answer about a prompt of more than 12,000 bytes, and says why.
func cut(finishReason, link string) Case {
	return Case{
		Kind: Cuts, Says: "model_too_long", Calls: 1, Link: link,
		Behavior: PromptsOver(12_000, Unfinished(finishReason)),
	}
}

// rejects answers the requests of some kind with an error, and others as then does.
func rejects(isRejected func(*Exchange) bool, status int, body string, then Behavior) Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		if isRejected(x) {
			Status(status, body)(w, x)
			return
		}
		then(w, x)
	}
}

func hasSchema(x *Exchange) bool          { return x.Format == "json_schema" }
func hasFormat(x *Exchange) bool          { return x.Format != "" }
func hasObject(x *Exchange) bool          { return x.Format == "json_object" }
func hasSystem(x *Exchange) bool          { return slices.Contains(x.Roles, "system") }
func hasCompletionLimit(x *Exchange) bool { return x.MaxCompletionTokens > 0 }
func isNotStreamed(x *Exchange) bool      { return !x.Stream }
func hasBothLimits(x *Exchange) bool      { return x.MaxCompletionTokens > 0 && x.MaxTokens > 0 }

// says answers honestly, with additions to the message and to the top level.
func says(message, top map[string]any) Behavior {
	return func(w http.ResponseWriter, x *Exchange) { respond(w, x, honestText(x.Call), message, top) }
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

// contextOf adds the limit of the response to the prompt, as vLLM does, and rejects what exceeds the context.
func contextOf(prompt, context int, then Behavior) Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		limit := max(x.MaxTokens, x.MaxCompletionTokens)
		if prompt+limit <= context {
			then(w, x)
			return
		}
		Status(http.StatusBadRequest, fmt.Sprintf(`{"object":"error","message":"This model's maximum context `+
			`length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the completion).",`+
			`"type":"BadRequestError","param":null,"code":400}`, context, prompt+limit, prompt, limit))(w, x)
	}
}
